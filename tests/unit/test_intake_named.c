#include "record/import/intake.h"

#include "format/base/mem.h"
#include "tests/support/intakeback.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* -- Named frames ---------------------------------------------------------- */

static void frames_keep_their_names_and_places(void **state)
{
	static const char *const want[] = {
		"[kernel.kallsyms]:ffffffff81000123=sys_read+23 "
		"[kernel.vmlinux]:ffffffff82000004=entry+4 | "
		"/lib/libc.so:7f0000001010=read+10 /bin/x:401000=main+1000",
		"[kernel.kallsyms]:ffffffff81000200=sys_read+100",
		"/bin/x:400008=main+8",
		"/bin/x:55",
		":0=gone+0",
	};
	const struct rec_named_frame deep[] = {
		ib_named("[kernel.kallsyms]", "sys_read", 0xffffffff81000123,
			 0x23),
		ib_named("[kernel.vmlinux]", "entry", 0xffffffff82000004, 4),
		ib_named("/lib/libc.so", "read", 0x7f0000001010, 0x10),
		ib_named("/bin/x", "main", 0x401000, 0x1000),
	};
	const struct rec_named_frame more[] = {
		ib_named("[kernel.kallsyms]", "sys_read", 0xffffffff81000200,
			 0x100),
		ib_named("/bin/x", "main", 0x400008, 8),
		ib_named("/bin/x", "", 0x55, IB_NONE),
		ib_named("", "gone", IB_NONE, IB_NONE),
	};
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_put_named(&f, e, 1, deep, ARRAY_LEN(deep));
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		ib_put_named(&f, e, 2 + i, &more[i], 1);
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

static void one_address_may_have_several_names(void **state)
{
	static const char *const want[] = {
		/* two that were inlined, in the function that has them */
		"/bin/x:401010=a+0 | /bin/x:401010=b+0 /bin/x:401010=main+10",
		/* another process has something else there */
		"/bin/x:401008=other+8",
		"/bin/x:401010=main+10",
		"/bin/x:401010",
	};
	const struct rec_named_frame inlined[] = {
		ib_named("/bin/x", "a", 0x401010, IB_NONE),
		ib_named("/bin/x", "b", 0x401010, IB_NONE),
		ib_named("/bin/x", "main", 0x401010, 0x10),
	};
	const struct rec_named_frame more[] = {
		ib_named("/bin/x", "other", 0x401008, 8),
		ib_named("/bin/x", "main", 0x401010, 0x10),
		ib_named("/bin/x", "", 0x401010, IB_NONE),
	};
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_put_named(&f, e, 1, inlined, ARRAY_LEN(inlined));
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		ib_put_named(&f, e, 2 + i, &more[i], 1);
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

/* Reports have one row for it. */
static void a_function_is_one_wherever_its_image_lies(void **state)
{
	const struct rec_named_frame there[] = {
		ib_named("/lib/libc.so", "read", 0x7f0000001010, 0x10),
		ib_named("/lib/libc.so", "read", 0x7e0000001010, 0x10),
		ib_named("/lib/libc.so", "read", 0x7d0000001800, 0x800),
		ib_named("/lib/libc.so", "read", 0x7d0000001800, IB_NONE),
		ib_named("/lib/libc.so", "read", IB_NONE, 0x20),
	};
	struct intakeback f;
	uint32_t symbol = AN_NONE;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (size_t i = 0; i < ARRAY_LEN(there); i++)
		ib_put_named(&f, e, 1 + i, &there[i], 1);
	ib_turn(&f);
	for (uint32_t i = 0; i < an_n_frames(f.trace); i++) {
		const struct an_frame *fr = an_frame_of(f.trace, i);

		if (fr->symbol == AN_NONE)
			continue;
		assert_true(symbol == AN_NONE || symbol == fr->symbol);
		symbol = fr->symbol;
	}
	assert_int_not_equal(symbol, AN_NONE);
	ib_end(&f);
}

/* A function that turns out to reach into what was placed behind it. */
static void a_function_that_is_in_the_way_moves(void **state)
{
	static const char *const want[] = {
		"/bin/x:1000=f+0", "/bin/x:1080=g+0", "/bin/x:100=f+100",
		"/bin/x:1080=g+0", "/bin/x:0=f+0",
	};
	const struct rec_named_frame frames[] = {
		ib_named("/bin/x", "f", 0x1000, 0),
		ib_named("/bin/x", "g", 0x1080, 0),
		ib_named("/bin/x", "f", 0x5100, 0x100),
		ib_named("/bin/x", "g", 0x1080, 0),
		ib_named("/bin/x", "f", 0x1000, 0),
	};
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (size_t i = 0; i < ARRAY_LEN(frames); i++)
		ib_put_named(&f, e, 1 + i, &frames[i], 1);
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

static void hundreds_of_names_for_one_address_are_all_told_apart(void **state)
{
	static char names[300][16];
	struct rowsback rows;
	struct intakeback f;
	char got[IB_STACK];
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct rec_named_frame one;

		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		one = ib_named("/bin/x", names[i], 0x401000, 0x10);
		ib_put_named(&f, e, 1 + i, &one, 1);
	}
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char end_of[64];

		snprintf(end_of, sizeof(end_of), "=f%zu+10", i);
		assert_string_equal(
			strchr(ib_stack(&f, &rows.items[i], got), '='), end_of);
	}
	rowsback_fini(&rows);
	ib_end(&f);
}

static void a_stack_of_any_depth_is_taken(void **state)
{
	static struct rec_named_frame frames[6000];
	struct rowsback rows;
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (size_t i = 0; i < ARRAY_LEN(frames); i++)
		frames[i] = ib_named("/bin/x", i & 1 ? "odd" : "even",
				     0x401000 + i * 0, i & 1);
	ib_put_named(&f, e, 1, frames, ARRAY_LEN(frames));
	ib_put_named(&f, e, 2, frames, 0);
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.items[0].v[TF_SAMPLE_FLAGS], TF_SAMPLE_TRUNCATED);
	assert_int_equal(rows.items[1].v[TF_SAMPLE_FLAGS], TF_SAMPLE_NO_CHAIN);
	rowsback_fini(&rows);
	ib_end(&f);
}

/* More images than are remembered: the first ones come again as if they were
 * new. */
static void what_was_forgotten_comes_again_under_its_name(void **state)
{
	const size_t n = 40000;
	struct rowsback rows;
	struct intakeback f;
	char got[IB_STACK], path[16], want[40];
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (size_t i = 0; i < 2 * n; i++) {
		struct rec_named_frame one;

		snprintf(path, sizeof(path), "/i%zu", i % n);
		one = ib_named(path, i < n ? "f" : "g", 0x1000, 0);
		ib_put_named(&f, e, 1 + i, &one, 1);
	}
	ib_turn_large(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, 2 * n);
	for (size_t i = 0; i < 2 * n; i += 997) {
		snprintf(want, sizeof(want), "/i%zu:1000=%s+0", i % n,
			 i < n ? "f" : "g");
		assert_string_equal(ib_stack(&f, &rows.items[i], got), want);
	}
	rowsback_fini(&rows);
	ib_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_keep_their_names_and_places),
		cmocka_unit_test(one_address_may_have_several_names),
		cmocka_unit_test(a_function_is_one_wherever_its_image_lies),
		cmocka_unit_test(a_function_that_is_in_the_way_moves),
		cmocka_unit_test(
			hundreds_of_names_for_one_address_are_all_told_apart),
		cmocka_unit_test(a_stack_of_any_depth_is_taken),
		cmocka_unit_test(
			what_was_forgotten_comes_again_under_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
