# Written through a link, with the mode of the file that was there.
echo old > real.svg
chmod 640 real.svg
ln -s real.svg x.svg
analyze flamegraph -q -o x.svg "$FIX/basic.ctr"
echo $?
ls
stat -c %a real.svg
grep -c '</svg>' real.svg
analyze flamegraph -q -o /dev/stdout "$FIX/basic.ctr" | grep -c '</svg>'
