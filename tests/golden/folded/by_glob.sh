cd "$FIX" && analyze folded --comm "w*" --symbol "*a*" --image "libc*,app" basic.ctr
