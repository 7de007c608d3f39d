cd "$FIX" && analyze timeline -q -o - lossy.ctr | sed -n '/ id="data">/,/<.script>/p'
