cd "$FIX" && analyze folded --weight period basic.ctr
