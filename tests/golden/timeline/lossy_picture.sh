cd "$FIX" && analyze timeline -q -o - --svg lossy.ctr | sed '/<style>/,/<.style>/d; /<script>/,/<.script>/d'
