rec list --json --root "${0%/*}/trees/gpu"
