#include "record/gpu/events.h"

#include "format/base/mem.h"
#include "record/gpu/nodes.h"
#include "record/gpu/sources.h"
#include "record/perf/event/kind.h"
#include "record/perf/filter.h"
#include "record/perf/tracefs.h"
#include "record/proc/folder.h"
#include "record/proc/process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An ioctl's type is bits 8 to 15 of its number: 'd' is of DRM, 'F' of NVIDIA's
 * driver and of frame buffers. The kernel's filters compare a whole field or
 * test for some bit, so each bit that is to be set is a test of its own. */
#define TYPE_OF_DRM                                                            \
	"(cmd & 0x4000 && cmd & 0x2000 && cmd & 0x400 && !(cmd & 0x9b00))"
#define TYPE_OF_NVIDIA                                                         \
	"(cmd & 0x4000 && cmd & 0x400 && cmd & 0x200 && !(cmd & 0xb900))"

struct adding {
	struct rec_events *to;
	struct rec_gpu_report *r;
	const char *root, *tracefs;
	bool all;            /* of the whole system */
	bool follow;         /* those who work with the GPU */
	struct err *err;
};

static struct rec_event *find(const struct rec_events *e, const char *system,
			      const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->items[i].tracepoint && !e->items[i].by_key &&
		    strcmp(e->items[i].system, system) == 0 &&
		    strcmp(e->items[i].tracepoint, name) == 0)
			return &e->items[i];
	return NULL;
}

/* *out is NULL where there is no such event. Each of them counts, whatever -F
 * says of others. */
static int add(struct adding *a, const char *system, const char *name,
	       struct rec_event **out)
{
	char text[2 * NAME_MAX + 2];
	uint64_t id;
	int rc;

	*out = NULL;
	if (!rec_tracefs_id(&id, a->root, a->tracefs, system, name))
		return 0;
	snprintf(text, sizeof(text), "%s:%s", system, name);
	rc = rec_events_add(a->to, text, a->err);
	if (rc < 0)
		return rc;
	*out = &a->to->items[a->to->n - 1];
	(*out)->fixed_rate = true;
	return rec_gpu_take(a->r, system, a->err);
}

static int add_source(struct adding *a, const struct rec_gpu_source *s)
{
	struct rec_event *e;
	struct rec_folder f;
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s%s/events/%s", a->root, a->tracefs,
		 s->system);
	rc = rec_folder_read(&f, path, a->err);
	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; i < f.n && !rc; i++) {
		if (!rec_gpu_matches(s->events, f.names[i]))
			continue;
		e = find(a->to, s->system, f.names[i]);
		if (e)
			rc = rec_gpu_take(a->r, s->system, a->err);
		else
			rc = add(a, s->system, f.names[i], &e);
		if (e) {
			e->gpu_caller = s->by_caller;
			if (e->chain == REC_CHAIN_DEFAULT && e->fixed_rate)
				e->chain = REC_CHAIN_FP;
		}
	}
	rec_folder_fini(&f);
	return rc;
}

static bool has_system(const struct adding *a, const char *system)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s/events/%s", a->root, a->tracefs,
		 system);
	return access(path, F_OK) == 0;
}

static bool has_module(const struct adding *a, const char *module)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/module/%s", a->root, module);
	return access(path, F_OK) == 0;
}

static int miss_commons(struct adding *a)
{
	int rc = 0;

	for (size_t i = 0; i < rec_n_gpu_commons && !rc; i++) {
		const struct rec_gpu_common *c = &rec_gpu_commons[i];

		if (!c->without || has_system(a, c->system))
			continue;
		rc = rec_gpu_miss(a->r, a->err, c->system, "%s",
				  c->module && has_module(a, c->module) ?
					  "it is loaded, without tracepoints" :
					  c->without);
	}
	return rc;
}

/* The driver of a card, by the link in sysfs; false: there is none. */
static bool driver_of(const struct adding *a, const char *card, char *to,
		      size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/sys/class/drm/%s/device/driver",
		 a->root, card);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = 0;
	name = strrchr(target, '/');
	snprintf(to, size, "%.*s", (int)size - 1, name ? name + 1 : target);
	return true;
}

static int miss_driver(struct adding *a, const char *driver)
{
	const char *system = rec_gpu_driver_system(driver);

	if (system && has_system(a, system))
		return 0;
	return rec_gpu_miss(a->r, a->err, driver,
			    system ? "this kernel's driver has no tracepoints" :
				     "the driver has no tracepoints of its own");
}

/* "card0", but not "card0-HDMI-A-1" nor "version". */
static bool is_card(const char *name)
{
	return strncmp(name, "card", 4) == 0 && !strchr(name, '-');
}

static int miss_drivers(struct adding *a)
{
	char path[PATH_MAX], driver[NAME_MAX + 1];
	struct rec_folder f;
	int rc;

	snprintf(path, sizeof(path), "%s/sys/class/drm", a->root);
	rc = rec_folder_read(&f, path, a->err);
	for (size_t i = 0; rc == 0 && i < f.n; i++)
		if (is_card(f.names[i]) &&
		    driver_of(a, f.names[i], driver, sizeof(driver)))
			rc = miss_driver(a, driver);
	rec_folder_fini(&f);
	if (rc >= 0 && has_module(a, "nvidia"))
		rc = miss_driver(a, "nvidia");
	return rc < 0 ? rc : 0;
}

/* Only kernels that are made for low-level tracing have them. */
static int miss_low_level(struct adding *a)
{
	if (!has_system(a, "i915") || find(a->to, "i915", "i915_request_in"))
		return 0;
	return rec_gpu_miss(a->r, a->err, "i915_request_in",
			    "the kernel is built without "
			    "CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS: when a "
			    "request begins to run is not told");
}

/* What the user asked for by -e is enough. */
static int add_beside(struct adding *a, const char *system, const char *name,
		      enum rec_event_follow follow, enum rec_event_chain chain,
		      struct rec_event **out)
{
	int rc;

	*out = NULL;
	if (find(a->to, system, name))
		return rec_gpu_take(a->r, system, a->err);
	rc = add(a, system, name, out);
	if (rc || !*out)
		return rc;
	(*out)->follow = a->follow ? follow : REC_FOLLOW_NO;
	(*out)->chain = chain;
	return 0;
}

static enum rec_event_chain chain_of(const struct adding *a)
{
	return a->follow || !a->all ? REC_CHAIN_FP : REC_CHAIN_DEFAULT;
}

/* Switches of all say who had a CPU and cost what they cost; their stacks, and
 * wake-ups, are for the threads that work with the GPU. */
static int add_sched(struct adding *a)
{
	struct rec_event *e;
	bool mine = !find(a->to, "sched", "sched_switch");
	int rc = add_beside(a, "sched", "sched_switch", REC_FOLLOW_OTHERS,
			    a->all ? REC_CHAIN_DEFAULT : REC_CHAIN_FP, &e);

	if (!rc && mine && e && a->follow) {
		rc = add(a, "sched", "sched_switch", &e);
		if (!rc && e) {
			e->follow = REC_FOLLOW_SWITCH;
			e->chain = REC_CHAIN_FP;
		}
	}
	if (!rc)
		rc = add_beside(a, "sched", "sched_waking", REC_FOLLOW_WAKING,
				chain_of(a), &e);
	if (!rc && !has_system(a, "sched"))
		rc = rec_gpu_miss(a->r, a->err, "sched",
				  "the kernel shows no events of its "
				  "scheduler");
	return rc;
}

static int add_calls(struct adding *a)
{
	struct rec_event *e;
	int rc;

	if (!rec_gpu_has_nodes(a->root))
		return rec_gpu_miss(a->r, a->err, "ioctl", "there is no device "
				    "of a GPU in /dev");
	if (!has_system(a, "syscalls"))
		return rec_gpu_miss(a->r, a->err, "ioctl", "the kernel is built "
				    "without CONFIG_FTRACE_SYSCALLS");
	rc = add_beside(a, "syscalls", "sys_enter_ioctl", REC_FOLLOW_CALL,
			REC_CHAIN_DEFAULT, &e);
	if (!rc && e) {
		e->gpu_caller = true;
		rc = rec_filter_add(&e->filter,
				    TYPE_OF_DRM " || " TYPE_OF_NVIDIA, a->err);
	}
	return rc ? rc : add_beside(a, "syscalls", "sys_exit_ioctl",
				    REC_FOLLOW_RETURN, REC_CHAIN_DEFAULT, &e);
}

static int add_all(struct adding *a)
{
	int rc = 0;

	for (size_t i = 0; i < rec_n_gpu_sources && !rc; i++)
		rc = add_source(a, &rec_gpu_sources[i]);
	if (!rc)
		rc = add_sched(a);
	if (!rc)
		rc = add_calls(a);
	if (!rc)
		rc = miss_commons(a);
	if (!rc)
		rc = miss_drivers(a);
	if (!rc)
		rc = miss_low_level(a);
	if (!rc && a->all && !a->follow)
		rc = rec_gpu_miss(a->r, a->err, "threads", "rec runs in a pid "
				  "namespace, so that filters cannot tell who "
				  "works with the GPU: their switches have no "
				  "stacks, and wake-ups and ioctls are of all");
	if (!rc && !a->all)
		rc = rec_gpu_miss(a->r, a->err, "others", "only what happens "
				  "in the recorded threads: not the interrupts "
				  "that signal their fences, nor who had the "
				  "CPU");
	return rc;
}

/* PROC_PID_INIT_INO: numbers in payloads are of that namespace. */
#define FIRST_PID_NS 0xeffffffcu

static bool is_first_ns(const char *root)
{
	uint64_t ns = rec_process_own_ns(root);

	return !ns || ns == FIRST_PID_NS;
}

int rec_gpu_events(struct rec_events *to, struct rec_gpu_report *r, bool all,
		   struct err *err)
{
	struct adding a = { .to = to, .r = r, .root = rec_events_root(to),
			    .all = all, .err = err };
	struct err why = { 0 };
	int rc = rec_tracefs(&a.tracefs, a.root, &why);

	r->asked = true;
	a.follow = all && is_first_ns(a.root);
	if (!rc)
		rc = add_all(&a);
	else if (to->n)
		rc = rec_gpu_miss(r, err, "tracepoints", "%s", why.text);
	else
		rc = err_set(err, rc, "%s", why.text);
	if (!rc && !to->n)
		rc = err_set(err, ERR_UNSUPPORTED, "option '--gpu': this "
			     "kernel has no tracepoints of it");
	return rc;
}

static int bad_alias(const char *text, struct err *err)
{
	return err_set(err, ERR_USAGE, "option '--alias': '%s' is not "
		       "SYSTEM:EVENT=SYSTEM:EVENT", text);
}

/* "system:event" in the n bytes at `text`, cut in two. */
static bool cut_name(const char *text, size_t n, char system[NAME_MAX + 1],
		     char event[NAME_MAX + 1])
{
	const char *colon = memchr(text, ':', n);
	size_t a, b;

	if (!colon)
		return false;
	a = (size_t)(colon - text);
	b = n - a - 1;
	if (!a || !b || a > NAME_MAX || b > NAME_MAX ||
	    memchr(colon + 1, ':', b))
		return false;
	snprintf(system, NAME_MAX + 1, "%.*s", (int)a, text);
	snprintf(event, NAME_MAX + 1, "%.*s", (int)b, colon + 1);
	return !strpbrk(system, "*?[, /") && !strpbrk(event, "*?[, /");
}

/* An event that -e named already stands for it, too. */
static int stand_for(struct rec_events *to, const char *system,
		     const char *event, const char *role, bool by_caller,
		     struct err *err)
{
	char text[2 * NAME_MAX + 2];
	struct rec_event *e = find(to, system, event);
	int rc;

	snprintf(text, sizeof(text), "%s:%s", system, event);
	if (!e) {
		rc = rec_events_add(to, text, err);
		if (rc < 0)
			return err_in(err, rc, "option '--alias'");
		e = &to->items[to->n - 1];
		e->fixed_rate = true;
		e->chain = REC_CHAIN_FP;
	}
	if (e->stands_for && strcmp(e->stands_for, role))
		return err_set(err, ERR_USAGE, "option '--alias': '%s' cannot "
			       "stand for '%s' and for '%s'", text,
			       e->stands_for, role);
	e->gpu_caller = by_caller;
	if (!e->stands_for)
		e->stands_for = strdup(role);
	return e->stands_for ? 0 : err_nomem(err);
}

int rec_gpu_alias(struct rec_events *to, const char *text, struct err *err)
{
	char system[NAME_MAX + 1], event[NAME_MAX + 1];
	char role_system[NAME_MAX + 1], role_event[NAME_MAX + 1];
	const char *equals = strchr(text, '=');
	bool by_caller;

	if (!equals || !cut_name(text, (size_t)(equals - text), system, event) ||
	    !cut_name(equals + 1, strlen(equals + 1), role_system, role_event))
		return bad_alias(text, err);
	if (!rec_gpu_knows(role_system, role_event, &by_caller))
		return err_set(err, ERR_USAGE, "option '--alias': nothing is "
			       "known of '%s' that '%s:%s' could stand for (it "
			       "must be a tracepoint of drm, dma_fence, "
			       "gpu_scheduler, sched, syscalls or a GPU's "
			       "driver)", equals + 1, system, event);
	return stand_for(to, system, event, equals + 1, by_caller, err);
}
