cd "$FIX" || exit
new=../in/new.ctr
analyze recover -o "$new" basic.ctr
analyze info "$new" | grep recovered
