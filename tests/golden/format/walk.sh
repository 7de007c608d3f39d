# What spec/walk.md says of each byte of its file holds.
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
here=$(dirname "$0")
python3 -c 'import zstandard' 2>/dev/null || command -v zstd >/dev/null || {
	echo 'neither the module zstandard nor the program zstd'
	exit 77
}
python3 -B "$here/walk.py" "$here/../../../spec/walk.md" \
	"$here/../../../spec/vectors/walk.ctr"
