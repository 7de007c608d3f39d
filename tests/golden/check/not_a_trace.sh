echo hello > x.ctr; analyze check x.ctr
