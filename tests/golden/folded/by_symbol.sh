cd "$FIX" && analyze folded --symbol memcpy basic.ctr
