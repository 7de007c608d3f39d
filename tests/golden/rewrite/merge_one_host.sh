cd "$FIX" || exit
new=../in/new.ctr
analyze merge -o "$new" second.ctr first.ctr | sed 's/[0-9]* bytes/N bytes/'
analyze dump first.ctr second.ctr >"../in/before" 2>/dev/null
analyze dump "$new" | cmp - "../in/before" && echo 'the same rows'
