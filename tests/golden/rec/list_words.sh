rec list -q --root "${0%/*}/trees/user" sw hw pmu tracepoint
