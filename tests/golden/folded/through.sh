cd "$FIX" && analyze folded --through "sort<int, char>" --through ksys_read basic.ctr
