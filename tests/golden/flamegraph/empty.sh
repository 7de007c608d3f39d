analyze flamegraph -o x.svg "$FIX/empty.ctr" 2>err; rc=$?; sed "s|$FIX/||" err >&2; ls; exit $rc
