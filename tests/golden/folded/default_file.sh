cp "$FIX/basic.ctr" trace.ctr && analyze folded > a && analyze folded -i trace.ctr > b && cmp a b && cat a
