#include "record/counter/nvml/find.h"

#include "format/base/mem.h"
#include "record/perf/sysfs.h"
#include "record/proc/folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/pci/devices"
#define NVIDIA "0x10de"
#define DISPLAY "0x03" /* class of VGA, 3D and other display controllers */

static bool is_gpu(const char *root, const char *address)
{
	char text[32];

	return rec_sysfs_line(text, sizeof(text), root, DEVICES "/%s/vendor",
			      address) &&
	       !strcmp(text, NVIDIA) &&
	       rec_sysfs_line(text, sizeof(text), root, DEVICES "/%s/class",
			      address) &&
	       !strncmp(text, DISPLAY, strlen(DISPLAY));
}

/* Leaves only those of NVIDIA. 1: /sys does not tell. */
static int read_addresses(struct rec_folder *f, const char *root,
			  struct err *err)
{
	char path[PATH_MAX];
	size_t n = 0;
	int rc;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	rc = rec_folder_read(f, path, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < f->n; i++)
		if (is_gpu(root, f->names[i])) {
			char *name = f->names[n];

			f->names[n++] = f->names[i];
			f->names[i] = name;
		}
	while (f->n > n)
		free(f->names[--f->n]);
	return 0;
}

static bool any_sleeps(const struct rec_folder *f, const char *root)
{
	for (size_t i = 0; i < f->n; i++)
		if (rec_nvml_is_asleep(root, f->names[i]))
			return true;
	return false;
}

/* Each by its own name: what is said of a name is said once. */
static void miss_gpu(struct rec_readings *to, const char *gpu, int code)
{
	char name[64];

	snprintf(name, sizeof(name), "nvml.%s", gpu);
	rec_readings_miss(to, name, rec_nvml_text(code));
}

/* A GPU that does not answer is said, and leaves the others alone. */
static int add(struct rec_nvml_units *to, const struct rec_nvml_gpu *like,
	       struct nvml_device *device, const char *address, struct err *err)
{
	struct rec_nvml_unit *u;
	int code;

	if (!mem_grow(&to->all, &to->cap, to->n + 1, sizeof(*to->all)))
		return err_nomem(err);
	u = &to->all[to->n];
	*u = (struct rec_nvml_unit){ .gpu = *like };
	u->gpu.device = device;
	snprintf(u->gpu.address, sizeof(u->gpu.address), "%s", address);
	code = rec_nvml_unit_begin(u);
	if (code == NVML_OK)
		to->n++;
	else
		miss_gpu(like->to, address, code);
	return 0;
}

static int by_address(struct rec_nvml_units *to,
		      const struct rec_nvml_gpu *like,
		      const struct rec_folder *f, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->n && i < REC_NVML_MAX_GPUS && !rc; i++)
		rc = add(to, like, NULL, f->names[i], err);
	return rc;
}

static int by_index(struct rec_nvml_units *to, const struct rec_nvml *lib,
		    const struct rec_nvml_gpu *like, struct err *err)
{
	unsigned n = 0;
	int code = lib->count(&n), rc = 0;

	if (code != NVML_OK) {
		err_set(err, ERR_UNSUPPORTED, "NVML counts no GPUs: %s",
			rec_nvml_text(code));
		return 1;
	}
	for (unsigned i = 0; i < n && i < REC_NVML_MAX_GPUS && !rc; i++) {
		struct nvml_device *device = NULL;
		char number[24];

		/* It is known by its number until its address is, and where
		 * it has none (Tegra). */
		snprintf(number, sizeof(number), "gpu%u", i);
		code = lib->by_index(i, &device);
		if (code == NVML_OK && device)
			rc = add(to, like, device, number, err);
		else
			miss_gpu(like->to, number, code);
	}
	if (n > REC_NVML_MAX_GPUS)
		rec_readings_miss(like->to, "nvml.gpus",
				  "more than 64: only the first are read");
	return rc;
}

int rec_nvml_find(struct rec_nvml_units *to, struct rec_nvml *lib,
		  const struct rec_nvml_gpu *like, struct err *err)
{
	struct rec_folder f = { .n = 0 };
	bool attach;
	int rc = read_addresses(&f, like->root, err);

	if (rc < 0)
		goto out;
	attach = !any_sleeps(&f, like->root);
	rc = rec_nvml_start(lib, attach, err);
	if (!rc)
		rc = attach ? by_index(to, lib, like, err) :
			      by_address(to, like, &f, err);
	if (!rc && !to->n) {
		err_set(err, ERR_UNSUPPORTED, "NVML: no GPU");
		rc = 1;
	}
	for (size_t i = 0; i < to->n; i++)
		to->all[i].gpu.n = to->n;
out:
	rec_folder_fini(&f);
	return rc;
}

void rec_nvml_units_fini(struct rec_nvml_units *u)
{
	for (size_t i = 0; i < u->n; i++)
		rec_nvml_unit_fini(&u->all[i]);
	free(u->all);
	*u = (struct rec_nvml_units){ .n = 0 };
}
