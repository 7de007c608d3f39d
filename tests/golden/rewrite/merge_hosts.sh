cd "$FIX" || exit
new=../in/new.ctr
analyze merge -o "$new" alpha.ctr beta.ctr | sed 's/[0-9]* bytes/N bytes/'
analyze check -s "$new" | sed 's/^.*new.ctr: //;s/[0-9]* bytes/N bytes/'
analyze dump "$new" | grep '^[^	]'
analyze report -s source,tid,sym --no-children -g none "$new"
analyze info "$new" | grep -E '^(hostname|arch|boot_id|incomplete|source|note)'
