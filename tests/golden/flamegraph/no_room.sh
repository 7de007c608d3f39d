# A picture that cannot be written leaves the older one as it was.
trap '' XFSZ
echo old > x.svg
(ulimit -f 4; analyze flamegraph -o x.svg "$FIX/basic.ctr")
echo $?
cat x.svg
ls
