#include "analyze/report/keys.h"

#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_string(const struct an_trace *t, uint32_t string,
		       struct buf *to)
{
	struct span s = an_string(t, string);

	buf_put(to, s.p, s.n);
}

static void put_comm(const struct an_trace *t, uint32_t id, struct buf *to)
{
	put_string(t, an_thread_of(t, id)->comm, to);
}

static uint64_t by_comm(const struct an_trace *t, uint32_t id)
{
	return an_thread_of(t, id)->comm;
}

/* Of several machines, each has processes and threads of its own. */
static uint64_t by_source(const struct an_trace *t, uint32_t id)
{
	return an_thread_of(t, id)->source;
}

static uint64_t pid_of(const struct an_trace *t, uint32_t id)
{
	return (uint32_t)an_thread_of(t, id)->pid;
}

static uint64_t by_pid(const struct an_trace *t, uint32_t id)
{
	return map64_pair(an_thread_of(t, id)->source,
			  (uint32_t)pid_of(t, id));
}

static uint64_t tid_of(const struct an_trace *t, uint32_t id)
{
	return (uint32_t)an_thread_of(t, id)->tid;
}

static uint64_t by_tid(const struct an_trace *t, uint32_t id)
{
	return map64_pair(an_thread_of(t, id)->source,
			  (uint32_t)tid_of(t, id));
}

static void put_source(const struct an_trace *t, uint32_t id, struct buf *to)
{
	uint32_t source = an_thread_of(t, id)->source;
	char key[sizeof("source.4294967295.hostname")];
	const char *host;

	snprintf(key, sizeof(key), "source.%" PRIu32 ".hostname", source - 1);
	host = an_fact(t, source ? key : "hostname");
	if (host && *host)
		buf_printf(to, "%s", host);
	else
		buf_printf(to, "[unknown]");
}

/* A thread is called what it was called last. */
static bool later_name(const struct an_trace *t, uint32_t id, uint32_t than)
{
	return an_thread_of(t, id)->time > an_thread_of(t, than)->time;
}

/* A process is called what its first thread was called last. */
static bool better_process(const struct an_trace *t, uint32_t id, uint32_t than)
{
	const struct an_thread *a = an_thread_of(t, id);
	const struct an_thread *b = an_thread_of(t, than);
	bool first_a = a->tid == a->pid, first_b = b->tid == b->pid;

	return first_a == first_b ? a->time > b->time : first_a;
}

static void put_pid_comm(const struct an_trace *t, uint32_t id, struct buf *to)
{
	buf_printf(to, "%7" PRId32 ":", an_thread_of(t, id)->pid);
	put_comm(t, id, to);
}

static void put_tid_comm(const struct an_trace *t, uint32_t id, struct buf *to)
{
	buf_printf(to, "%7" PRId32 ":", an_thread_of(t, id)->tid);
	put_comm(t, id, to);
}

static const struct an_process *process_of(const struct an_trace *t,
					   uint32_t id)
{
	return an_process_of(t, an_thread_of(t, id)->process);
}

static uint64_t by_cgroup(const struct an_trace *t, uint32_t id)
{
	return process_of(t, id)->cgroup;
}

static void put_cgroup(const struct an_trace *t, uint32_t id, struct buf *to)
{
	if (an_string(t, process_of(t, id)->cgroup).n)
		put_string(t, process_of(t, id)->cgroup, to);
	else
		buf_printf(to, "[unknown]");
}

static uint64_t by_pid_ns(const struct an_trace *t, uint32_t id)
{
	return process_of(t, id)->pid_ns;
}

static void put_pid_ns(const struct an_trace *t, uint32_t id, struct buf *to)
{
	buf_printf(to, "%13" PRIu64, by_pid_ns(t, id));
}

static uint32_t dso_of(const struct an_trace *t, uint32_t frame)
{
	return an_image_of(t, an_frame_of(t, frame)->image)->dso;
}

static uint64_t by_dso(const struct an_trace *t, uint32_t id)
{
	return dso_of(t, id);
}

static void put_dso(const struct an_trace *t, uint32_t id, struct buf *to)
{
	put_string(t, dso_of(t, id), to);
}

static bool named(const struct an_trace *t, const struct an_frame *f)
{
	return f->symbol != AN_NONE && an_symbol_of(t, f->symbol)->name;
}

/* All addresses of a shared object that have no name are one place: told
 * apart they would be many rows that say the same. */
static uint64_t by_symbol(const struct an_trace *t, uint32_t id)
{
	const struct an_frame *f = an_frame_of(t, id);

	if (named(t, f))
		return map64_pair(f->kernel, f->symbol);
	return map64_pair(2 + f->kernel, dso_of(t, id));
}

static void put_name(const struct an_trace *t, uint32_t id, struct buf *to)
{
	struct span s = an_frame_name(t, id);

	buf_put(to, s.p, s.n);
}

static void put_symbol(const struct an_trace *t, uint32_t id, struct buf *to)
{
	buf_printf(to, "[%c] ", an_frame_of(t, id)->kernel ? 'k' : '.');
	put_name(t, id, to);
}

static void put_space(const struct an_trace *t, uint32_t id, struct buf *to)
{
	buf_printf(to, "%s", an_frame_of(t, id)->kernel ? "kernel" : "user");
}

static void put_symbol_alone(const struct an_trace *t, uint32_t id,
			     struct buf *to)
{
	buf_printf(to, "[%c] ", an_frame_of(t, id)->kernel ? 'k' : '.');
	an_frame_label(t, id, to);
}

/* For rows that do not name the shared object. */
static const struct an_key symbol_alone = {
	"symbol", "sym", "Symbol", AN_SIDE_FRAME, by_symbol, NULL,
	put_symbol_alone,
	{ { "symbol", AN_CELL_TEXT, an_frame_label, NULL },
	  { "space", AN_CELL_TEXT, put_space, NULL } },
};

const struct an_key an_keys[] = {
	{ "comm", NULL, "Command", AN_SIDE_THREAD, by_comm, NULL, put_comm,
	  { { "command", AN_CELL_TEXT, put_comm, NULL } } },
	{ "pid", NULL, "    Pid:Command", AN_SIDE_THREAD, by_pid,
	  better_process, put_pid_comm,
	  { { "pid", AN_CELL_U64, NULL, pid_of },
	    { "process", AN_CELL_TEXT, put_comm, NULL } } },
	{ "tid", NULL, "    Tid:Command", AN_SIDE_THREAD, by_tid, later_name,
	  put_tid_comm,
	  { { "tid", AN_CELL_U64, NULL, tid_of },
	    { "thread", AN_CELL_TEXT, put_comm, NULL } } },
	{ "source", NULL, "Source", AN_SIDE_THREAD, by_source, NULL, put_source,
	  { { "source", AN_CELL_TEXT, put_source, NULL } } },
	{ "cgroup", NULL, "Cgroup", AN_SIDE_THREAD, by_cgroup, NULL, put_cgroup,
	  { { "cgroup", AN_CELL_TEXT, put_cgroup, NULL } } },
	{ "pid_ns", NULL, "Pid namespace", AN_SIDE_THREAD, by_pid_ns, NULL,
	  put_pid_ns, { { "pid_ns", AN_CELL_U64, NULL, by_pid_ns } } },
	{ "dso", NULL, "Shared Object", AN_SIDE_FRAME, by_dso, NULL, put_dso,
	  { { "dso", AN_CELL_TEXT, put_dso, NULL } } },
	{ "symbol", "sym", "Symbol", AN_SIDE_FRAME, by_symbol, NULL, put_symbol,
	  { { "symbol", AN_CELL_TEXT, put_name, NULL },
	    { "space", AN_CELL_TEXT, put_space, NULL } } },
	{ .name = NULL },
};

static bool is(const char *name, const char *text, size_t n)
{
	return name && strlen(name) == n && !memcmp(name, text, n);
}

static const struct an_key *find(const char *text, size_t n)
{
	for (const struct an_key *k = an_keys; k->name; k++)
		if (is(k->name, text, n) || is(k->alias, text, n))
			return k;
	return NULL;
}

static int unknown_key(const char *text, size_t n, struct err *err)
{
	char known[256] = "";

	for (const struct an_key *k = an_keys; k->name; k++) {
		size_t at = strlen(known);

		snprintf(known + at, sizeof(known) - at, "%s%s%s%s",
			 at ? ", " : "", k->name, k->alias ? " or " : "",
			 k->alias ? k->alias : "");
	}
	return err_set(err, ERR_USAGE, "unknown sort key '%.*s' (known: %s)",
		       (int)n, text, known);
}

static void choose(struct an_sort *s, const struct an_key *key)
{
	if (an_sort_has(s, key->name))
		return;
	if (s->n < AN_MAX_KEYS)
		s->keys[s->n++] = key;
}

int an_sort_parse(struct an_sort *out, const char *text, struct err *err)
{
	struct an_sort s = { .n = 0 };

	_Static_assert(ARRAY_LEN(an_keys) <= AN_MAX_KEYS + 1,
		       "all keys can be chosen at once");
	for (;;) {
		size_t n = strcspn(text, ",");
		const struct an_key *key = find(text, n);

		if (!key)
			return unknown_key(text, n, err);
		choose(&s, key);
		if (!text[n])
			break;
		text += n + 1;
	}
	for (size_t i = 0; i < s.n; i++)
		if (s.keys[i]->identity == by_symbol && !an_sort_has(&s, "dso"))
			s.keys[i] = &symbol_alone;
	*out = s;
	return 0;
}

bool an_sort_has(const struct an_sort *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->keys[i]->name, name) == 0)
			return true;
	return false;
}

void an_sort_add(struct an_sort *s, const char *name)
{
	const struct an_key *key = find(name, strlen(name));

	if (key)
		choose(s, key);
}

void an_frame_label(const struct an_trace *t, uint32_t frame, struct buf *to)
{
	const struct an_frame *f = an_frame_of(t, frame);
	struct span dso = an_string(t, an_image_of(t, f->image)->dso);
	bool bare = dso.n && dso.p[0] != '[';

	if (named(t, f) || an_image_of(t, f->image)->kind == TF_IMAGE_SPECIAL) {
		put_name(t, frame, to);
		return;
	}
	buf_put(to, "[", bare);
	buf_put(to, dso.p, dso.n);
	buf_put(to, "]", bare);
}
