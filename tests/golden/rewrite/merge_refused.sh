cd "$FIX" || exit
new=../in/new.ctr
analyze merge -o "$new" alpha.ctr alpha.ctr
echo "$?"
analyze merge -o "$new" alpha.ctr events.ctr
analyze merge -q -o "$new" alpha.ctr gamma.ctr
analyze merge -q -o "$new" alpha.ctr beta.ctr
analyze merge -o ../in/again.ctr "$new" basic.ctr 2>&1 | sed "s|'[^']*new|'new|"
ls ../in
