/* The source of readings "devices": what the drivers of GPUs tell in /sys of a
 * whole device. Cards that come later than it is opened are not seen.
 *
 * Most of these files wake a card that sleeps: of one that does nothing is read
 * but that it sleeps. One that is awake stays so while it is read more often than
 * it takes to fall asleep, some seconds. */
#include "record/counter/source.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/counter/device/file.h"
#include "record/counter/drm.h"
#include "record/counter/device/gpu_metrics.h"
#include "record/perf/sysfs.h"
#include "record/proc/folder.h"
#include "record/proc/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file {
	const struct rec_device_row *row;
	int fd;               /* -1: it is over */
	uint32_t series;      /* of metrics: none */
	bool had;             /* it was read once */
	char label[REC_DEVICE_LABEL_MAX];
};

struct card {
	char name[16];        /* "card0" */
	char device[REC_DRM_NAME];
	int status;           /* power/runtime_status; -1: there is none */
	uint32_t suspended;   /* series */
	struct file *files;
	size_t n, cap;
	uint32_t metrics[REC_GM_N]; /* series + 1 */
	struct told {
		const char *name;
		char part[REC_DEVICE_PART];
	} *told;              /* by a file */
	size_t n_told, told_cap;
};

struct devices {
	const char *root;
	struct card *cards;
	size_t n, cap;
	uint8_t text[REC_SYSFS_MAX + 1];
};

static void close_card(struct card *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].fd >= 0)
			close(c->files[i].fd);
	if (c->status >= 0)
		close(c->status);
	free(c->files);
	free(c->told);
}

static void close_all(void *state)
{
	struct devices *d = state;

	for (size_t i = 0; i < d->n; i++)
		close_card(&d->cards[i]);
	free(d->cards);
	free(d);
}

static void miss(struct rec_readings *to, const struct card *c,
		 const char *what, const char *why)
{
	char name[REC_DRM_NAME + REC_DEVICE_LABEL_MAX + 16];

	snprintf(name, sizeof(name), "devices/%s/%s", c->device, what);
	rec_readings_miss(to, name, why);
}

static bool is_told(const struct card *c, const char *name, const char *part)
{
	for (size_t i = 0; i < c->n_told; i++)
		if (!strcmp(c->told[i].name, name) &&
		    !strcmp(c->told[i].part, part))
			return true;
	return false;
}

static int tell(struct card *c, const char *name, const char *part,
		struct err *err)
{
	struct told *t;

	if (!mem_grow(&c->told, &c->told_cap, c->n_told + 1, sizeof(*c->told)))
		return err_nomem(err);
	t = &c->told[c->n_told++];
	t->name = name;
	snprintf(t->part, sizeof(t->part), "%s", part);
	return 0;
}

static uint32_t series_of(struct rec_readings *to, const struct card *c,
			  const struct rec_series *what, const char *label)
{
	struct rec_series s = *what;

	s.source = TF_SERIES_SYSFS;
	s.device = c->device;
	s.label = label;
	return rec_readings_series(to, &s);
}

static int open_file(struct card *c, const struct rec_device_row *row,
		     const char *path, const char *label,
		     struct rec_readings *to, struct err *err)
{
	struct file f = { .row = row, .series = UINT32_MAX };
	char part[REC_DEVICE_PART];

	if (!rec_device_part(part, row, path) ||
	    (row->name && is_told(c, row->name, part)))
		return 0;
	if (row->name && tell(c, row->name, part, err))
		return ERR_NOMEM;
	f.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f.fd < 0) {
		miss(to, c, label, strerror(errno));
		return 0;
	}
	if (!mem_grow(&c->files, &c->cap, c->n + 1, sizeof(*c->files))) {
		close(f.fd);
		return err_nomem(err);
	}
	snprintf(f.label, sizeof(f.label), "%s", label);
	if (row->name)
		f.series = series_of(to, c, &(struct rec_series){
			.name = row->name, .part = part, .unit = row->unit,
			.kind = row->kind, .scale = row->scale }, label);
	c->files[c->n++] = f;
	return 0;
}

/* What is below the device rather than below the card has no folder of its own in
 * the label. */
static const char *label_of(const char *path, size_t folder_size)
{
	const char *label = path + folder_size;

	return strncmp(label, "device/", 7) ? label : label + 7;
}

static int open_row(struct card *c, const char *folder,
		    const struct rec_device_row *row, struct rec_readings *to,
		    struct err *err)
{
	char pattern[PATH_MAX];
	glob_t g = { 0 };
	int rc = 0, found;

	if (snprintf(pattern, sizeof(pattern), "%s%s", folder, row->path) >=
	    (int)sizeof(pattern))
		return 0;
	found = glob(pattern, 0, NULL, &g);
	if (found == GLOB_NOSPACE)
		rc = err_nomem(err);
	for (size_t i = 0; !found && !rc && i < g.gl_pathc; i++)
		rc = open_file(c, row, g.gl_pathv[i],
			       label_of(g.gl_pathv[i], strlen(folder)), to,
			       err);
	globfree(&g);
	return rc;
}

static int open_card(struct card *c, const char *root, const char *name,
		     struct rec_readings *to, struct err *err)
{
	char folder[PATH_MAX - 64], path[PATH_MAX];
	int rc = 0;

	*c = (struct card){ .status = -1 };
	snprintf(c->name, sizeof(c->name), "%s", name);
	rec_drm_device(c->device, root, name);
	if (snprintf(folder, sizeof(folder), "%s/sys/class/drm/%s/", root,
		     name) >= (int)sizeof(folder))
		return err_set(err, ERR_LIMIT, "'%s…': path too long", root);
	snprintf(path, sizeof(path), "%sdevice/power/runtime_status", folder);
	c->status = open(path, O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < rec_n_device_rows && !rc; i++)
		rc = open_row(c, folder, &rec_device_rows[i], to, err);
	c->suspended = UINT32_MAX;
	if (!rc && c->n && c->status >= 0)
		c->suspended = series_of(to, c, &(struct rec_series){
			.name = "suspended", .kind = TF_SERIES_LEVEL },
			"power/runtime_status");
	if (rc)
		close_card(c);
	return rc;
}

static int open_cards(struct devices *d, struct rec_readings *to,
		      struct err *err)
{
	char path[PATH_MAX];
	struct rec_folder f;
	struct card c;
	int rc;

	snprintf(path, sizeof(path), "%s/sys/class/drm", d->root);
	rc = rec_folder_read(&f, path, err);
	for (size_t i = 0; rc == 0 && i < f.n; i++) {
		if (!rec_drm_is_card(f.names[i]))
			continue;
		rc = open_card(&c, d->root, f.names[i], to, err);
		if (rc)
			break;
		if (c.n && mem_grow(&d->cards, &d->cap, d->n + 1,
				    sizeof(*d->cards))) {
			d->cards[d->n++] = c;
			continue;
		}
		rc = c.n ? err_nomem(err) : 0;
		close_card(&c);
	}
	rec_folder_fini(&f);
	return rc < 0 ? rc : 0;
}

static int open_all(void **state, const struct rec_counter_opening *how,
		    struct rec_readings *to, struct err *err)
{
	struct devices *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return err_nomem(err);
	d->root = how->root;
	rc = open_cards(d, to, err);
	if (!rc && !d->n) {
		err_set(err, ERR_UNSUPPORTED, "no card in /sys/class/drm "
			"tells of its clocks, memory or power");
		rc = 1;
	}
	if (rc)
		close_all(d);
	else
		*state = d;
	return rc;
}

/* sysfs makes the text anew for whoever reads it from its beginning. Negative:
 * errno. */
static int read_text(struct devices *d, int fd, struct span *text)
{
	ssize_t n;

	do {
		n = pread(fd, d->text, sizeof(d->text), 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*text = span_of(d->text, (size_t)n);
	return 0;
}

/* Neither can one be woken that never sleeps. */
static bool is_awake(struct devices *d, struct rec_readings *to, struct card *c)
{
	struct rec_reading r = { .time_ns = time_now_ns(CLOCK_MONOTONIC) };
	struct span text, word;
	bool awake = true;
	int rc;

	if (c->status < 0)
		return true;
	rc = read_text(d, c->status, &text);
	if (rc == -ENODEV) {
		r.state = TF_COUNTER_GONE;
		close(c->status);
		c->status = -1;
	} else if (rc || !rec_word(&text, &word)) {
		r.state = TF_COUNTER_FAILED;
	} else {
		awake = span_is(word, "active") || span_is(word, "unsupported");
		r.value = !awake;
	}
	rec_readings_add(to, c->suspended, &r);
	return awake;
}

/* Of what cannot be had here a fact says why. */
static enum tf_counter_state state_of(struct rec_readings *to,
				      const struct card *c, struct file *f,
				      int error)
{
	bool never = error == EOPNOTSUPP || error == EPERM || error == EACCES;

	if (never && !f->had) {
		miss(to, c, f->label, strerror(error));
		return TF_COUNTER_NONE;
	}
	return error == ENODEV || error == ENOENT ? TF_COUNTER_GONE :
						    TF_COUNTER_FAILED;
}

static void fail(struct rec_readings *to, const struct card *c, struct file *f,
		 struct rec_reading *r, int error)
{
	r->state = state_of(to, c, f, error);
	for (size_t i = 0; !f->row->name && i < REC_GM_N; i++)
		if (c->metrics[i])
			rec_readings_add(to, c->metrics[i] - 1, r);
	if (f->row->name)
		rec_readings_add(to, f->series, r);
	if (r->state == TF_COUNTER_FAILED)
		return;
	close(f->fd);
	f->fd = -1;
}

/* false: another file tells it. */
static bool metric_series(struct rec_readings *to, struct card *c,
			  const struct rec_gpu_metrics *m, size_t i)
{
	const struct rec_gpu_metric_info *info = &rec_gpu_metric_infos[i];

	if (c->metrics[i])
		return true;
	if (is_told(c, info->name, info->part))
		return false;
	c->metrics[i] = 1 + series_of(to, c, &(struct rec_series){
		.name = info->name, .part = info->part, .unit = info->unit,
		.kind = info->kind, .scale = m->scales[i] }, "gpu_metrics");
	return true;
}

/* A revision does not change: one that is not known is not asked for again. */
static void take_metrics(struct rec_readings *to, struct card *c,
			 struct file *f, struct rec_reading r, struct span text)
{
	struct rec_gpu_metrics m;
	struct err err = { 0 };

	if (rec_gpu_metrics_decode(&m, text, &err)) {
		miss(to, c, f->label, err.text);
		close(f->fd);
		f->fd = -1;
		return;
	}
	for (size_t i = 0; i < REC_GM_N; i++) {
		if (!(m.has & 1u << i) || !metric_series(to, c, &m, i))
			continue;
		r.value = m.values[i];
		rec_readings_add(to, c->metrics[i] - 1, &r);
	}
}

static void read_file(struct devices *d, struct rec_readings *to,
		      struct card *c, struct file *f)
{
	uint64_t begin = time_now_ns(CLOCK_MONOTONIC);
	struct span text = { 0 };
	int rc = read_text(d, f->fd, &text);
	struct rec_reading r =
		rec_reading_between(begin, time_now_ns(CLOCK_MONOTONIC), 0);

	if (rc)
		fail(to, c, f, &r, -rc);
	else if (f->row->form == REC_DEVICE_METRICS)
		take_metrics(to, c, f, r, text);
	else if (!rec_device_value(&r.value, f->row->form, text))
		fail(to, c, f, &r, EINVAL);
	else
		rec_readings_add(to, f->series, &r);
	f->had |= !rc;
}

static void read_card(struct devices *d, struct rec_readings *to,
		      struct card *c)
{
	if (!is_awake(d, to, c))
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].fd >= 0)
			read_file(d, to, c, &c->files[i]);
}

static void read_all(void *state, struct rec_readings *to)
{
	struct devices *d = state;

	for (size_t i = 0; i < d->n; i++)
		read_card(d, to, &d->cards[i]);
}

const struct rec_counter_source rec_counter_devices = {
	.name = "devices",
	.open = open_all,
	.read = read_all,
	.close = close_all,
};
