#include "record/counter/drm.h"

#include "format/base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void rec_drm_device(char to[REC_DRM_NAME], const char *root, const char *node)
{
	const char *class = strncmp(node, "accel", 5) ? "drm" : "accel";
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(to, REC_DRM_NAME, "%s", node);
	if (snprintf(path, sizeof(path), "%s/sys/class/%s/%s/device", root,
		     class, node) >= (int)sizeof(path))
		return;
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = 0;
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (*base && strlen(base) < REC_DRM_NAME)
		memcpy(to, base, strlen(base) + 1);
}

bool rec_drm_any(const char *root)
{
	static const char *const folders[] = { "/dev/dri", "/dev/accel" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

bool rec_drm_is_card(const char *name)
{
	size_t n = strspn(name + strcspn(name, "0123456789"), "0123456789");

	return !strncmp(name, "card", 4) && n && strlen(name) == 4 + n;
}
