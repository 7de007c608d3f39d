cd "$FIX" && analyze stat --summary clients.ctr
