cd "$FIX" && analyze folded --image ext4.ko,vdso basic.ctr
