/* What is loaded of a trace, and by how many threads, changes nothing of what
 * is said of it. */
#include "analyze/merge.h"
#include "analyze/profile.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/bin/app", "build-id-of-app", 0 },
	{ "lib", TF_IMAGE_ELF, "/lib/lib.so", NULL, 0 },
	{ "k", TF_IMAGE_KERNEL, "kernel", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "app", "main", 0x100, 0x100, NULL },
	{ "app", "work", 0x200, 0x100, NULL },
	{ "lib", "copy", 0x100, 0x100, NULL },
	{ "lib", "sort", 0x200, 0x100, NULL },
	{ "k", "sys_read", 0x100, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 7, 7, "one", 5 }, { 8, 7, "two", 6 }, { 9, 9, "three", 7 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
	{ "page-faults", "", 1, 2, 0, 1, true },
};

/* Epoch e has its rows from 1000 e on; each row 1 ns of 40 in all. `lib` and
 * the kernel are met first in the epochs 3 and 5. */
#define E(n, thread, user, kernel)                                             \
	static const struct tb_sample rows_##n[] = {                           \
		{ 1000 * (n) + 1, 0, 0, 0, 1, "main;work", NULL, 0, 20 },      \
		{ 1000 * (n) + 11, 1, thread, 1, 2, user, kernel, 0, 20 },     \
	}
E(1, 0, "main", NULL);
E(2, 1, "main;work;work", NULL);
E(3, 2, "main;copy", NULL);
E(4, 1, "main;copy", NULL);
E(5, 2, "main;sort;copy", "sys_read");
E(6, 0, "main;sort", "sys_read");
E(7, 1, "main;copy;work", NULL);
E(8, 2, "main;work", "sys_read");
E(9, 0, "main;main;main", NULL);
E(10, 1, "main;sort", NULL);
E(11, 2, "main", "sys_read");

#define EPOCH(n) { rows_##n, ARRAY_LEN(rows_##n) }
static const struct tb_epoch epochs[] = {
	EPOCH(1), EPOCH(2), EPOCH(3), EPOCH(4), EPOCH(5), EPOCH(6), EPOCH(7),
	EPOCH(8), EPOCH(9), EPOCH(10), EPOCH(11),
};
static const struct tb_loss losses[] = {
	{ 11030, 3, TF_LOSS_RING, 1, 0 },
};
static const struct tb_mark marks[] = {
	{ 4000, TF_MARK_COMMAND, 7, "half", 3 },
};
static const struct tb_fact facts[] = { { "command", "app" } };
static const struct tb_trace tb = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.events = events, .n_events = ARRAY_LEN(events),
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
	.losses = losses, .n_losses = ARRAY_LEN(losses),
	.marks = marks, .n_marks = ARRAY_LEN(marks),
	.facts = facts, .n_facts = ARRAY_LEN(facts),
	.part_samples = 4,
};

struct opened {
	struct trace_in_memory m;
	struct an_selection sel;
	struct buf text;
	size_t chunks; /* that were looked at */
	uint64_t damage;
};

static void put_row(struct buf *to, const struct an_trace *t,
		    const struct an_sample *s)
{
	const struct an_place place = { .ip = s->ip, .kstack = s->kstack,
					.ustack = s->ustack,
					.flags = s->flags };
	uint32_t frames[16];
	size_t n = an_place_frames(t, &place, frames, ARRAY_LEN(frames));

	buf_printf(to, "%lu %u %s %s", (unsigned long)s->time, s->cpu,
		   an_text(t, an_thread_of(t, s->thread)->comm),
		   an_text(t, an_event_of(t, s->event)->name));
	for (size_t i = 0; i < n; i++) {
		struct span name = an_frame_name(t, frames[i]);

		buf_printf(to, " %.*s", (int)name.n, (const char *)name.p);
	}
	buf_u8(to, '\n');
}

/* What holds for the whole file, then the selected rows in the order of their
 * time. */
static void put_all(struct opened *o)
{
	struct an_trace *t = o->m.trace;
	const struct an_sample *s;
	struct an_merge *merge;
	int rc;

	for (uint32_t i = 0; i < an_n_losses(t); i++)
		buf_printf(&o->text, "lost %s\n",
			   an_text(t, an_event_of(t, an_loss_of(t, i)->event)
					      ->name));
	for (uint32_t i = 0; i < an_n_marks(t); i++)
		buf_printf(&o->text, "mark %s\n",
			   an_text(t, an_mark_of(t, i)->text));
	buf_printf(&o->text, "command %s\n", an_fact(t, "command"));
	assert_int_equal(an_merge_new(&merge, t, &o->sel, NULL), 0);
	while ((rc = an_merge_next(merge, &s, NULL)) == 0)
		put_row(&o->text, t, s);
	assert_int_equal(rc, 1);
	an_merge_free(merge);
	buf_u8(&o->text, 0);
	o->chunks = tf_reader_loaded(an_trace_reader(t));
	o->damage = an_trace_damage(t);
}

static void open_as(struct opened *o, struct an_opening how,
		    const struct an_selection_args *args, size_t hole)
{
	struct tf_source *source;

	*o = (struct opened){ .chunks = 0 };
	buf_init(&o->text, 0);
	assert_int_equal(trace_build(&o->m, &tb), 0);
	if (hole)
		o->m.bytes.p[o->m.bytes.n * hole / 16] ^= 0xff;
	how.log = &o->m.log;
	assert_int_equal(tf_source_memory(&source,
					  span_of(o->m.bytes.p, o->m.bytes.n),
					  NULL), 0);
	assert_int_equal(an_trace_from_as(&o->m.trace, source, &how, NULL), 0);
	assert_int_equal(an_selection_make(&o->sel, args, o->m.trace, NULL),
			 0);
	put_all(o);
}

static void close_it(struct opened *o)
{
	an_selection_fini(&o->sel);
	buf_fini(&o->text);
	trace_fini(&o->m);
}

static void assert_same(const struct opened *a, const struct opened *b)
{
	assert_string_equal((const char *)a->text.p, (const char *)b->text.p);
	assert_int_equal(a->damage, b->damage);
}

static void a_slice_says_what_the_whole_file_says_of_its_time(void **state)
{
	static const char *const times[] = {
		"@1000ns,@1999ns", "@3005ns,@3020ns", "@5000ns,@6020ns",
		"@11000ns,", ",@1005ns", "50%,51%", "@20000ns,",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		const struct an_selection_args args = { .time = times[i] };
		struct opened whole, part;

		open_as(&whole, (struct an_opening){ .threads = 1 }, &args, 0);
		open_as(&part, (struct an_opening){ .selection = &args },
			&args, 0);
		assert_same(&whole, &part);
		assert_true(an_n_nodes(part.m.trace) <=
			    an_n_nodes(whole.m.trace));
		close_it(&whole);
		close_it(&part);
	}
}

static void a_slice_of_one_epoch_leaves_chunks_of_others_alone(void **state)
{
	const struct an_selection_args args = { .time = "@6000ns,@6999ns" };
	struct opened whole, part;

	(void)state;
	open_as(&whole, (struct an_opening){ .threads = 1 }, &args, 0);
	open_as(&part, (struct an_opening){ .selection = &args }, &args, 0);
	assert_true(part.chunks < whole.chunks);
	assert_true(an_n_nodes(part.m.trace) < an_n_nodes(whole.m.trace));
	close_it(&whole);
	close_it(&part);
}

static void threads_of_other_times_can_be_asked_for_in_a_slice(void **state)
{
	char *names[] = { (char *)"three" };
	const struct an_selection_args args = {
		.time = "@1000ns,@1999ns",
		.comm = { .items = (void *)names, .n = 1 },
	};
	struct opened whole, part;

	(void)state;
	open_as(&whole, (struct an_opening){ .threads = 1 }, &args, 0);
	open_as(&part, (struct an_opening){ .selection = &args }, &args, 0);
	assert_same(&whole, &part);
	close_it(&whole);
	close_it(&part);
}

static void any_number_of_threads_reads_the_same(void **state)
{
	const struct an_selection_args args = { .time = NULL };
	struct opened one, many;

	(void)state;
	open_as(&one, (struct an_opening){ .threads = 1 }, &args, 0);
	for (unsigned n = 2; n <= 9; n += 3) {
		open_as(&many, (struct an_opening){ .threads = n }, &args, 0);
		assert_same(&one, &many);
		close_it(&many);
	}
	close_it(&one);
}

static void damage_is_the_same_to_any_number_of_threads(void **state)
{
	const struct an_selection_args args = { .time = NULL };

	(void)state;
	for (size_t hole = 1; hole < 16; hole++) {
		struct opened one, many;

		open_as(&one, (struct an_opening){ .threads = 1 }, &args,
			hole);
		open_as(&many, (struct an_opening){ .threads = 4 }, &args,
			hole);
		assert_same(&one, &many);
		close_it(&one);
		close_it(&many);
	}
}

static void dropped_ids_are_the_same_when_they_come_again(void **state)
{
	const struct an_selection_args args = { .time = NULL };
	struct opened held, dropped;

	(void)state;
	open_as(&held, (struct an_opening){ .threads = 1 }, &args, 0);
	open_as(&dropped, (struct an_opening){ .ids = 1 }, &args, 0);
	assert_same(&held, &dropped);
	assert_int_equal(an_n_nodes(held.m.trace),
			 an_n_nodes(dropped.m.trace));
	close_it(&held);
	close_it(&dropped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_slice_says_what_the_whole_file_says_of_its_time),
		cmocka_unit_test(
			a_slice_of_one_epoch_leaves_chunks_of_others_alone),
		cmocka_unit_test(
			threads_of_other_times_can_be_asked_for_in_a_slice),
		cmocka_unit_test(any_number_of_threads_reads_the_same),
		cmocka_unit_test(damage_is_the_same_to_any_number_of_threads),
		cmocka_unit_test(
			dropped_ids_are_the_same_when_they_come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
