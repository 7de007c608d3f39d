cd "$FIX" && cp first.ctr "$OLDPWD" && analyze report first.ctr second.ctr "$OLDPWD/first.ctr" 2>&1 | sed "s|'/.*/first|'copy/first|"
