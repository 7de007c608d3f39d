# The second reader comes to the values of spec/vectors, too.
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
here=$(dirname "$0")
python3 -B "$here/vectors.py" "$here"/../../../spec/vectors/*.txt
