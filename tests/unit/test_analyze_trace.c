#include "analyze/profile.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", "build-id-of-a", 0 },
	{ "copy", TF_IMAGE_ELF, "/tmp/copy-of-a", "build-id-of-a", 0 },
	{ "old", TF_IMAGE_ELF, "/lib/x.so", NULL, 1 },
	{ "new", TF_IMAGE_ELF, "/lib/x.so", NULL, 2 },
	{ "k", TF_IMAGE_KERNEL, "kernel", NULL, 0 },
	{ "v", TF_IMAGE_VDSO, "vdso", NULL, 0 },
	{ "none", TF_IMAGE_UNKNOWN, "", NULL, 0 },
	{ "special", TF_IMAGE_SPECIAL, "[truncated]", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "first", 0x100, 0x10, NULL },
	{ "a", "second", 0x110, 0x10, "_Zsecond" },
	{ "a", "", 0x130, 1, NULL },
	{ "a", "wrong", 0x200, 0x10, NULL },
	{ "a", "right", 0x200, 0x20, NULL },
	{ "old", "in_old", 0x100, 0x10, NULL },
	{ "k", "sys", 0x40, 0x10, NULL },
	{ "a", "wide", 0x300, 0x100, NULL },
	{ "a", "", 0x350, 1, NULL },
};
static const struct tb_thread threads[] = {
	{ 7, 7, "one", 5 }, { 8, 7, "two", 6 }, { 8, 7, "renamed", 9 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
};

#define TRACE(eps)                                                             \
	{                                                                      \
		.images = images, .n_images = ARRAY_LEN(images),               \
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),           \
		.threads = threads, .n_threads = ARRAY_LEN(threads),           \
		.events = events, .n_events = ARRAY_LEN(events),               \
		.epochs = eps, .n_epochs = ARRAY_LEN(eps),                     \
	}

static uint32_t frame_at(const struct an_trace *t, uint64_t address)
{
	for (uint32_t i = 0; i < an_n_frames(t); i++)
		if (an_frame_of(t, i)->address == address)
			return i;
	fail_msg("no frame at %lx", (unsigned long)address);
	return AN_NONE;
}

static void assert_name(const struct an_trace *t, uint64_t address,
			const char *name)
{
	struct span s = an_frame_name(t, frame_at(t, address));

	assert_int_equal(s.n, strlen(name));
	assert_memory_equal(s.p, name, s.n);
}

static void an_exact_address_is_named_by_the_symbol_that_covers_it(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "a@0x0ff", NULL, 0, 0 },
		{ 2, 0, 0, 0, 1, "a@0x100", NULL, 0, 0 },
		{ 3, 0, 0, 0, 1, "a@0x10f", NULL, 0, 0 },
		{ 4, 0, 0, 0, 1, "a@0x110", NULL, 0, 0 },
		{ 5, 0, 0, 0, 1, "a@0x120", NULL, 0, 0 },
		{ 6, 0, 0, 0, 1, "a@0x130", NULL, 0, 0 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	assert_name(t, 0x0ff, "[unknown]");
	assert_name(t, 0x100, "first");
	assert_name(t, 0x10f, "first");
	assert_name(t, 0x110, "second");
	assert_name(t, 0x120, "[unknown]"); /* one behind its end */
	assert_name(t, 0x130, "[unknown]"); /* looked up, has none */
	trace_fini(&m);
}

static void a_return_address_is_named_by_the_byte_before_it(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "a@0x110;a@0x120;a@0x100;a@0x115", NULL, 0,
		  0 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	assert_name(t, 0x110, "first");
	assert_name(t, 0x120, "second");
	assert_name(t, 0x100, "[unknown]");
	assert_name(t, 0x115, "second"); /* the leaf: where it was */
	trace_fini(&m);
}

static void a_later_symbol_row_replaces_one_with_the_same_start(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "a@0x200", NULL, 0, 0 },
		{ 2, 0, 0, 0, 1, "a@0x21f", NULL, 0, 0 },
		{ 3, 0, 0, 0, 1, "a@0x350", NULL, 0, 0 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	assert_name(t, 0x200, "right");
	assert_name(t, 0x21f, "right");
	/* A row without a name hides no function that covers its address. */
	assert_name(t, 0x350, "wide");
	trace_fini(&m);
}

static void files_of_one_build_id_share_symbols_and_keep_their_names(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "a@0x100", NULL, 0, 0 },
		{ 2, 0, 0, 0, 1, "copy@0x101", NULL, 0, 0 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);
	uint32_t f;

	(void)st;
	assert_name(t, 0x101, "first");
	f = frame_at(t, 0x101);
	assert_string_equal(
		an_text(t, an_image_of(t, an_frame_of(t, f)->image)->dso),
		"copy-of-a");
	trace_fini(&m);
}

static void generations_of_one_path_are_different_images(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "old@0x101", NULL, 0, 0 },
		{ 2, 0, 0, 0, 1, "new@0x102", NULL, 0, 0 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	assert_name(t, 0x101, "in_old");
	assert_name(t, 0x102, "[unknown]");
	trace_fini(&m);
}

static void shared_objects_are_named_as_perf_names_them(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "a@0x1", NULL, 0, 0 },
		{ 2, 0, 0, 0, 1, "v@0x2", NULL, 0, 0 },
		{ 3, 0, 0, 0, 1, "none@0x3", NULL, 0, 0 },
		{ 4, 0, 0, 0, 1, "a@0x1", "k@0x4", 0, 0 },
		{ 5, 0, 0, 0, 1, "special@0x5", NULL, 0, 0 },
	};
	static const char *const dsos[] = { "", "a", "[vdso]", "[unknown]",
					    "[kernel.kallsyms]" };
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	for (uint64_t at = 1; at < ARRAY_LEN(dsos); at++) {
		const struct an_frame *f = an_frame_of(t, frame_at(t, at));

		assert_string_equal(
			an_text(t, an_image_of(t, f->image)->dso), dsos[at]);
	}
	assert_name(t, 5, "[truncated]");
	trace_fini(&m);
}

/* The frame is one in the file: the address has its top bit set, the first time
 * as garbage in a user's chain. */
static void an_address_that_is_nowhere_is_of_the_half_it_is_met_in(void **st)
{
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "none@0xffff800000000001;first", NULL, 0, 0 },
		{ 2, 0, 0, 0, 1, "first",
		  "none@0xffff800000000001;sys", 0, 0 },
		{ 3, 0, 0, 0, 1, "none@0xffff800000000002", NULL, 0, 0 },
		{ 4, 0, 0, 0, 1, "first", "none@0xffff800000000002", 0, 0 },
	};
	static const struct { /* by sample, from the leaf */
		bool kernel[3];
		size_t n;
	} want[] = {
		{ { false, false }, 2 }, { { true, true, false }, 3 },
		{ { false }, 1 }, { { true, false }, 2 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	static const struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);
	struct an_profile p;
	uint32_t frames[4];

	(void)st;
	assert_int_equal(an_profile_make(&p, t, NULL, &m.err), 0);
	assert_int_equal(p.events[0].n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		size_t n = an_place_frames(t, &p.events[0].places[i], frames,
					   ARRAY_LEN(frames));

		assert_int_equal(n, want[i].n);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(an_frame_of(t, frames[k])->kernel,
					 want[i].kernel[k]);
	}
	an_profile_fini(&p);
	trace_fini(&m);
}

static void a_thread_without_a_name_is_called_by_its_number(void **st)
{
	static const struct tb_thread nameless[] = {
		{ 7, 7, "", 5 }, { 8, 7, "", 6 }, { 8, 7, "named", 9 },
	};
	static const char *const names[] = { ":7", ":8", "named" };
	static const struct tb_sample s[] = {
		{ 1, 0, 0, 0, 1, "first", NULL, 0, 0 },
		{ 2, 0, 1, 0, 1, "first", NULL, 0, 0 },
		{ 3, 0, 2, 0, 1, "first", NULL, 0, 0 },
	};
	static const struct tb_epoch e[] = { { s, ARRAY_LEN(s) } };
	struct tb_trace tb = TRACE(e);
	struct trace_in_memory m;
	struct an_trace *t;

	(void)st;
	tb.threads = nameless;
	t = trace_must(&m, &tb);
	assert_int_equal(an_n_threads(t), ARRAY_LEN(names));
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(an_text(t, an_thread_of(t, i)->comm),
				    names[i]);
	trace_fini(&m);
}

/* The same things in two orders: ids differ from epoch to epoch. */
static const struct tb_sample forth[] = {
	{ 1, 0, 0, 0, 1, "first;second", NULL, 0, 0 },
	{ 2, 0, 1, 0, 1, "first;second;right", NULL, 0, 0 },
	{ 3, 0, 2, 0, 1, "first", "sys", 0, 0 },
};
static const struct tb_sample back[] = {
	{ 4, 0, 2, 0, 1, "first", "sys", 0, 0 },
	{ 5, 0, 1, 0, 1, "first;second;right", NULL, 0, 0 },
	{ 6, 0, 0, 0, 1, "first;second", NULL, 0, 0 },
};
static const struct tb_epoch once[] = { { forth, ARRAY_LEN(forth) } };
/* More than are kept apart. */
#define BOTH { forth, ARRAY_LEN(forth) }, { back, ARRAY_LEN(back) }
static const struct tb_epoch often[] = { BOTH, BOTH, BOTH, BOTH, BOTH };
static const struct tb_epoch twice[] = { { forth, ARRAY_LEN(forth) },
					 { back, ARRAY_LEN(back) } };

static void further_epochs_of_the_same_add_no_definition(void **st)
{
	static const struct tb_trace one = TRACE(once), many = TRACE(often);
	struct trace_in_memory a, b;
	struct an_trace *t = trace_must(&a, &one), *u = trace_must(&b, &many);

	(void)st;
	assert_int_equal(an_n_images(t), an_n_images(u));
	assert_int_equal(an_n_frames(t), an_n_frames(u));
	assert_int_equal(an_n_nodes(t), an_n_nodes(u));
	assert_int_equal(an_n_threads(t), an_n_threads(u));
	assert_int_equal(an_n_events(t), an_n_events(u));
	/* 2 callers under the user's root, and the empty stack. */
	assert_int_equal(an_n_nodes(t), 3);
	trace_fini(&a);
	trace_fini(&b);
}

static void one_epoch_and_several_give_the_same_profile(void **st)
{
	static const struct tb_sample all[] = {
		{ 1, 0, 0, 0, 1, "first;second", NULL, 0, 10 },
		{ 2, 0, 1, 0, 1, "first;second;right", NULL, 0, 10 },
		{ 3, 0, 2, 0, 1, "first", "sys", 0, 10 },
	};
	static const struct tb_epoch flat[] = { { all, ARRAY_LEN(all) } };
	static const struct tb_trace one = TRACE(flat), many = TRACE(often);
	struct trace_in_memory a, b;
	struct an_trace *t = trace_must(&a, &one), *u = trace_must(&b, &many);
	struct an_profile p, q;

	(void)st;
	assert_int_equal(an_profile_make(&p, t, NULL, &a.err), 0);
	assert_int_equal(an_profile_make(&q, u, NULL, &b.err), 0);
	assert_int_equal(p.n, 1);
	assert_int_equal(q.n, 1);
	assert_int_equal(p.events[0].n, 3);
	assert_int_equal(q.events[0].n, 3);
	assert_int_equal(q.events[0].total.samples, 30);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(q.events[0].places[i].sum.samples, 10);
	an_profile_fini(&p);
	an_profile_fini(&q);
	trace_fini(&a);
	trace_fini(&b);
}

static void stacks_of_a_few_epochs_are_the_same_apart(void **st)
{
	static const struct tb_trace tb = TRACE(twice);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);
	uint64_t sum = 0, seconds = 0;
	struct an_profile p;

	(void)st;
	assert_int_equal(an_profile_make(&p, t, NULL, &m.err), 0);
	for (size_t i = 0; i < p.events[0].n; i++) {
		const struct an_place *at = &p.events[0].places[i];
		uint32_t frames[8];
		size_t n = an_place_frames(t, at, frames, 8);

		sum += at->sum.samples;
		if (n == 2)
			seconds += at->sum.samples;
	}
	assert_int_equal(sum, 6);
	/* first;second and first;sys, in each epoch. */
	assert_int_equal(seconds, 4);
	an_profile_fini(&p);
	trace_fini(&m);
}

static void parents_are_lower_than_their_children(void **st)
{
	static const struct tb_trace many = TRACE(often);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &many);

	(void)st;
	for (uint32_t i = 1; i < an_n_nodes(t); i++)
		assert_true(an_node_of(t, i)->parent < i);
	trace_fini(&m);
}

static void ids_beyond_the_end_answer_as_lost(void **st)
{
	static const struct tb_trace tb = TRACE(once);
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);
	struct span name = an_frame_name(t, AN_NONE);

	(void)st;
	assert_memory_equal(name.p, "[lost]", name.n);
	assert_string_equal(an_text(t, AN_NONE), "[lost]");
	assert_string_equal(
		an_text(t, an_thread_of(t, AN_NONE)->comm), "[lost]");
	assert_int_equal(an_node_of(t, AN_NONE)->parent, 0);
	assert_int_equal(an_event_of(t, 12345)->name, AN_NONE);
	trace_fini(&m);
}

static void the_last_fact_of_a_key_counts(void **st)
{
	static const struct tb_fact facts[] = {
		{ "command", "a" }, { "arch", "x" }, { "command", "b" },
	};
	static const struct tb_trace tb = { .facts = facts, .n_facts = 3 };
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	assert_string_equal(an_fact(t, "command"), "b");
	assert_string_equal(an_fact(t, "arch"), "x");
	assert_null(an_fact(t, "kernel"));
	trace_fini(&m);
}

static void a_loss_names_its_event_or_none(void **st)
{
	static const struct tb_loss losses[] = {
		{ 1, 5, TF_LOSS_RING, 0, 3 }, { 2, 6, TF_LOSS_RING, -1, -1 },
	};
	static const struct tb_trace tb = { .events = events, .n_events = 1,
					    .losses = losses, .n_losses = 2 };
	struct trace_in_memory m;
	struct an_trace *t = trace_must(&m, &tb);

	(void)st;
	assert_int_equal(an_n_losses(t), 2);
	assert_string_equal(
		an_text(t, an_event_of(t, an_loss_of(t, 0)->event)->name),
		"cpu-clock");
	assert_int_equal(an_loss_of(t, 0)->cpu, 3);
	assert_int_equal(an_loss_of(t, 1)->event, AN_NONE);
	assert_int_equal(an_loss_of(t, 1)->cpu, -1);
	trace_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_exact_address_is_named_by_the_symbol_that_covers_it),
		cmocka_unit_test(
			a_return_address_is_named_by_the_byte_before_it),
		cmocka_unit_test(
			a_later_symbol_row_replaces_one_with_the_same_start),
		cmocka_unit_test(
			files_of_one_build_id_share_symbols_and_keep_their_names),
		cmocka_unit_test(generations_of_one_path_are_different_images),
		cmocka_unit_test(shared_objects_are_named_as_perf_names_them),
		cmocka_unit_test(
			an_address_that_is_nowhere_is_of_the_half_it_is_met_in),
		cmocka_unit_test(
			a_thread_without_a_name_is_called_by_its_number),
		cmocka_unit_test(further_epochs_of_the_same_add_no_definition),
		cmocka_unit_test(one_epoch_and_several_give_the_same_profile),
		cmocka_unit_test(stacks_of_a_few_epochs_are_the_same_apart),
		cmocka_unit_test(parents_are_lower_than_their_children),
		cmocka_unit_test(ids_beyond_the_end_answer_as_lost),
		cmocka_unit_test(the_last_fact_of_a_key_counts),
		cmocka_unit_test(a_loss_names_its_event_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
