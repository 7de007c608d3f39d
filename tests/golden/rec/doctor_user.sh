rec doctor --root "${0%/*}/trees/user"
