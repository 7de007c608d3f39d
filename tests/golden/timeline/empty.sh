cd "$FIX" && analyze timeline -q -o - empty.ctr | grep -c "id=\"data\""; analyze timeline -q -o x.html "$FIX/empty.ctr"
