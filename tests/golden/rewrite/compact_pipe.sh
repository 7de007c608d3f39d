cd "$FIX" || exit
new=../in/new.ctr
analyze compact -q -o - - <basic.ctr | analyze folded - | cmp - /dev/fd/3 3<<END && echo 'the same stacks'
$(analyze folded basic.ctr)
END
