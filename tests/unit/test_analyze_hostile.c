/* Every command over traces that were cut, flipped, or read with too little
 * memory: an answer or a message, and nothing else. */
#include "analyze/command.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", "id", 0 },
	{ "b", TF_IMAGE_ELF, "/lib/b.so", NULL, 0 },
	{ "k", TF_IMAGE_KERNEL, "kernel", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "main", 0x100, 0x100, NULL },
	{ "a", "f", 0x200, 0x100, NULL },
	{ "k", "sys", 0x400, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 10, 10, "cat", 0 }, { 11, 10, "dog", 0 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
};
static const struct tb_sample first[] = {
	{ 1000, 0, 0, 0, 5, "main;f", NULL, 0, 2 },
	{ 2000, 0, 1, 0, 5, "main;f", "sys", 0, 1 },
	{ 3000, 1, 1, 0, 5, "main;b@0x33", NULL, 0, 1 },
};
static const struct tb_sample second[] = {
	{ 4000, 1, 1, 0, 5, "main;b@0x33", NULL, 0, 1 },
	{ 5000, 0, 0, 0, 5, "main;f;f;f", "sys;sys", 0, 2 },
};
static const struct tb_epoch epochs[] = {
	{ first, ARRAY_LEN(first) }, { second, ARRAY_LEN(second) },
};
static const struct tb_loss losses[] = { { 9, 1, TF_LOSS_RING, 0, 0 } };
static const struct tb_clock clocks[] = { { 1, 2, 3 } };
static const struct tb_fact facts[] = { { "command", "rec" } };

static const struct tb_trace trace = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.events = events, .n_events = ARRAY_LEN(events),
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
	.losses = losses, .n_losses = 1,
	.clocks = clocks, .n_clocks = 1,
	.facts = facts, .n_facts = 1,
	.part_samples = 2,
};

/* Commands that take a trace, with what their arguments are by default. */
static int run(const struct an_command *cmd, struct an_trace *t,
	       const struct log *log, struct err *err)
{
	_Alignas(max_align_t) char args[4096] = { 0 };
	struct an_env env = { .log = log, .out = log->to, .path = "-",
			      .trace = t };

	assert_true(cmd->args_size <= sizeof(args));
	if (cmd->defaults)
		cmd->defaults(args);
	return cmd->run(&env, args, err);
}

static void run_all(struct trace_in_memory *m)
{
	for (size_t i = 0; an_commands[i]; i++) {
		m->err = (struct err){ 0 };
		if (an_commands[i]->needs != AN_ONE_TRACE)
			continue;
		if (run(an_commands[i], m->trace, &m->log, &m->err) < 0)
			assert_true(m->err.text[0]);
	}
}

/* The reader's own tests take every prefix and every bit; with all commands on
 * each that would be minutes. The steps have no factor in common with the 8
 * bytes that everything is aligned to. */
#define PREFIX_STEP 5
#define FLIP_STEP 3

struct walk {
	struct log log;
	size_t opened, refused;
};

static void see(struct walk *w, struct span in)
{
	struct trace_in_memory m = { .log = w->log };
	struct tf_source *source;

	assert_int_equal(tf_source_memory(&source, in, &m.err), 0);
	if (an_trace_from(&m.trace, source, &m.log, &m.err)) {
		assert_true(m.err.text[0]);
		w->refused++;
		return;
	}
	w->opened++;
	run_all(&m);
	an_trace_close(m.trace);
}

static void a_file_cut_anywhere_is_read_or_refused(void **state)
{
	struct trace_in_memory m;
	struct walk w = { 0 };

	(void)state;
	assert_int_equal(trace_build(&m, &trace), 0);
	w.log = m.log;
	for (size_t n = 0; n < m.bytes.n; n += PREFIX_STEP) {
		/* A copy of its own, for a sanitizer to see its end. */
		uint8_t *copy = malloc(n + !n);

		assert_non_null(copy);
		memcpy(copy, m.bytes.p, n);
		see(&w, span_of(copy, n));
		free(copy);
	}
	/* Nothing shorter than the header is a trace, all else is. */
	assert_int_equal(w.refused, (TF_FILE_HEADER_SIZE + PREFIX_STEP - 1) /
					    PREFIX_STEP);
	assert_true(w.opened > w.refused);
	trace_fini(&m);
}

static void a_flipped_bit_is_survived(void **state)
{
	struct trace_in_memory m;
	struct walk w = { 0 };

	(void)state;
	assert_int_equal(trace_build(&m, &trace), 0);
	w.log = m.log;
	for (size_t i = 0; i < m.bytes.n; i += FLIP_STEP) {
		uint8_t bit = (uint8_t)(1u << (i / FLIP_STEP % 8));

		m.bytes.p[i] ^= bit;
		see(&w, span_of(m.bytes.p, m.bytes.n));
		m.bytes.p[i] ^= bit;
	}
	assert_true(w.opened > w.refused);
	trace_fini(&m);
}

static void no_failed_allocation_is_fatal(void **state)
{
	struct trace_in_memory m;
	long n = 0;

	(void)state;
	assert_int_equal(trace_build(&m, &trace), 0);
	do {
		int rc;

		m.err = (struct err){ 0 };
		failalloc_at(++n);
		rc = trace_open(&m);
		if (!rc)
			run_all(&m);
		failalloc_off();
		if (rc)
			assert_int_equal(m.err.code, ERR_NOMEM);
	} while (failalloc_hit());
	assert_true(n > 100);
	trace_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_cut_anywhere_is_read_or_refused),
		cmocka_unit_test(a_flipped_bit_is_survived),
		cmocka_unit_test(no_failed_allocation_is_fatal),
	};
	char folder[] = "/tmp/analyze-hostile-XXXXXX";
	int rc;

	/* Pictures go to files in the current folder by default. */
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink("flamegraph.svg");
	unlink("timeline.html");
	if (chdir("/") || rmdir(folder))
		return 1;
	return rc;
}
