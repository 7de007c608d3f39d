echo hello > x.ctr; analyze info x.ctr
