# What is no trace is refused before all of it was read.
yes | timeout 20 analyze info -
echo $?
yes | timeout 20 analyze check -
echo $?
timeout 20 analyze check /dev/zero
echo $?
echo short | analyze info -
echo $?
: | analyze info -
