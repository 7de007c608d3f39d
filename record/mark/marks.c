#include "record/mark/marks.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/proc/facts.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_NS ((uint64_t)NSEC_PER_SEC / 10)
/* At the end, where somebody may go on to fill the queue: more than it holds. */
#define AT_THE_END 100000u

/* How long the end waits for a reader of the command's output. */
#define OUTPUT_NS (2 * (uint64_t)NSEC_PER_SEC)

static int take_sent(struct rec_marks *m, struct rec_mark *out)
{
	return rec_mark_socket_take(&m->socket, out);
}

static int take_traced(struct rec_marks *m, struct rec_mark *out)
{
	return rec_mark_tracer_take(&m->tracer, out);
}

static int take_printed(struct rec_marks *m, struct rec_mark *out)
{
	return m->output ? rec_mark_output_take(m->output, out) : 1;
}

/* Who sends is slowed down by what is not taken; the others would lose it. */
static const struct kind {
	/* 0: *out; 1: none; else one that counts but is not wanted. */
	int (*take)(struct rec_marks *m, struct rec_mark *out);
	size_t most; /* in a window */
	size_t last; /* at the end */
} kinds[REC_MARK_KINDS] = {
	{ take_sent, 100, AT_THE_END },
	{ take_traced, 2000, SIZE_MAX },
	{ take_printed, 2000, AT_THE_END },
};

int rec_marks_init(struct rec_marks *m, const char *root, bool trace_marker,
		   const char *regex, const struct log *log, struct err *err)
{
	*m = (struct rec_marks){
		.root = root,
		.log = log,
		.trace_marker = trace_marker,
		.socket = { .fd = -1, .folder = -1 },
		.tracer = { .pipe = -1 },
	};
	return regex ? rec_mark_output_new(&m->output, regex, err) : 0;
}

int rec_marks_command_fd(const struct rec_marks *m)
{
	return m->output ? rec_mark_output_fd(m->output) : -1;
}

void rec_marks_command_forked(struct rec_marks *m)
{
	if (m->output)
		rec_mark_output_close_fd(m->output);
}

int rec_marks_begin(struct rec_marks *m, struct rec_defs *defs,
		    struct err *err)
{
	struct err why = { 0 };

	if (rec_mark_socket_open(&m->socket, m->root, &why) < 0)
		log_verbose(m->log, "'rec mark' will not reach this recording: "
			    "%s", why.text);
	rec_mark_tracer_remove_dead(m->root);
	if (m->trace_marker &&
	    rec_mark_tracer_open(&m->tracer, m->root, &why) < 0) {
		log_warn(m->log, "what is written to trace_marker is not "
			 "recorded: %s", why.text);
		rec_fact(defs, "note.trace_marker", "not recorded: %s",
			 why.text);
	}
	if (!m->output)
		return 0;
	return rec_mark_output_start(m->output, STDOUT_FILENO, err);
}

int rec_marks_fd(const struct rec_marks *m)
{
	return m->socket.fd;
}

static void write_row(struct rec_marks *m, struct rec_defs *defs,
		      const struct rec_mark *mark)
{
	uint32_t text = rec_defs_string(defs, mark->text.p, mark->text.n);
	struct tf_builder *b = rec_sink_rows(defs->sink, TF_TABLE_MARK);

	tf_builder_set(b, TF_MARK_TIME, mark->time);
	tf_builder_set(b, TF_MARK_SOURCE, mark->source);
	tf_builder_set(b, TF_MARK_PID, mark->pid);
	tf_builder_set(b, TF_MARK_TEXT, text);
	if (!tf_builder_commit(b))
		defs->failed = true;
	m->n++;
}

/* Returns how many came. */
static size_t take(struct rec_marks *m, struct rec_defs *defs,
		   const struct kind *kind, size_t most,
		   bool (*reserve)(struct rec_sink *s))
{
	struct rec_mark mark;
	size_t n = 0;

	while (n < most && reserve(defs->sink)) {
		int rc = kind->take(m, &mark);

		if (rc == 1)
			break;
		if (rc == 0)
			write_row(m, defs, &mark);
		n++;
	}
	return n;
}

void rec_marks_poll(struct rec_marks *m, struct rec_defs *defs)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);

	if (now - m->since_ns >= WINDOW_NS) {
		m->since_ns = now;
		memset(m->taken, 0, sizeof(m->taken));
	}
	for (size_t i = 0; i < REC_MARK_KINDS; i++)
		m->taken[i] += take(m, defs, &kinds[i],
				    kinds[i].most - m->taken[i],
				    rec_sink_reserve);
}

/* Lines that are lost are no samples: they are told in words. */
static void tell_missed(struct rec_marks *m, struct rec_defs *defs,
			uint64_t n, const char *fact, const char *what)
{
	if (!n)
		return;
	log_warn(m->log, "%" PRIu64 " %s", n, what);
	rec_fact(defs, fact, "%" PRIu64 " %s", n, what);
}

void rec_marks_end(struct rec_marks *m, struct rec_defs *defs, bool ended)
{
	rec_mark_socket_hide(&m->socket);
	rec_mark_tracer_stop(&m->tracer);
	if (m->output && ended)
		(void)rec_mark_output_finish(m->output, OUTPUT_NS);
	for (size_t i = 0; i < REC_MARK_KINDS; i++)
		(void)take(m, defs, &kinds[i], kinds[i].last,
			   rec_sink_reserve_wait);
	tell_missed(m, defs, m->tracer.lost, "note.trace_marker",
		    "lines of trace_marker were lost by the kernel");
	if (m->output)
		tell_missed(m, defs, rec_mark_output_missed(m->output),
			    "note.mark_from_stdout",
			    "lines that match came too fast to become marks");
	if (m->socket.refused)
		log_verbose(m->log, "%" PRIu64 " messages of strangers, or "
			    "malformed, were no marks", m->socket.refused);
}

void rec_marks_fini(struct rec_marks *m)
{
	if (!m->log)
		return; /* zeroed: 0 is nobody's descriptor */
	rec_mark_output_free(m->output);
	rec_mark_tracer_fini(&m->tracer);
	rec_mark_socket_fini(&m->socket);
	*m = (struct rec_marks){ 0 };
}
