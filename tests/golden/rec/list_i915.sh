rec list --root "${0%/*}/trees/gpu" 'i915/*' 'drm:*'
