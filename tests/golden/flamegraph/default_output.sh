analyze flamegraph "$FIX/basic.ctr" 2>err; rc=$?; sed "s|$FIX/||" err >&2; ls; grep -c "</svg>" flamegraph.svg; exit $rc
