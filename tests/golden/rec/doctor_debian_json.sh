rec doctor --json --root "${0%/*}/trees/debian"
