#include "analyze/syscall/files.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the text if it comes next. */
static bool take(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool take_number(const char **at, uint64_t max, uint64_t *out)
{
	const char *begin = *at;
	uint64_t v = 0;

	while (**at >= '0' && **at <= '9') {
		if (ckd_mul(&v, v, (uint64_t)10) ||
		    ckd_add(&v, v, (uint64_t)(**at - '0')) || v > max)
			return false;
		++*at;
	}
	*out = v;
	return *at > begin;
}

/* "file.PID.FD", "file.PID.FD.SINCE", "gpu.file.PID.FD", and these of a merged
 * trace, "source.N." before. */
static bool parse(const char *key, struct an_file_sight *out)
{
	uint64_t source, pid, fd;

	*out = (struct an_file_sight){ 0 };
	if (take(&key, "source.")) {
		if (!take_number(&key, UINT32_MAX - 1, &source) ||
		    !take(&key, "."))
			return false;
		out->source = (uint32_t)source + 1;
	}
	(void)take(&key, "gpu.");
	if (!take(&key, "file.") || !take_number(&key, INT32_MAX, &pid) ||
	    !take(&key, ".") || !take_number(&key, INT32_MAX, &fd))
		return false;
	out->pid = (uint32_t)pid;
	out->fd = (uint32_t)fd;
	if (!*key)
		return true;
	return take(&key, ".") && take_number(&key, UINT64_MAX, &out->since) &&
	       !*key;
}

static int by_descriptor(const struct an_file_sight *x,
			 const struct an_file_sight *y)
{
	if (x->source != y->source)
		return CMP(x->source, y->source);
	return x->pid != y->pid ? CMP(x->pid, y->pid) : CMP(x->fd, y->fd);
}

static int by_time(const void *a, const void *b)
{
	const struct an_file_sight *x = a, *y = b;
	int d = by_descriptor(x, y);

	if (d)
		return d;
	return x->since != y->since ? CMP(x->since, y->since) :
				      CMP(x->order, y->order);
}

/* One driver whose events are there is that of all DRM devices. */
static enum an_ioctl_space driver_of_events(const struct an_trace *t)
{
	enum an_ioctl_space found = AN_IOCTL_DRM;

	for (uint32_t i = 0; i < an_n_tracepoints(t); i++) {
		enum an_ioctl_space d = an_ioctl_driver(
			an_text(t, an_tracepoint_of(t, i)->system));

		if (d == AN_IOCTL_DRM || d == found)
			continue;
		if (found != AN_IOCTL_DRM)
			return AN_IOCTL_DRM;
		found = d;
	}
	return found;
}

static const char *driver_fact(const struct an_trace *t, const char *path,
			       uint32_t source)
{
	char key[320];
	const char *driver = NULL;

	if (source) {
		snprintf(key, sizeof(key), "source.%" PRIu32 ".driver.%s",
			 source - 1, path);
		driver = an_fact(t, key);
	}
	snprintf(key, sizeof(key), "driver.%s", path);
	return driver ? driver : an_fact(t, key);
}

static enum an_ioctl_space space_of(const struct an_trace *t,
				    const struct an_file_sight *s,
				    enum an_ioctl_space driver)
{
	struct span path = an_string(t, s->target);
	enum an_ioctl_space space = an_ioctl_space_of(path, NULL);
	const char *name;

	if (space != AN_IOCTL_DRM)
		return space;
	name = driver_fact(t, an_text(t, s->target), s->source);
	return name ? an_ioctl_space_of(path, name) : driver;
}

static int learn(struct an_files *f, enum an_ioctl_space driver,
		 struct err *err)
{
	for (uint32_t i = 0; i < an_n_facts(f->t); i++) {
		const struct an_fact *fact = an_fact_of(f->t, i);
		struct an_file_sight s;

		if (!parse(an_text(f->t, fact->key), &s) || !fact->value)
			continue;
		if (!mem_grow(&f->v, &f->cap, f->n + 1, sizeof(*f->v)))
			return err_nomem(err);
		s.target = fact->value;
		s.order = i;
		s.space = space_of(f->t, &s, driver);
		f->v[f->n++] = s;
	}
	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), by_time);
	return 0;
}

int an_files_make(struct an_files *out, const struct an_trace *t,
		  struct err *err)
{
	*out = (struct an_files){ .t = t };
	return learn(out, driver_of_events(t), err);
}

void an_files_fini(struct an_files *f)
{
	free(f->v);
	*f = (struct an_files){ 0 };
}

/* The first sight of a descriptor; f->n: there is none. */
static size_t first_of(const struct an_files *f, const struct an_file_sight *s)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_descriptor(&f->v[mid], s) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->n && !by_descriptor(&f->v[low], s) ? low : f->n;
}

/* What all sources of a merged trace have in common is told of none. */
const struct an_file_sight *an_files_find(const struct an_files *f,
					  uint32_t source, int32_t pid,
					  int32_t fd, uint64_t time,
					  bool *doubt)
{
	struct an_file_sight s = { .source = source, .pid = (uint32_t)pid,
				   .fd = (uint32_t)fd };
	const struct an_file_sight *found;
	size_t at;

	*doubt = false;
	if (pid < 0 || fd < 0)
		return NULL;
	at = first_of(f, &s);
	if (at == f->n && source) {
		s.source = 0;
		at = first_of(f, &s);
	}
	if (at == f->n)
		return NULL;
	found = &f->v[at];
	for (size_t i = at + 1; i < f->n && !by_descriptor(&f->v[i], &s); i++) {
		*doubt |= f->v[i].target != f->v[at].target;
		if (f->v[i].since <= time)
			found = &f->v[i];
	}
	return found;
}
