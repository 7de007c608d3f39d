#include "analyze/syscall/keys.h"

#include "format/base/map64.h"
#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_KNOWN (UINT64_C(1) << 32)
#define IS_IOCTL (UINT64_C(1) << 40)

const struct an_file_sight *an_sys_file(const struct an_sys_view *x,
					const struct an_sys_call *c,
					bool *doubt)
{
	const struct an_thread *th = an_thread_of(x->t, c->thread);

	return an_files_find(&x->files, th->source, th->pid, c->fd, c->from,
			     doubt);
}

void an_sys_put_file(const struct an_sys_view *x, const struct an_sys_call *c,
		      struct buf *to)
{
	bool doubt;
	const struct an_file_sight *s = an_sys_file(x, c, &doubt);
	struct span target;

	if (s) {
		target = an_string(x->t, s->target);
		buf_put(to, target.p, target.n);
	} else if (c->fd >= 0) {
		buf_printf(to, "fd %" PRId32, c->fd);
	} else {
		buf_u8(to, '-');
	}
}

static uint64_t by_call(const struct an_sys_view *x,
			const struct an_sys_call *c)
{
	(void)x;
	return c->name;
}

static int call_cells(const struct an_sys_view *x, const struct an_sys_call *c,
		      struct an_table *to, struct err *err)
{
	(void)err;
	an_table_text(to, intern_get(&x->calls.names, c->name));
	return 0;
}

/* Files that are the same are one row, also where processes have other numbers
 * for them. */
static uint64_t by_fd(const struct an_sys_view *x, const struct an_sys_call *c)
{
	bool doubt;
	const struct an_file_sight *s = an_sys_file(x, c, &doubt);

	return s ? FILE_KNOWN | s->target : (uint32_t)c->fd;
}

static int put_text(struct an_table *to, struct buf *b, struct err *err)
{
	int rc = buf_failed(b) ? err_nomem(err) : 0;

	if (!rc)
		an_table_text(to, span_of(b->p, b->n));
	buf_fini(b);
	return rc;
}

static int fd_cells(const struct an_sys_view *x, const struct an_sys_call *c,
		    struct an_table *to, struct err *err)
{
	struct buf b;

	buf_init(&b, 0);
	an_sys_put_file(x, c, &b);
	return put_text(to, &b, err);
}

static enum an_ioctl_space space_of(const struct an_sys_view *x,
				    const struct an_sys_call *c)
{
	bool doubt;
	const struct an_file_sight *s = an_sys_file(x, c, &doubt);

	return s ? s->space : AN_IOCTL_UNKNOWN;
}

static bool has_cmd(const struct an_sys_view *x, const struct an_sys_call *c)
{
	return c->name == x->calls.ioctl && c->from;
}

static uint64_t by_cmd(const struct an_sys_view *x, const struct an_sys_call *c)
{
	return has_cmd(x, c) ? IS_IOCTL | (uint64_t)space_of(x, c) << 32 |
				       c->cmd : 0;
}

static int cmd_cells(const struct an_sys_view *x, const struct an_sys_call *c,
		     struct an_table *to, struct err *err)
{
	char number[16] = "-";
	struct buf b;
	int rc;

	buf_init(&b, 0);
	if (has_cmd(x, c)) {
		an_ioctl_put(&b, space_of(x, c), c->cmd);
		snprintf(number, sizeof(number), "%#" PRIx32, c->cmd);
	} else {
		buf_u8(&b, '-');
	}
	rc = put_text(to, &b, err);
	an_table_word(to, number);
	return rc;
}

static uint64_t by_comm(const struct an_sys_view *x,
			const struct an_sys_call *c)
{
	return an_thread_of(x->t, c->thread)->comm;
}

static int comm_cells(const struct an_sys_view *x, const struct an_sys_call *c,
		      struct an_table *to, struct err *err)
{
	(void)err;
	an_table_text(to, an_string(x->t, an_thread_of(x->t, c->thread)->comm));
	return 0;
}

static uint64_t by_thread(const struct an_sys_view *x,
			  const struct an_sys_call *c)
{
	(void)x;
	return c->task;
}

static uint64_t number(int32_t pid)
{
	return pid < 0 ? 0 : (uint64_t)pid;
}

static int thread_cells(const struct an_sys_view *x,
			const struct an_sys_call *c,
			struct an_table *to, struct err *err)
{
	(void)err;
	an_table_u64(to, number(an_thread_of(x->t, c->thread)->tid));
	an_table_word(to, an_task_name(&x->tasks, c->task, UINT64_MAX));
	return 0;
}

static uint64_t by_process(const struct an_sys_view *x,
			   const struct an_sys_call *c)
{
	const struct an_thread *th = an_thread_of(x->t, c->thread);

	return map64_pair(th->source, (uint32_t)th->pid);
}

/* A process is called what its first thread was called last. */
static int process_cells(const struct an_sys_view *x,
			 const struct an_sys_call *c,
			 struct an_table *to, struct err *err)
{
	const struct an_thread *th = an_thread_of(x->t, c->thread);
	uint32_t first = an_tasks_find(&x->tasks, th->source, th->pid);

	(void)err;
	an_table_u64(to, number(th->pid));
	an_table_word(to, an_task_name(&x->tasks,
				       first == AN_NONE ? c->task : first,
				       UINT64_MAX));
	return 0;
}

static uint64_t by_error(const struct an_sys_view *x,
			 const struct an_sys_call *c)
{
	(void)x;
	return an_sys_error(c);
}

static int error_cells(const struct an_sys_view *x, const struct an_sys_call *c,
		       struct an_table *to, struct err *err)
{
	uint32_t error = an_sys_error(c);
	const char *name = an_sys_error_name(error);
	char text[16];

	(void)x;
	(void)err;
	snprintf(text, sizeof(text), "%" PRIu32, error);
	an_table_word(to, !error ? "-" : name ? name : text);
	return 0;
}

#define WORD(key, title, width) { key, title, AN_CELL_TEXT, false, width }
#define ID(key, title) { key, title, AN_CELL_U64, true, 7 }

const struct an_sys_key an_sys_keys[] = {
	{ "call", by_call, call_cells, { WORD("call", "Call", 10) } },
	{ "fd", by_fd, fd_cells, { WORD("file", "File", 12) } },
	{ "cmd", by_cmd, cmd_cells,
	  { WORD("cmd", "Cmd", 12), WORD("cmd_number", "Number", 10) } },
	{ "thread", by_thread, thread_cells,
	  { ID("tid", "TID"), WORD("thread", "Thread", 8) } },
	{ "process", by_process, process_cells,
	  { ID("pid", "PID"), WORD("process", "Process", 8) } },
	{ "comm", by_comm, comm_cells, { WORD("command", "Command", 8) } },
	{ "error", by_error, error_cells, { WORD("result", "Result", 8) } },
	{ .name = NULL },
};

static const struct an_sys_key *find(const char *text, size_t n)
{
	for (const struct an_sys_key *k = an_sys_keys; k->name; k++)
		if (strlen(k->name) == n && !memcmp(k->name, text, n))
			return k;
	return NULL;
}

static int unknown_key(const char *text, size_t n, struct err *err)
{
	char known[128] = "";

	for (const struct an_sys_key *k = an_sys_keys; k->name; k++) {
		size_t at = strlen(known);

		snprintf(known + at, sizeof(known) - at, "%s%s",
			 at ? ", " : "", k->name);
	}
	return err_set(err, ERR_USAGE, "option '--by': unknown key '%.*s' "
		       "(known: %s)", (int)n, text, known);
}

static void choose(struct an_sys_by *by, const struct an_sys_key *key)
{
	for (size_t i = 0; i < by->n; i++)
		if (by->keys[i] == key)
			return;
	by->keys[by->n++] = key;
}

int an_sys_by_parse(struct an_sys_by *out, const char *text, struct err *err)
{
	struct an_sys_by by = { .n = 0 };

	_Static_assert(ARRAY_LEN(an_sys_keys) <= AN_SYS_KEYS + 1,
		       "all keys can be chosen at once");
	for (;;) {
		size_t n = strcspn(text, ",");
		const struct an_sys_key *key = find(text, n);

		if (!key)
			return unknown_key(text, n, err);
		choose(&by, key);
		if (!text[n])
			break;
		text += n + 1;
	}
	*out = by;
	return 0;
}
