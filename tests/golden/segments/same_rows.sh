cd "$FIX"
# Two segments, in any order, and one file of the same two epochs.
for c in "report --no-children" folded dump; do
	analyze $c second.ctr first.ctr 2>&1 | grep -v '^#' >"$OLDPWD/joined"
	analyze $c epochs.ctr 2>&1 | grep -v '^#' >"$OLDPWD/one"
	cmp "$OLDPWD/joined" "$OLDPWD/one" && echo "$c: $(wc -l <"$OLDPWD/one") lines"
done
