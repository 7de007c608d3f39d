cd "$FIX" && (trap "" PIPE; analyze dump basic.ctr; echo "exit $?" >&2) | true
