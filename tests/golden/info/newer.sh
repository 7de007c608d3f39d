cp "$FIX/basic.ctr" x.ctr; printf "\\377" | dd of=x.ctr bs=1 seek=8 conv=notrunc 2>/dev/null; analyze info x.ctr
