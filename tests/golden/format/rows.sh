# The second reader finds the rows that the dumps have.
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
here=$(dirname "$0")
python3 -c 'import zstandard' 2>/dev/null || command -v zstd >/dev/null || {
	echo 'neither the module zstandard nor the program zstd'
	exit 77
}
python3 -B "$here/rows.py" "$here"/*.ctr "$here"/killed/*.ctr \
	"$here/unknown/nothing.ctr" "$here/../../../spec/vectors/walk.ctr"
