rec list --jsn
