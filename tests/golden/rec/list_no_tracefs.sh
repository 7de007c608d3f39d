rec list --root "${0%/*}/trees/debian" 'sched:*' page-faults
