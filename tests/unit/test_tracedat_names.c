/* The kernel's functions by the kallsyms that a recording holds. */
#include "record/symbol/own.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/intakeback.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL UINT64_C(0xffffffff81000000)
#define MODULE UINT64_C(0xffffffffc0000000)

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000010 t first\n"
	"ffffffff81000100 T second\n"
	"ffffffff81000100 T __pi_second\n"
	"ffffffff81002000 T _etext\n"
	"ffffffff82000000 D some_data\n"
	"ffffffffc0000000 t start\t[mod]\n"
	"ffffffffc0000040 T inside\t[mod]\n"
	"ffffffffbfff0000 t bpf_prog_1234\t[bpf]\n"
	"ffffffffc0100000 t bpf_prog_5678\t[bpf]\n";

static void give(struct intakeback *f, const char *text)
{
	ib_begin(f, true);
	assert_int_equal(rec_intake_kallsyms(f->in, ib_text(text), NULL), 0);
}

static void put(struct intakeback *f, size_t event, const uint64_t *words,
		size_t n)
{
	ib_put_chain(f, event,
		     ib_sample(5, 5, 1, PERF_RECORD_MISC_KERNEL, words[1]),
		     words, n);
}

static void stacks_have_the_names_of_the_recorded_kernel(void **state)
{
	static const char *const want[] = {
		"[kernel.kallsyms]:14=first+4 [kernel.kallsyms]:108=second+8 "
		"[mod]:44=inside+4 [bpf]:110010=bpf_prog_5678+10",
	};
	const uint64_t words[] = {
		(uint64_t)PERF_CONTEXT_KERNEL, KERNEL + 0x14, KERNEL + 0x108,
		MODULE + 0x44, MODULE + 0x100010,
	};
	struct intakeback f;

	(void)state;
	give(&f, kallsyms);
	put(&f, ib_event(&f, "cycles"), words, ARRAY_LEN(words));
	ib_check_stacks(&f, want, 1);
}

static void an_address_that_only_a_payload_holds_has_a_name(void **state)
{
	static const char format[] =
		"name: ping\nID: 77\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\t"
		"signed:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:void * f;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"%ps\", REC->f\n";
	const uint8_t payload[16] = { 77, 0, 0, 0, 1, 0, 0, 0,
				      0x04, 0x01, 0, 0x81, 255, 255, 255, 255 };
	char system[] = "test", name[] = "ping", full[] = "test:ping";
	struct rec_event e = { .name = full, .system = system,
			       .tracepoint = name, .scale = 1 };
	struct rec_record r = ib_sample(5, 5, 1, 0, 0);
	struct rowsback rows;
	struct intakeback f;
	size_t index;

	(void)state;
	give(&f, kallsyms);
	assert_int_equal(rec_intake_event(f.in, &e, ib_text(format), &index,
					  NULL), 0);
	r.sample.raw = span_of(payload, sizeof(payload));
	ib_put(&f, index, r);
	ib_turn(&f);
	assert_string_equal(an_fact(f.trace, "kernel_text"),
			    "0xffffffff81000000");
	ib_rows(&f, &rows, TF_TABLE_SYMBOL);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.items[0].v[TF_SYMBOL_START], 0x100);
	assert_int_equal(rows.items[0].v[TF_SYMBOL_SIZE], 0x2000 - 0x100);
	rowsback_fini(&rows);
	ib_end(&f);
}

static void each_function_is_told_once(void **state)
{
	const uint64_t words[] = { (uint64_t)PERF_CONTEXT_KERNEL,
				   KERNEL + 0x14, KERNEL + 0x18,
				   KERNEL + 0x20 };
	struct rowsback rows;
	struct intakeback f;
	size_t event;

	(void)state;
	give(&f, kallsyms);
	event = ib_event(&f, "cycles");
	for (int i = 0; i < 3; i++)
		put(&f, event, words, ARRAY_LEN(words));
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SYMBOL);
	assert_int_equal(rows.n, 1);
	rowsback_fini(&rows);
	ib_end(&f);
}

/* No names, and the reason is a remark. */
static void check_nameless(const char *text, const char *why)
{
	const uint64_t words[] = { (uint64_t)PERF_CONTEXT_KERNEL,
				   KERNEL + 0x14 };
	struct rowsback rows;
	struct intakeback f;

	give(&f, text);
	put(&f, ib_event(&f, "cycles"), words, ARRAY_LEN(words));
	ib_turn(&f);
	assert_non_null(an_fact(f.trace, "note.kernel_names"));
	assert_non_null(strstr(an_fact(f.trace, "note.kernel_names"), why));
	assert_null(an_fact(f.trace, "kernel_text"));
	ib_rows(&f, &rows, TF_TABLE_SYMBOL);
	assert_int_equal(rows.n, 0);
	rowsback_fini(&rows);
	ib_end(&f);
}

static void kallsyms_that_show_nothing_name_nothing(void **state)
{
	(void)state;
	check_nameless("0000000000000000 T _text\n0000000000000000 t first\n",
		       "shows no addresses");
	/* Only what a module's events need was recorded. */
	check_nameless("ffffffffc0000000 t start\t[mod]\n", "has no _text");
	check_nameless("", "has no _text");
	check_nameless("rubbish\n\n\xff\n", "has no _text");
}

static void addresses_of_four_bytes_are_whole(void **state)
{
	static const char text[] = "c1000000 T _text\nc1000010 T low\n"
				   "c1001000 T _etext\n";
	struct rec_own o = { 0 };
	struct rec_symtab_hit hit;

	(void)state;
	assert_int_equal(rec_own_read(&o, ib_text(text), NULL), 0);
	assert_int_equal(o.kallsyms.text, 0xc1000000);
	assert_true(rec_kallsyms_find(&o.kallsyms, 0x12, &hit));
	assert_int_equal(hit.start, 0x10);
	assert_int_equal(o.n_areas, 1);
	assert_int_equal(o.areas[0].start, 0xc1000000);
	rec_own_fini(&o);
}

static void what_lies_between_modules_gives_way_to_them(void **state)
{
	struct rec_own o = { 0 };

	(void)state;
	assert_int_equal(rec_own_read(&o, ib_text(kallsyms), NULL), 0);
	/* The last one that holds an address is taken. */
	assert_int_equal(o.n_areas, 3);
	assert_int_equal(memcmp(o.areas[0].name.p, "[bpf]", 5), 0);
	assert_int_equal(o.areas[2].start, MODULE);
	rec_own_fini(&o);
}

static void failed_allocations_are_reported(void **state)
{
	bool hit = true;

	(void)state;
	for (long n = 1; hit; n++) {
		struct rec_own o = { 0 };
		int rc;

		failalloc_at(n);
		rc = rec_own_read(&o, ib_text(kallsyms), NULL);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		rec_own_fini(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_have_the_names_of_the_recorded_kernel),
		cmocka_unit_test(
			an_address_that_only_a_payload_holds_has_a_name),
		cmocka_unit_test(each_function_is_told_once),
		cmocka_unit_test(kallsyms_that_show_nothing_name_nothing),
		cmocka_unit_test(addresses_of_four_bytes_are_whole),
		cmocka_unit_test(what_lies_between_modules_gives_way_to_them),
		cmocka_unit_test(failed_allocations_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
