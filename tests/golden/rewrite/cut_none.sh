cd "$FIX" || exit
new=../in/new.ctr
analyze cut -q -o "$new" --time @1,@2 basic.ctr
echo "$?"
analyze check -s "$new" >/dev/null
echo "check: $?"
