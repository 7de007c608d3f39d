cd "$FIX" && cat basic.ctr | analyze check -
