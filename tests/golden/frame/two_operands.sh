analyze folded a.ctr b.ctr
