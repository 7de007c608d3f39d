cd "$FIX"
analyze check -s first.ctr second_hole.ctr nothing.ctr fourth.ctr >"$OLDPWD/said"
rc=$?
grep -v rows "$OLDPWD/said"
exit $rc
