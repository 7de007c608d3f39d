cp "$FIX/basic.ctr" a.ctr; analyze timeline -o a.ctr a.ctr; rc=$?; cmp a.ctr "$FIX/basic.ctr" && ls; exit $rc
