#include "record/counter/nvml/unit.h"

#include "format/base/time.h"
#include "record/perf/sysfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool status(char to[32], const char *root, const char *address)
{
	return rec_sysfs_line(to, 32, root,
			      "/sys/bus/pci/devices/%s/power/runtime_status",
			      address);
}

/* "suspending" is as good as asleep, "resuming" as awake. */
static bool is_sleep(const char *text)
{
	return !strncmp(text, "suspend", 7);
}

bool rec_nvml_is_asleep(const char *root, const char *address)
{
	char text[32];

	return status(text, root, address) && is_sleep(text);
}

/* "00000000:03:00.0" has more digits than /sys; only the last one is nowhere
 * else. */
static void set_address(struct rec_nvml_gpu *g, struct nvml_pci *p)
{
	const char *dot;

	p->address[sizeof(p->address) - 1] = 0;
	dot = strrchr(p->address, '.');
	snprintf(g->address, sizeof(g->address), "%04x:%02x:%02x.%c",
		 p->domain, p->bus & 0xff, p->device & 0x1f,
		 dot && dot[1] >= '0' && dot[1] <= '7' ? dot[1] : '0');
}

static void set_name(struct rec_nvml_gpu *g)
{
	rec_nvml_name(g->lib, g->device, g->name);
}

static int attach(struct rec_nvml_gpu *g)
{
	if (g->device || rec_nvml_is_asleep(g->root, g->address))
		return NVML_OK;
	if (!g->lib->by_address)
		return NVML_FUNCTION_NOT_FOUND;
	return g->lib->by_address(g->address, &g->device);
}

int rec_nvml_unit_begin(struct rec_nvml_unit *u)
{
	struct rec_nvml_gpu *g = &u->gpu;
	struct nvml_pci pci;
	int code;

	if (!g->device) {
		code = attach(g);
		set_name(g);
		return code;
	}
	memset(&pci, 0, sizeof(pci));
	code = g->lib->pci(g->device, &pci);
	if (code == NVML_OK)
		set_address(g, &pci);
	else if (code != NVML_NOT_SUPPORTED || !*g->address)
		return code;
	set_name(g);
	return NVML_OK;
}

static void end(struct rec_nvml_unit *u)
{
	struct rec_nvml_gpu *g = &u->gpu;

	if (u->ended)
		return;
	u->ended = true;
	rec_nvml_metrics_end(&u->metrics, g);
	rec_nvml_gpm_end(&u->gpm, g);
	rec_nvml_processes_end(&u->processes, g);
	rec_nvml_samples_end(&u->samples, g);
	rec_nvml_mig_end(&u->mig);
	rec_nvml_end(g, &u->suspended);
	rec_nvml_end(g, &u->xid);
	rec_nvml_miss(g, "gpu", "", "it was lost while recording");
}

/* true: it sleeps. Where /sys does not tell, it is awake. */
static bool read_suspended(struct rec_nvml_unit *u)
{
	const struct rec_series s = { .name = "suspended", .unit = "",
				      .kind = TF_SERIES_LEVEL, .scale = 1 };
	uint64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	struct rec_reading r;
	char text[32];

	if (!status(text, u->gpu.root, u->gpu.address))
		return false;
	r = rec_nvml_since(begin_ns, is_sleep(text));
	rec_nvml_take(&u->gpu, &u->suspended, &s, NVML_OK, &r);
	return r.value;
}

/* It may have woken up since. */
static bool is_ready(struct rec_nvml_unit *u)
{
	int code;

	if (u->gpu.device)
		return true;
	code = rec_nvml_unit_begin(u);
	if (code == NVML_GPU_IS_LOST)
		u->gpu.lost = true;
	else if (code != NVML_OK)
		rec_nvml_miss(&u->gpu, "gpu", "", rec_nvml_text(code));
	return code == NVML_OK && u->gpu.device;
}

void rec_nvml_unit_read(struct rec_nvml_unit *u)
{
	struct rec_nvml_gpu *g = &u->gpu;

	if (u->ended)
		return;
	if (read_suspended(u)) {
		rec_nvml_gpm_skip(&u->gpm);
		rec_nvml_mig_skip(&u->mig);
		return;
	}
	if (is_ready(u))
		rec_nvml_mig_find(&u->mig, g);
	if (g->device && !g->lost)
		rec_nvml_gpm_read(&u->gpm, g);
	if (g->device && !g->lost)
		rec_nvml_metrics_read(&u->metrics, g, u->gpm.on);
	if (g->device && !g->lost)
		rec_nvml_samples_read(&u->samples, g);
	if (g->device && !g->lost)
		rec_nvml_processes_read(&u->processes, g);
	if (g->device && !g->lost)
		rec_nvml_mig_read(&u->mig, u->gpm.has);
	if (g->lost)
		end(u);
}

void rec_nvml_unit_xid(struct rec_nvml_unit *u, uint64_t xid)
{
	rec_nvml_xid(&u->gpu, &u->xid, xid);
}

void rec_nvml_unit_fini(struct rec_nvml_unit *u)
{
	rec_nvml_mig_fini(&u->mig);
	rec_nvml_gpm_fini(&u->gpm, u->gpu.lib);
	rec_nvml_processes_fini(&u->processes);
	rec_nvml_samples_fini(&u->samples);
}
