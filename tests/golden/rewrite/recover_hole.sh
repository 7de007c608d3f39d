cd "$FIX" || exit
new=../in/new.ctr
analyze recover -o "$new" hole.ctr | sed 's/[0-9]* bytes at offset [0-9]*/N bytes at offset N/;s/at offset [0-9]*:/at offset N:/g;s/bytes [0-9]* to [0-9]*/bytes N to N/;s/byte [0-9]*/byte N/'
analyze check -s "$new" >/dev/null
echo "check: $?"
analyze dump hole.ctr >"../in/before" 2>/dev/null
analyze dump "$new" | cmp - "../in/before" && echo 'the same rows'
analyze report "$new" | grep '^# Note' | sed 's/of [0-9]* bytes/of N bytes/;s/bytes [0-9]* to [0-9]*/bytes N to N/;s/byte [0-9]*/byte N/'
