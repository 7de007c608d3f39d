#include "record/counter/fdinfo/clients.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/perf/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest text of today's drivers has some 2 KiB. */
#define TEXT_MAX ((size_t)64 * 1024)
/* To open it takes half of the time of a reading, but the recorder needs its
 * descriptors for events, too. */
#define FILES_MAX 256u

int rec_drm_clients_open(struct rec_drm_clients *c, const char *root,
			 struct rec_readings *to, struct err *err)
{
	char path[PATH_MAX];

	*c = (struct rec_drm_clients){ .root = root, .to = to, .proc = -1 };
	buf_init(&c->text, TEXT_MAX);
	snprintf(path, sizeof(path), "%s/proc", root);
	c->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return c->proc < 0 ? err_sys(err, errno, "cannot open '%s'", path) : 0;
}

static void close_place(struct rec_drm_clients *c, struct rec_drm_place *p)
{
	if (p->file >= 0) {
		close(p->file);
		c->n_files--;
	}
	*p = (struct rec_drm_place){ .file = -1 };
}

static void forget(struct rec_drm_clients *c, struct rec_drm_client *k)
{
	close_place(c, &k->at);
	close_place(c, &k->spare);
	free(k->series);
}

void rec_drm_clients_close(struct rec_drm_clients *c)
{
	for (size_t i = 0; i < c->n; i++)
		forget(c, &c->items[i]);
	free(c->items);
	free(c->greatest);
	intern_fini(&c->devices);
	intern_fini(&c->parts);
	buf_fini(&c->text);
	if (c->proc >= 0)
		close(c->proc);
	*c = (struct rec_drm_clients){ .proc = -1 };
}

/* fdinfo is made anew for whoever reads it from its beginning, in one piece where
 * there is room for it. */
static bool read_text(struct buf *to, int file)
{
	uint8_t *at;
	ssize_t n;

	buf_clear(to);
	at = buf_room(to, TEXT_MAX);
	if (!at)
		return false;
	do {
		n = pread(file, at, TEXT_MAX, 0);
	} while (n < 0 && errno == EINTR);
	if (n <= 0 || (size_t)n == TEXT_MAX)
		return false;
	to->n = (size_t)n;
	return true;
}

/* What is in c->info afterwards is of this file at this moment. */
static bool read_place(struct rec_drm_clients *c, struct rec_drm_place *p)
{
	char path[64];
	bool kept = p->file >= 0, ok;

	if (!kept) {
		snprintf(path, sizeof(path), "%d/fdinfo/%d", (int)p->pid,
			 p->fd);
		p->file = openat(c->proc, path, O_RDONLY | O_CLOEXEC);
		if (p->file < 0)
			return false;
		c->n_files++;
	}
	ok = read_text(&c->text, p->file);
	if (!ok || c->n_files > FILES_MAX) {
		close(p->file);
		p->file = -1;
		c->n_files--;
	}
	if (ok)
		rec_fdinfo_parse(&c->info, span_of(c->text.p, c->text.n));
	return ok;
}

static void text_of(char *to, size_t size, struct span s)
{
	snprintf(to, size, "%.*s", (int)s.n, s.n ? (const char *)s.p : "");
}

static bool device_of(struct rec_drm_clients *c, const char *node, uint32_t *to)
{
	char name[REC_DRM_NAME];

	if (c->info.pdev.n)
		text_of(name, sizeof(name), c->info.pdev);
	else
		rec_drm_device(name, c->root, node);
	return intern_put(&c->devices, name, strlen(name), to, NULL);
}

static void miss(struct rec_drm_clients *c, const char *node, const char *why)
{
	char name[REC_DRM_NAME], full[2 * REC_DRM_NAME];

	text_of(name, sizeof(name), c->info.driver);
	snprintf(full, sizeof(full), "fdinfo/%s", *name ? name : node);
	rec_readings_miss(c->to, full, why);
}

/* "Xorg", or "chrome: tab 5" where the client has a name of its own. */
static void label_of(char to[REC_DRM_LABEL], struct rec_drm_clients *c,
		     pid_t pid)
{
	char comm[32], name[REC_FDINFO_WORD + 1];

	if (!rec_sysfs_line(comm, sizeof(comm), c->root, "/proc/%d/comm",
			    (int)pid))
		*comm = 0;
	text_of(name, sizeof(name), c->info.name);
	snprintf(to, REC_DRM_LABEL, "%s%s%s", comm, *comm && *name ? ": " : "",
		 name);
}

static struct rec_drm_client *find(struct rec_drm_clients *c, uint32_t device,
				   uint64_t id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].id == id && c->items[i].device == device)
			return &c->items[i];
	return NULL;
}

/* Numbers of clients rise: one above all that were known had not been there. */
static bool is_latest(struct rec_drm_clients *c, uint32_t device, uint64_t id)
{
	size_t known = c->greatest_cap;
	bool latest;

	if (!mem_grow(&c->greatest, &c->greatest_cap, (size_t)device + 1,
		      sizeof(*c->greatest)))
		return false;
	if (c->greatest_cap > known)
		memset(c->greatest + known, 0,
		       (c->greatest_cap - known) * sizeof(*c->greatest));
	latest = id > c->greatest[device];
	if (latest)
		c->greatest[device] = id;
	return latest;
}

static void begin(struct rec_drm_clients *c, uint32_t device,
		  const struct rec_drm_place *at)
{
	struct rec_drm_client k = {
		.device = device, .id = c->info.client, .pid = at->pid,
		.at = *at, .spare.file = -1,
	};

	if (is_latest(c, device, k.id))
		k.none_ns = c->watched_ns;
	label_of(k.label, c, at->pid);
	c->items[c->n++] = k;
}

static bool is_place(const struct rec_drm_place *p, pid_t pid, int fd)
{
	return p->pid == pid && p->fd == fd;
}

/* Another process as the second one rather than another file of the first. */
static void place_again(struct rec_drm_clients *c, struct rec_drm_client *k,
			struct rec_drm_place *p)
{
	if (k->lost) {
		k->at = *p;
		k->lost = false;
		return;
	}
	if (k->spare.pid == 0 || k->spare.pid == k->at.pid) {
		close_place(c, &k->spare);
		k->spare.pid = p->pid;
		k->spare.fd = p->fd;
	}
	close_place(c, p);
}

/* As a place of a client that was there, or as a new one. */
static void place(struct rec_drm_clients *c, struct rec_drm_place *p,
		  const char *node)
{
	bool full = c->n == REC_DRM_CLIENTS;
	struct rec_drm_client *k = NULL;
	uint32_t device;
	bool ok = device_of(c, node, &device);

	if (ok)
		k = find(c, device, c->info.client);
	if (k) {
		place_again(c, k, p);
	} else if (ok && !full && mem_grow(&c->items, &c->cap, c->n + 1,
					   sizeof(*c->items))) {
		begin(c, device, p);
	} else {
		rec_readings_miss(c->to, "fdinfo/clients",
				  full ? "there are more than 4096" :
					 "there is no memory for some");
		close_place(c, p);
	}
}

static bool is_its_file(struct rec_drm_clients *c,
			const struct rec_drm_client *k)
{
	struct span device = intern_get(&c->devices, k->device);

	return c->info.has_client && c->info.client == k->id &&
	       (!c->info.pdev.n ||
		(c->info.pdev.n == device.n &&
		 !memcmp(c->info.pdev.p, device.p, device.n)));
}

/* The place of a client that it still is: a number may be of another file by
 * now. What is in c->info afterwards is of nobody in particular. */
static bool is_known(struct rec_drm_clients *c, pid_t pid, int fd)
{
	for (size_t i = 0; i < c->n; i++) {
		struct rec_drm_client *k = &c->items[i];
		struct rec_drm_place *p =
			is_place(&k->at, pid, fd) ? &k->at : &k->spare;

		if (!k->lost && is_place(p, pid, fd) && read_place(c, p) &&
		    is_its_file(c, k))
			return true;
	}
	return false;
}

/* Who had the place before is lost when it is read. */
void rec_drm_clients_see(struct rec_drm_clients *c, pid_t pid, int fd,
			 const char *node)
{
	struct rec_drm_place p = { pid, fd, -1 };

	if (is_known(c, pid, fd) || !read_place(c, &p))
		return;
	if (!c->info.has_client)
		miss(c, node, "its driver does not tell which client a file "
			      "is");
	else if (!c->info.n)
		miss(c, node, "its driver tells nothing of engines or memory");
	if (c->info.has_client && c->info.n)
		place(c, &p, node);
	else
		close_place(c, &p);
}

static uint32_t new_series(struct rec_drm_clients *c,
			   const struct rec_drm_client *k,
			   const struct rec_fdinfo_value *v, uint32_t part)
{
	const struct rec_series s = {
		.name = rec_fdinfo_series_name(v->kind),
		.unit = rec_fdinfo_unit(v->kind),
		.kind = rec_fdinfo_series_kind(v->kind),
		.source = TF_SERIES_FDINFO,
		.pid = (uint32_t)k->pid,
		.device = (const char *)intern_get(&c->devices, k->device).p,
		.part = (const char *)intern_get(&c->parts, part).p,
		.client = k->id,
		.capacity = rec_fdinfo_capacity(&c->info, v->part),
		.label = k->label,
	};

	return rec_readings_series(c->to, &s);
}

/* Cycles beside the engine's own count of them are worth nothing without it. */
static bool began_with_0(const struct rec_drm_clients *c,
			 const struct rec_fdinfo_value *v)
{
	return v->kind == REC_FDINFO_ENGINE ||
	       (v->kind == REC_FDINFO_CYCLES &&
		!rec_fdinfo_has(&c->info, REC_FDINFO_TOTAL_CYCLES, v->part));
}

static uint32_t begin_series(struct rec_drm_clients *c,
			     struct rec_drm_client *k,
			     const struct rec_fdinfo_value *v)
{
	struct rec_drm_client_series s = { .kind = v->kind };

	if (k->n == REC_FDINFO_VALUES ||
	    !intern_put(&c->parts, v->part.p, v->part.n, &s.part, NULL) ||
	    !mem_grow(&k->series, &k->cap, k->n + 1, sizeof(*k->series)))
		return UINT32_MAX;
	s.series = new_series(c, k, v, s.part);
	k->series[k->n++] = s;
	if (k->none_ns && began_with_0(c, v))
		rec_readings_add(c->to, s.series,
				 &(struct rec_reading){ .time_ns = k->none_ns });
	return s.series;
}

static bool is_series(const struct rec_drm_clients *c,
		      const struct rec_drm_client_series *s,
		      const struct rec_fdinfo_value *v)
{
	struct span part = intern_get(&c->parts, s->part);

	return s->kind == v->kind && part.n == v->part.n &&
	       !memcmp(part.p, v->part.p, part.n);
}

/* Drivers tell the same things in the same order each time: `hint` is where the
 * next one is. */
static uint32_t series_of(struct rec_drm_clients *c, struct rec_drm_client *k,
			  const struct rec_fdinfo_value *v, size_t *hint)
{
	for (size_t i = 0; i < k->n; i++) {
		size_t at = (*hint + i) % k->n;

		if (is_series(c, &k->series[at], v)) {
			*hint = at + 1;
			return k->series[at].series;
		}
	}
	return begin_series(c, k, v);
}

static void add_rows(struct rec_drm_clients *c, struct rec_drm_client *k,
		     uint64_t begin_ns, uint64_t end_ns)
{
	struct rec_reading r = rec_reading_between(begin_ns, end_ns, 0);
	size_t hint = 0;

	for (size_t i = 0; i < c->info.n; i++) {
		const struct rec_fdinfo_value *v = &c->info.values[i];

		r.value = v->value;
		rec_readings_add(c->to, series_of(c, k, v, &hint), &r);
	}
	/* What is not told by now is not used by now. */
	k->none_ns = r.time_ns;
	if (c->info.unread)
		miss(c, "drm", "some values make no sense, or are too many");
}

/* Where the first place has lost it the second is the first from now on. */
static void read_client(struct rec_drm_clients *c, struct rec_drm_client *k)
{
	uint64_t begin = time_now_ns(CLOCK_MONOTONIC);

	while (k->at.pid) {
		bool ok = read_place(c, &k->at);
		uint64_t end = time_now_ns(CLOCK_MONOTONIC);

		if (ok && is_its_file(c, k)) {
			add_rows(c, k, begin, end);
			return;
		}
		close_place(c, &k->at);
		k->at = k->spare;
		k->spare = (struct rec_drm_place){ .file = -1 };
		begin = end;
	}
	k->lost = true;
	k->lost_ns = begin;
}

void rec_drm_clients_read(struct rec_drm_clients *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->items[i].lost)
			read_client(c, &c->items[i]);
}

static void end(struct rec_drm_clients *c, struct rec_drm_client *k)
{
	const struct rec_reading gone = { .time_ns = k->lost_ns,
					  .state = TF_COUNTER_GONE };

	for (size_t i = 0; i < k->n; i++)
		rec_readings_add(c->to, k->series[i].series, &gone);
	forget(c, k);
}

void rec_drm_clients_settle(struct rec_drm_clients *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].lost)
			end(c, &c->items[i]);
		else
			c->items[kept++] = c->items[i];
	c->n = kept;
}
