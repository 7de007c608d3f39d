analyze xyzzy
