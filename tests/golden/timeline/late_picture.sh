root=$(cd "$(dirname "$0")/../../.." && pwd)
data=${SHARED:-$root/../shared}/data/gpu
[ -d "$data" ] || { echo "no captures in '$data'"; exit 77; }
# The recording's own time is not in it: rec takes the file's.
rec import -q "$data/stable/causes.perf.data" -o a.ctr || exit
analyze timeline -q --time 0.48,0.56 --lanes displays,threads --comm 'frame-client,rival' --svg -o - a.ctr |
	sed '/<style>/,/<.style>/d; /<script>/,/<.script>/d' |
	sed 's/Recorded: [^U]* UTC/Recorded: (a time) UTC/'
