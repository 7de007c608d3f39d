/* The device files of GPUs, and who has them open. */
#ifndef RECORD_GPU_NODES_H
#define RECORD_GPU_NODES_H

#include "format/base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* By its path: /dev/dri/…, /dev/accel/…, /dev/nvidia… */
bool rec_gpu_is_node(const char *path);

/* The numbers of their drivers: those that are fixed, 226 of DRM, 261 of accel
 * and 195 of NVIDIA (Documentation/admin-guide/devices.txt), and those that
 * /proc/devices has of NVIDIA's others, such as nvidia-uvm. A node of such a
 * number is of a GPU under any name: containers have them elsewhere. */
#define REC_GPU_MAJORS 16
struct rec_gpu_majors { unsigned v[REC_GPU_MAJORS]; size_t n; };
void rec_gpu_majors_read(struct rec_gpu_majors *out, const char *root);
bool rec_gpu_has_major(const struct rec_gpu_majors *m, unsigned major);

/* Whether this machine has any. */
bool rec_gpu_has_nodes(const char *root);

typedef int rec_gpu_file_fn(void *ctx, pid_t pid, int fd, const char *path,
			    struct err *err);

/* Calls `each` for the GPU nodes that a process has open, or all processes
 * have, as far as this user may look, until it fails. */
int rec_gpu_files(const char *root, pid_t pid, rec_gpu_file_fn *each, void *ctx,
		  struct err *err);
int rec_gpu_all_files(const char *root, rec_gpu_file_fn *each, void *ctx,
		      struct err *err);

#endif
