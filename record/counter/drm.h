/* DRM devices by their names in /sys and /proc. */
#ifndef RECORD_COUNTER_DRM_H
#define RECORD_COUNTER_DRM_H

#include <stdbool.h>
#include <stddef.h>

#define REC_DRM_NAME 64u /* bytes of a device's name, with its zero */

/* "0000:03:00.0" of the node "card0", "renderD128" or "accel0": what sysfs calls
 * the device behind it; the node itself where that cannot be told. */
void rec_drm_device(char to[REC_DRM_NAME], const char *root, const char *node);

/* Whether this machine has nodes of any. */
bool rec_drm_any(const char *root);

/* "card0", but neither "card0-HDMI-A-1" nor "renderD128". */
bool rec_drm_is_card(const char *name);

#endif
