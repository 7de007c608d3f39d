# The stored files as rows: sound, cut off, damaged, and with what is unknown.
cases=$(cd "$(dirname "$0")" && pwd)
root=$cases/../../..
for f in "$cases"/*.ctr "$cases"/*/*.ctr "$root"/spec/vectors/*.ctr; do
	dump=${f%.ctr}.jsonl
	"$B/tests/support/rowdump" "$f" >now
	echo "${f#"$cases"/}: $?, $(grep -c . now) lines" |
		sed 's|^.*/spec/|spec/|'
	if [ -n "${BLESS:-}" ]; then
		cp now "$dump"
	else
		diff -u "$dump" now
	fi
done
