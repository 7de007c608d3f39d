#include "analyze/segments.h"

#include "analyze/breaks.h"
#include "analyze/segment.h"
#include "analyze/trace_data.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/base/time.h"
#include "format/join.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct segments {
	struct an_segment *v;
	size_t n;
	const struct log *log;
	struct an_break *breaks; /* n at most */
	size_t n_breaks;
	struct an_break covers;  /* 0, 0: no fact tells */
	struct buf text; /* a line each */
};

/* Files stay open; what else is open fits in the difference. */
static void raise_file_limit(size_t n)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > n + 64)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static bool same_recording(const struct an_segment *a,
			   const struct an_segment *b)
{
	return a->recording[0] && strcmp(a->recording, b->recording) == 0;
}

static int by_recording(const void *a, const void *b)
{
	const struct an_segment *x = a, *y = b;
	int order = strcmp(x->recording, y->recording);

	return order ? order : CMP(x->number, y->number);
}

static int by_begin(const void *a, const void *b)
{
	const struct an_segment *x = a, *y = b;
	int order = CMP(x->began_ns, y->began_ns);

	if (!order)
		order = strcmp(x->recording, y->recording);
	if (!order)
		order = CMP(x->number, y->number);
	if (!order) /* parts of one */
		order = CMP(x->from_ns, y->from_ns);
	return order ? order : CMP(x->given, y->given);
}

/* Segments of one recording are in the order of their numbers, whatever was
 * done to the wall clock meanwhile; recordings in the order of their begin. */
static void put_in_order(struct segments *s)
{
	qsort(s->v, s->n, sizeof(*s->v), by_recording);
	for (size_t i = 1; i < s->n; i++)
		if (same_recording(&s->v[i - 1], &s->v[i]))
			s->v[i].began_ns = s->v[i - 1].began_ns;
	qsort(s->v, s->n, sizeof(*s->v), by_begin);
}

static const uint8_t *id_of(const struct an_segment *s)
{
	return tf_reader_header(s->reader)->file_id;
}

static int by_id(const void *a, const void *b)
{
	return memcmp(id_of(a), id_of(b), TF_FILE_ID_SIZE);
}

static int refuse_twice(const struct segments *s, struct err *err)
{
	qsort(s->v, s->n, sizeof(*s->v), by_id);
	for (size_t i = 1; i < s->n; i++)
		if (by_id(&s->v[i - 1], &s->v[i]) == 0)
			return err_set(err, ERR_USAGE, "'%s' and '%s' are the "
				       "same trace", s->v[i - 1].path,
				       s->v[i].path);
	return 0;
}

static void __attribute__((format(printf, 2, 3)))
say(struct segments *s, const char *fmt, ...)
{
	char line[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_put(&s->text, line, strlen(line));
	buf_u8(&s->text, '\n');
}

static void __attribute__((format(printf, 2, 3)))
warn(struct segments *s, const char *fmt, ...)
{
	char line[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	say(s, "%s", line);
	if (s->log)
		log_warn(s->log, "%s", line);
}

static bool other_machine(const struct an_segment *a,
			  const struct an_segment *b)
{
	if (a->boot[0] && b->boot[0])
		return strcmp(a->boot, b->boot) != 0;
	return a->host[0] && b->host[0] && strcmp(a->host, b->host) != 0;
}

static void judge_overlap(struct segments *s, const struct an_segment *a,
			  const struct an_segment *b)
{
	char text[TIME_TEXT];

	if (!a->last_ns || !b->first_ns || b->first_ns >= a->last_ns)
		return;
	time_format(text, (a->last_ns < b->last_ns ? a->last_ns :
			   b->last_ns) - b->first_ns);
	warn(s, "'%s' and '%s' overlap by %s: what both recorded is counted "
	     "twice", a->path, b->path, text);
}

static void judge_hole(struct segments *s, const struct an_segment *a,
		       const struct an_segment *b)
{
	char text[TIME_TEXT];

	if (!a->to_ns || !b->to_ns || b->from_ns <= a->to_ns ||
	    b->from_ns - a->to_ns <= AN_BREAK_NS)
		return;
	time_format(text, b->from_ns - a->to_ns);
	say(s, "%s between '%s' and '%s' not recorded", text, a->path,
	    b->path);
	s->breaks[s->n_breaks++] = (struct an_break){ a->to_ns, b->from_ns };
}

/* Of those before a file, the ones that go on longest. */
struct before {
	const struct an_segment *rows;   /* by their rows, */
	const struct an_segment *covers; /* by what they cover */
};

static void see_end(struct before *last, const struct an_segment *b)
{
	if (other_machine(last->rows, b) || b->last_ns > last->rows->last_ns)
		last->rows = b;
	if (other_machine(last->covers, b) || b->to_ns > last->covers->to_ns)
		last->covers = b;
}

/* What is between two files that follow each other. */
static void judge_pair(struct segments *s, const struct an_segment *a,
		       const struct before *last, const struct an_segment *b)
{
	bool same = same_recording(a, b);

	if (other_machine(a, b)) {
		warn(s, "'%s' is of another machine or boot than '%s': their "
		     "times cannot be compared", b->path, a->path);
		return;
	}
	/* The recorder went on from one into the other. */
	if (same && b->number == a->number + 1)
		return;
	if (same && b->number > a->number)
		say(s, "%" PRIu64 " segment%s between '%s' and '%s' missing",
		    b->number - a->number - 1,
		    b->number - a->number == 2 ? "" : "s", a->path, b->path);
	judge_overlap(s, last->rows, b);
	judge_hole(s, last->covers, b);
}

/* Of all of them, where one tells it by a fact, which would not hold for the
 * others. */
static void find_covers(struct segments *s)
{
	struct an_break all = { 0, 0 };
	bool told = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct an_segment *x = &s->v[i];

		all = an_break_hull(all, (struct an_break){ x->from_ns,
							    x->to_ns });
		told = told || x->covers[0];
	}
	if (told)
		s->covers = all;
}

static void judge(struct segments *s)
{
	struct before last = { s->v, s->v };

	say(s, "%zu files read as one", s->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct an_segment *b = &s->v[i];

		if (b->number > 1 && (!i || !same_recording(b - 1, b)))
			say(s, "'%s' is segment %" PRIu64 " of its recording, "
			    "the ones before it missing", b->path, b->number);
		if (i)
			judge_pair(s, b - 1, &last, b);
		see_end(&last, b);
	}
}

/* Those between the files after those inside of them. */
static int take_breaks(struct segments *s, struct an_trace *t, struct err *err)
{
	size_t inside = an_n_breaks(t);
	int rc = 0;

	if (inside)
		say(s, "%zu more time%s not recorded inside of them", inside,
		    inside == 1 ? "" : "s");
	for (size_t i = 0; i < s->n_breaks && rc == 0; i++)
		rc = an_breaks_add(t, s->breaks[i], err);
	buf_u8(&s->text, 0);
	if (rc == 0 && buf_failed(&s->text))
		return err_nomem(err);
	return rc;
}

static int join(struct segments *s, struct tf_source **out, struct err *err)
{
	struct tf_reader **readers = calloc(s->n, sizeof(*readers));
	char name[300];
	int rc;

	if (!readers)
		return err_nomem(err);
	for (size_t i = 0; i < s->n; i++)
		readers[i] = s->v[i].reader;
	snprintf(name, sizeof(name), "%.250s and %zu more", s->v[0].path,
		 s->n - 1);
	rc = tf_join(out, readers, s->n, name, err);
	free(readers);
	for (size_t i = 0; i < s->n && rc == 0; i++)
		s->v[i].source = NULL; /* is the joined one's now */
	return rc;
}

static int open_all(struct segments *s, const char *const *paths, size_t n,
		    struct err *err)
{
	int rc = 0;

	s->v = calloc(n, sizeof(*s->v));
	s->breaks = calloc(n, sizeof(*s->breaks)); /* fewer than files */
	if (!s->v || !s->breaks)
		return err_nomem(err);
	raise_file_limit(n);
	for (; s->n < n && rc == 0; s->n++) {
		rc = an_segment_open(&s->v[s->n], paths[s->n], s->log,
				     err);
		s->v[s->n].given = s->n;
	}
	return rc;
}

static void close_all(struct segments *s)
{
	for (size_t i = 0; i < s->n; i++)
		an_segment_fini(&s->v[i]);
	s->n = 0;
}

static int open_joined(struct segments *s, struct an_trace **out,
		       const struct an_opening *how, struct err *err)
{
	struct tf_source *joined = NULL;
	struct an_trace *t = NULL;
	int rc = refuse_twice(s, err);

	if (rc)
		return rc;
	put_in_order(s);
	judge(s);
	find_covers(s);
	rc = join(s, &joined, err);
	close_all(s);
	if (rc == 0)
		rc = an_trace_from_as(&t, joined, how, err);
	if (rc)
		return rc;
	t->covers = s->covers;
	rc = take_breaks(s, t, err);
	if (rc == 0) {
		t->joined = strdup((const char *)s->text.p);
		rc = t->joined ? 0 : err_nomem(err);
	}
	if (rc == 0)
		*out = t;
	else
		an_trace_close(t);
	return rc;
}

int an_segments_open(struct an_trace **out, const char *const *paths, size_t n,
		     const struct log *log, struct err *err)
{
	return an_segments_open_as(out, paths, n,
				   &(struct an_opening){ .log = log }, err);
}

int an_segments_open_as(struct an_trace **out, const char *const *paths,
			size_t n, const struct an_opening *how,
			struct err *err)
{
	struct segments s = { .log = how->log };
	int rc;

	buf_init(&s.text, 0);
	rc = open_all(&s, paths, n, err);
	if (rc == 0)
		rc = open_joined(&s, out, how, err);
	close_all(&s);
	free(s.v);
	free(s.breaks);
	buf_fini(&s.text);
	return rc;
}
