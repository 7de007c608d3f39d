root=$(cd "$(dirname "$0")/../../.." && pwd)
data=${SHARED:-$root/../shared}/data/gpu
[ -d "$data" ] || { echo "no captures in '$data'"; exit 77; }
rec import -q "$data/new/two.perf.data" -o a.ctr && analyze frames  a.ctr | grep -v '^# [A-Z]'
