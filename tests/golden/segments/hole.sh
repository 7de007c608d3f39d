cd "$FIX" && analyze folded first.ctr second_hole.ctr fourth.ctr 2>"$OLDPWD/said"
rc=$?
sed 's/ at offset [0-9]*//' "$OLDPWD/said"
exit $rc
