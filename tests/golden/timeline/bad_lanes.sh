analyze timeline --lanes cpus,nowhere -o - "$FIX/basic.ctr"
