# Rows stand in one order, whatever is drawn below them.
cd "$FIX"
rows() { grep -E '^ +[0-9.]+%  ' | cut -c27-; }
names() { tail -n +2 | sed 's/^\([^,]*,\)\{6\}//; s/,[a-z]*$//; s/"//g'; }
for fixture in basic recursion epochs; do
	analyze report -s sym -g none $fixture.ctr | rows > "$OLDPWD/none"
	for how in caller callee fractal caller,50; do
		analyze report -s sym -g $how $fixture.ctr | rows |
			cmp - "$OLDPWD/none" && echo $fixture $how
	done
	analyze report -s sym --csv $fixture.ctr | names |
		cmp - "$OLDPWD/none" && echo $fixture csv
done
cat "$OLDPWD/none"
