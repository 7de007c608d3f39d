cd "$FIX" && analyze report -g fractal,30 basic.ctr
