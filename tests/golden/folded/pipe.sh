cat "$FIX/basic.ctr" | analyze folded -
