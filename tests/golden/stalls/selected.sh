root=$(cd "$(dirname "$0")/../../.." && pwd)
data=${SHARED:-$root/../shared}/data/gpu
[ -d "$data" ] || { echo "no captures in '$data'"; exit 77; }
rec import -q "$data/stable/causes.perf.data" -o a.ctr && analyze stalls --brief --csv --time 0.5s,1s a.ctr
