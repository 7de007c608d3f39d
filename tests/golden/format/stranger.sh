# A second reader, written from spec/format.md alone, reads the stored files.
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
here=$(dirname "$0")
python3 -c 'import zstandard' 2>/dev/null || command -v zstd >/dev/null || {
	echo 'neither the module zstandard nor the program zstd'
	exit 77
}
python3 -B "$here/check.py" "$here/small.ctr" "$here/epochs.ctr" "$here/big.ctr" \
	"$here/keyed.ctr" "$here/clean.ctr" "$here/alternating.ctr" \
	"$here/extremes.ctr" "$here/unknown/nothing.ctr" \
	"$here/../../../spec/vectors/walk.ctr"
