cd "$FIX" || exit
new=../in/new.ctr
analyze compact -Z 20 -o "$new" basic.ctr
echo "$?"
[ -e "$new" ] || echo 'no file'
