analyze timeline "$FIX/basic.ctr" 2>err; rc=$?; sed "s|$FIX/||" err >&2; ls; grep -c "</html>" timeline.html; exit $rc
