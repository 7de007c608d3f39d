rec list --root "${0%/*}/trees/gpu"
