/* New traces out of others: the same rows, sound, and nothing that is not
 * needed. What is expected is what the traces were built from. */
#include "analyze/merge.h"
#include "analyze/profile.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/writer.h"
#include "tests/support/failalloc.h"
#include "tests/support/points.h"
#include "tests/support/rewritten.h"
#include "tests/support/rowsback.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEC 1000000000ull

static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", "id", 0 },
	{ "b", TF_IMAGE_ELF, "/lib/b.so", NULL, 0 },
	{ "k", TF_IMAGE_KERNEL, "kernel", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "main", 0x100, 0x100, NULL },
	{ "a", "f", 0x200, 0x100, NULL },
	{ "a", "g", 0x300, 0x100, NULL },
	{ "b", "lib", 0x100, 0x100, NULL },
	{ "k", "sys", 0x400, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 10, 10, "one", SEC },
	{ 20, 20, "two", SEC },
};
static const struct tb_process processes[] = {
	{ 10, SEC, "/one", 0, 0 },
	{ 20, SEC, "/two", 0, 0 },
};
static const struct tb_event events[] = {
	{ "cycles", "", 0, 0, 0, 1000, true },
	{ "faults", "", 1, 2, 0, 1, true },
};
static const struct tb_sample first[] = {
	{ 10 * SEC, 0, 0, 0, 1000, "main;f", NULL, 0, 3 },
	{ 11 * SEC, 1, 1, 1, 1, "main;lib", NULL, 0, 2 },
	{ 12 * SEC, 0, 0, 0, 1000, "main", "sys", 0, 1 },
};
/* Has what the first one has in another order, and more. */
static const struct tb_sample second[] = {
	{ 20 * SEC, 1, 1, 0, 1000, "main;g", NULL, 0, 4 },
	{ 21 * SEC, 0, 0, 0, 1000, "main;f", NULL, 0, 1 },
};
static const struct tb_epoch epochs[] = {
	{ first, ARRAY_LEN(first) },
	{ second, ARRAY_LEN(second) },
};
static const struct tb_loss losses[] = {
	{ 11 * SEC, 5, TF_LOSS_RING, 1, 0 },
	{ 21 * SEC, 7, TF_LOSS_RING, 0, 1 },
};
static const struct tb_clock clocks[] = {
	{ 10 * SEC, 1000 * SEC, 10 * SEC },
	{ 22 * SEC, 1012 * SEC, 22 * SEC },
};
static const struct tb_fact facts[] = { { "hostname", "alpha" } };
static const struct tb_mark marks[] = {
	{ 11 * SEC, TF_MARK_COMMAND, 10, "middle", 0 },
	{ 21 * SEC, TF_MARK_COMMAND, 10, "late", 1 },
};

#define TABLES                                                                 \
	.images = images, .n_images = ARRAY_LEN(images), .symbols = symbols,   \
	.n_symbols = ARRAY_LEN(symbols), .threads = threads,                   \
	.n_threads = ARRAY_LEN(threads), .processes = processes,               \
	.n_processes = ARRAY_LEN(processes), .events = events,                 \
	.n_events = ARRAY_LEN(events), .losses = losses,                       \
	.n_losses = ARRAY_LEN(losses), .clocks = clocks,                       \
	.n_clocks = ARRAY_LEN(clocks), .facts = facts,                         \
	.n_facts = ARRAY_LEN(facts), .marks = marks,                           \
	.n_marks = ARRAY_LEN(marks)

static const struct tb_trace two_epochs = {
	TABLES, .epochs = epochs, .n_epochs = ARRAY_LEN(epochs), .id = 1,
};

/* A trace and the new one that was made of it. */
struct pair {
	struct trace_in_memory from, made;
	struct err err;
};

static void talk_to_nobody(struct trace_in_memory *m)
{
	buf_init(&m->bytes, 0);
	m->log = (struct log){ .to = fopen("/dev/null", "we"),
			       .prog = "test" };
	assert_non_null(m->log.to);
}

static void pair_empty(struct pair *p)
{
	memset(p, 0, sizeof(*p));
	talk_to_nobody(&p->from);
	talk_to_nobody(&p->made);
}

static void pair_init(struct pair *p, const struct tb_trace *t)
{
	memset(p, 0, sizeof(*p));
	trace_must(&p->from, t);
	talk_to_nobody(&p->made);
}

static void pair_fini(struct pair *p)
{
	trace_fini(&p->from);
	trace_fini(&p->made);
}

static void must_be_sound(const struct buf *b)
{
	char first_problem[REWRITTEN_PROBLEM];

	if (rewritten_problems(span_of(b->p, b->n), first_problem))
		fail_msg("%s", first_problem);
}

static void open_made(struct pair *p, int rc)
{
	if (rc)
		fail_msg("%s", p->err.text);
	must_be_sound(&p->made.bytes);
	assert_int_equal(trace_open(&p->made), 0);
}

static void copy(struct pair *p, const struct tb_trace *t)
{
	pair_init(p, t);
	open_made(p, rewritten_whole(&p->made.bytes, p->from.trace, &p->err));
}

static void cut(struct pair *p, const struct tb_trace *t,
		const struct an_selection_args *args)
{
	pair_init(p, t);
	open_made(p, rewritten_cut(&p->made.bytes, p->from.trace, args,
				   &p->err));
}

static struct opt_list one_word(const char *const *word)
{
	return (struct opt_list){ .items = (const char **)(uintptr_t)word,
				  .n = 1 };
}

static size_t rows_of(const struct buf *b, uint32_t table)
{
	struct rowsback r = { 0 };
	size_t n;

	rowsback_read(&r, span_of(b->p, b->n), table);
	n = r.n;
	rowsback_fini(&r);
	return n;
}

static bool has_string(const struct buf *b, const char *text)
{
	struct rowsback r = { 0 };
	bool found = false;

	rowsback_read(&r, span_of(b->p, b->n), TF_TABLE_STRING);
	for (size_t i = 0; i < r.n; i++)
		found = found || rowsback_is(&r.items[i], text);
	rowsback_fini(&r);
	return found;
}

static void put_frames(struct buf *to, const struct an_trace *t,
		       const struct an_sample *s)
{
	const struct an_place place = { .thread = s->thread,
					.ip = s->ip,
					.kstack = s->kstack,
					.ustack = s->ustack,
					.flags = s->flags };
	uint32_t frames[64];
	size_t n = an_place_frames(t, &place, frames, ARRAY_LEN(frames));

	for (size_t i = 0; i < n; i++) {
		uint32_t image = an_frame_of(t, frames[i])->image;
		struct span name = an_frame_name(t, frames[i]);

		buf_printf(to, " %.*s (%s)", (int)name.n,
			   (const char *)name.p,
			   an_text(t, an_image_of(t, image)->dso));
	}
}

/* All samples in order, in words. */
static void spell(struct buf *to, struct an_trace *t,
		  const struct an_selection *sel)
{
	struct an_merge *m;
	const struct an_sample *s;
	struct err err = { 0 };

	buf_init(to, 0);
	assert_int_equal(an_merge_new(&m, t, sel, &err), 0);
	while (an_merge_next(m, &s, &err) == 0) {
		buf_printf(to, "%llu %u %d %s %s %llu",
			   (unsigned long long)s->time, s->cpu,
			   an_thread_of(t, s->thread)->tid,
			   an_text(t, an_thread_of(t, s->thread)->comm),
			   an_text(t, an_event_of(t, s->event)->name),
			   (unsigned long long)s->period);
		put_frames(to, t, s);
		buf_u8(to, '\n');
	}
	an_merge_free(m);
	buf_u8(to, 0);
}

static void must_say_the_same(struct pair *p, const struct an_selection *sel)
{
	struct buf a, b;

	spell(&a, p->from.trace, sel);
	spell(&b, p->made.trace, NULL);
	assert_true(a.n > 1);
	assert_string_equal((const char *)a.p, (const char *)b.p);
	buf_fini(&a);
	buf_fini(&b);
}

static void a_new_trace_has_the_same_rows(void **state)
{
	struct pair p;

	(void)state;
	copy(&p, &two_epochs);
	must_say_the_same(&p, NULL);
	/* 3 + 2 + 1 and 4 + 1 */
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_SAMPLE), 11);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_LOSS), 2);
	/* They are in each epoch. */
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_CLOCK), 4);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_MARK), 2);
	assert_string_equal(an_fact(p.made.trace, "hostname"), "alpha");
	assert_string_equal(an_fact(p.made.trace, "rewritten"), "yes");
	pair_fini(&p);
}

static void equal_definitions_of_epochs_become_one(void **state)
{
	struct rowsback r = { 0 };
	struct pair p;

	(void)state;
	copy(&p, &two_epochs);
	assert_int_equal(rows_of(&p.from.bytes, TF_TABLE_THREAD), 4);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_THREAD), 2);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_EVENT), 2);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_IMAGE), 3);
	rowsback_read(&r, span_of(p.made.bytes.p, p.made.bytes.n),
		      TF_TABLE_SAMPLE);
	for (size_t i = 0; i < r.n; i++)
		assert_int_equal(r.items[i].epoch, 0);
	rowsback_fini(&r);
	pair_fini(&p);
}

static void parts_have_as_many_rows_as_asked_for(void **state)
{
	static const struct tb_sample many[] = {
		{ 10 * SEC, 0, 0, 0, 1000, "main;f", NULL, 0, 250 },
	};
	static const struct tb_epoch epoch = { many, 1 };
	static const struct tb_trace t = {
		TABLES, .epochs = &epoch, .n_epochs = 1, .part_samples = 7,
	};
	struct rowsback r = { 0 };
	size_t chunks = 0, last = SIZE_MAX;
	struct pair p;

	(void)state;
	copy(&p, &t);
	rowsback_read(&r, span_of(p.made.bytes.p, p.made.bytes.n),
		      TF_TABLE_SAMPLE);
	assert_int_equal(r.n, 250);
	for (size_t i = 0; i < r.n; i++) {
		chunks += r.items[i].chunk != last;
		last = r.items[i].chunk;
	}
	/* The support asks for 100 a part. */
	assert_int_equal(chunks, 3);
	rowsback_fini(&r);
	pair_fini(&p);
}

static void a_cut_says_what_the_selection_said(void **state)
{
	static const char *const words[] = { "10", "faults", "1", "lib" };
	const struct an_selection_args kinds[] = {
		{ .time = "@11,@12.5" },
		{ .pid = one_word(&words[0]) },
		{ .event = one_word(&words[1]) },
		{ .cpu = one_word(&words[2]) },
		{ .through = one_word(&words[3]) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct an_selection sel;
		struct pair p;

		cut(&p, &two_epochs, &kinds[i]);
		assert_int_equal(an_selection_make(&sel, &kinds[i],
						   p.from.trace, NULL), 0);
		must_say_the_same(&p, &sel);
		an_selection_fini(&sel);
		pair_fini(&p);
	}
}

/* Thread 20 on CPU 1 ran main;lib twice and main;g four times. */
static void a_cut_has_only_what_its_rows_need(void **state)
{
	static const char *const word = "20";
	const struct an_selection_args args = { .tid = one_word(&word) };
	struct pair p;

	(void)state;
	cut(&p, &two_epochs, &args);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_SAMPLE), 6);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_THREAD), 1);
	assert_int_equal(rows_of(&p.made.bytes, TF_TABLE_IMAGE), 2);
	/* main, lib, g: one has the kernel's, one f */
	assert_int_equal(an_n_symbols(p.made.trace), 3);
	assert_true(has_string(&p.made.bytes, "two"));
	assert_true(has_string(&p.made.bytes, "/two"));
	assert_false(has_string(&p.made.bytes, "one"));
	assert_false(has_string(&p.made.bytes, "/one"));
	assert_false(has_string(&p.made.bytes, "sys"));
	assert_false(has_string(&p.made.bytes, "f"));
	pair_fini(&p);
}

static void a_cut_in_time_has_the_marks_and_losses_of_it(void **state)
{
	const struct an_selection_args args = { .time = "@20,@30" };
	struct pair p;

	(void)state;
	cut(&p, &two_epochs, &args);
	assert_int_equal(an_n_marks(p.made.trace), 1);
	assert_string_equal(an_text(p.made.trace,
				    an_mark_of(p.made.trace, 0)->text),
			    "late");
	assert_int_equal(an_n_losses(p.made.trace), 1);
	assert_int_equal(an_loss_of(p.made.trace, 0)->count, 7);
	assert_string_equal(
		an_text(p.made.trace,
			an_event_of(p.made.trace,
				    an_loss_of(p.made.trace, 0)->event)->name),
		"cycles");
	pair_fini(&p);
}

/* A symbol that is nearer hides one that begins before it, also where it does
 * not reach the address: without it the address would get a wrong name. */
static void a_cut_keeps_the_symbol_that_hides_another(void **state)
{
	static const struct tb_symbol over[] = {
		{ "a", "wide", 0x100, 0x200, NULL },
		{ "a", "narrow", 0x180, 0x10, NULL },
	};
	static const struct tb_sample rows[] = {
		{ 10 * SEC, 0, 0, 0, 1, "a@0x200", NULL, 0, 1 },
		{ 11 * SEC, 0, 1, 0, 1, "a@0x188", NULL, 0, 1 },
		{ 11 * SEC, 0, 1, 0, 1, "a@0x110", NULL, 0, 1 },
	};
	static const struct tb_epoch epoch = { rows, ARRAY_LEN(rows) };
	static const struct tb_trace t = {
		.images = images, .n_images = 1, .symbols = over,
		.n_symbols = ARRAY_LEN(over), .threads = threads,
		.n_threads = ARRAY_LEN(threads), .events = events,
		.n_events = 1, .epochs = &epoch, .n_epochs = 1,
	};
	static const char *const word = "10";
	const struct an_selection_args args = { .tid = one_word(&word) };
	struct an_selection sel;
	struct pair p;

	(void)state;
	cut(&p, &t, &args);
	assert_int_equal(an_selection_make(&sel, &args, p.from.trace, NULL),
			 0);
	must_say_the_same(&p, &sel);
	assert_true(has_string(&p.made.bytes, "narrow"));
	assert_false(has_string(&p.made.bytes, "wide"));
	an_selection_fini(&sel);
	pair_fini(&p);
}

static void a_table_of_a_tracepoint_goes_along(void **state)
{
	struct pair p;
	struct buf a, b;

	(void)state;
	pair_empty(&p);
	assert_int_equal(tp_build(&points_trace, &p.from.bytes, &p.err), 0);
	assert_int_equal(trace_open(&p.from), 0);
	open_made(&p, rewritten_whole(&p.made.bytes, p.from.trace, &p.err));
	spell(&a, p.from.trace, NULL);
	spell(&b, p.made.trace, NULL);
	assert_string_equal((const char *)a.p, (const char *)b.p);
	assert_int_equal(an_n_tracepoints(p.made.trace),
			 an_n_tracepoints(p.from.trace));
	buf_fini(&a);
	buf_fini(&b);
	pair_fini(&p);
}

/* Damage to any one chunk leaves a new trace that is sound and says what the
 * damaged one said: lost names stay lost. */
static void a_damaged_trace_becomes_a_sound_one(void **state)
{
	static const struct tb_trace t = {
		TABLES, .epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
		.part_samples = 2,
	};
	struct buf whole;
	struct err err = { 0 };

	(void)state;
	buf_init(&whole, 0);
	assert_int_equal(tb_build(&t, &whole, &err), 0);
	for (size_t at = 100; at < whole.n; at += 97) {
		struct pair p;
		struct buf a, b;

		pair_empty(&p);
		buf_put(&p.from.bytes, whole.p, whole.n);
		p.from.bytes.p[at] ^= 0x55;
		if (trace_open(&p.from) == 0) {
			open_made(&p, rewritten_whole(&p.made.bytes,
						      p.from.trace, &p.err));
			spell(&a, p.from.trace, NULL);
			spell(&b, p.made.trace, NULL);
			assert_string_equal((const char *)a.p,
					    (const char *)b.p);
			buf_fini(&a);
			buf_fini(&b);
		}
		pair_fini(&p);
	}
	buf_fini(&whole);
}

static void without_memory_it_fails_and_says_so(void **state)
{
	static const char *const word = "10";
	const struct an_selection_args args = { .tid = one_word(&word) };
	struct trace_in_memory m = { 0 };
	bool failed = true;

	(void)state;
	trace_must(&m, &two_epochs);
	for (long n = 1; failed; n++) {
		struct err err = { 0 };
		struct buf made;
		int rc;

		buf_init(&made, 0);
		failalloc_at(n);
		rc = rewritten_cut(&made, m.trace, &args, &err);
		failed = failalloc_hit();
		failalloc_off();
		/* An index is not needed. */
		if (failed && rc)
			assert_int_equal(rc, ERR_NOMEM);
		else if (!failed)
			assert_int_equal(rc, 0);
		buf_fini(&made);
	}
	trace_fini(&m);
}

static void a_level_that_there_is_not_is_refused(void **state)
{
	static const struct tf_file_info info = { .file_id = { 1 } };
	struct tf_sink *sink;
	struct tf_writer *w;
	struct err err = { 0 };
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(tf_sink_memory(&sink, &b, &err), 0);
	assert_int_equal(tf_writer_new(&w, sink, &info, &err), 0);
	assert_int_equal(tf_writer_set_level(w, 0, &err), ERR_USAGE);
	assert_int_equal(tf_writer_set_level(w, 1000, &err), ERR_USAGE);
	assert_int_equal(tf_writer_set_level(w, 9, &err), 0);
	assert_int_equal(tf_writer_end(w, &err), 0);
	tf_writer_free(w);
	(void)tf_sink_close(sink, NULL);
	must_be_sound(&b);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_trace_has_the_same_rows),
		cmocka_unit_test(equal_definitions_of_epochs_become_one),
		cmocka_unit_test(parts_have_as_many_rows_as_asked_for),
		cmocka_unit_test(a_cut_says_what_the_selection_said),
		cmocka_unit_test(a_cut_has_only_what_its_rows_need),
		cmocka_unit_test(a_cut_in_time_has_the_marks_and_losses_of_it),
		cmocka_unit_test(a_cut_keeps_the_symbol_that_hides_another),
		cmocka_unit_test(a_table_of_a_tracepoint_goes_along),
		cmocka_unit_test(a_damaged_trace_becomes_a_sound_one),
		cmocka_unit_test(without_memory_it_fails_and_says_so),
		cmocka_unit_test(a_level_that_there_is_not_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
