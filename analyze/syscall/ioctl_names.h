/* What an ioctl's number stands for: that depends on the file that it is on. */
#ifndef ANALYZE_SYSCALL_IOCTL_NAMES_H
#define ANALYZE_SYSCALL_IOCTL_NAMES_H

#include "format/base/buf.h"
#include "format/base/span.h"

#include <stdint.h>

/* Whose numbers they are. */
enum an_ioctl_space {
	AN_IOCTL_UNKNOWN, /* the file is not known: by the magic alone */
	AN_IOCTL_OTHER,   /* a file that is none of these: what all have */
	AN_IOCTL_DRM,     /* a DRM device of no known driver */
	AN_IOCTL_I915,
	AN_IOCTL_AMDGPU,
	AN_IOCTL_XE,
	AN_IOCTL_VIRTGPU,
	AN_IOCTL_NOUVEAU,
	AN_IOCTL_NVIDIA,  /* /dev/nvidia0 … and /dev/nvidiactl */
	AN_IOCTL_UVM,     /* /dev/nvidia-uvm */
};

/* By the path of the file, empty: not known; and, of a DRM device, the name of
 * its driver, which may be NULL. */
enum an_ioctl_space an_ioctl_space_of(struct span path, const char *driver);

/* The space of a DRM driver's name, or of its tracepoints' system;
 * AN_IOCTL_DRM: none that is known here. */
enum an_ioctl_space an_ioctl_driver(const char *name);

/* Appends "DRM_IOCTL_MODE_PAGE_FLIP"; a number without a name as the macro that
 * makes it: "_IOWR('f', 0x02, 16)". */
void an_ioctl_put(struct buf *to, enum an_ioctl_space space, uint32_t cmd);

#endif
