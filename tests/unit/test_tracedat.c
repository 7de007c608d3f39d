#include "format/base/mem.h"
#include "tests/support/tracedat_intake.h"
#include "tests/support/tracedatbuild.h"

#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

#define K1 UINT64_C(0xffffffff81000010)
#define K2 UINT64_C(0xffffffff81000020)

/* What a file becomes. */
struct result {
	struct buf file;
	struct rec_intake in;
	struct err err;
	int rc;
};

static void import(struct result *r, struct tdb *t)
{
	*r = (struct result){ 0 };
	tdb_file(t, &r->file);
	r->rc = tracedat_intake_run(&r->in, span_of(r->file.p, r->file.n),
				    &r->err);
	buf_u8(&r->in.log, 0);
	buf_u8(&r->in.facts, 0);
	buf_u8(&r->in.format, 0);
}

static void result_fini(struct result *r)
{
	buf_fini(&r->file);
	tracedat_intake_fini(&r->in);
}

static const char *log_of(const struct result *r)
{
	return (const char *)r->in.log.p;
}

static void check_log(const struct result *r, const char *want)
{
	if (r->rc)
		fail_msg("rc %d: %s", r->rc, r->err.text);
	assert_string_equal(log_of(r), want);
}

static void check_has(const struct buf *b, const char *want)
{
	if (!strstr((const char *)b->p, want))
		fail_msg("no '%s' in:\n%s", want, (const char *)b->p);
}

static void check_fact(const struct result *r, const char *want)
{
	check_has(&r->in.facts, want);
}

/* -- Records --------------------------------------------------------------- */

static void put_name(struct tdb *t, const char *name)
{
	char field[16] = "";

	snprintf(field, sizeof(field), "%s", name);
	tdb_bytes(t, field, sizeof(field));
}

static void put_switch(struct tdb *t, unsigned buffer, unsigned cpu,
		       uint32_t delta)
{
	tdb_begin(t, TDB_SWITCH, 11);
	put_name(t, "two words");
	tdb_number(t, 4, 11);
	put_name(t, "stranger");
	tdb_number(t, 4, 20);
	tdb_commit(t, buffer, cpu, delta);
}

#define SWITCH_RAW                                                             \
	"2c0101020b000000" "74776f20776f7264730000000000" "0000" "0b000000"    \
	"737472616e6765720000000000000000" "14000000"

static void put_all(struct tdb *t, unsigned cpu, uint32_t delta)
{
	tdb_begin(t, TDB_ALL, 10);
	tdb_number(t, 1, 0x11);
	tdb_number(t, 2, 0x2233);
	tdb_number(t, 4, 0x44556677);
	tdb_number(t, 8, 0x8899aabbccddeeff);
	tdb_number(t, 2, 0x0102);
	tdb_number(t, 2, 0x0304);
	tdb_number(t, 4, 4u << 16 | 36); /* name */
	tdb_number(t, 4, 8u << 16 | 40); /* list */
	tdb_bytes(t, "abc", 4);
	tdb_number(t, 4, 0x05060708);
	tdb_number(t, 4, 0x090a0b0c);
	tdb_commit(t, 0, cpu, delta);
}

#define ALL_RAW                                                                \
	"2d0101020a000000" "1100" "3322" "77665544" "ffeeddccbbaa9988"         \
	"02010403" "24000400" "28000800" "61626300" "08070605" "0c0b0a09"

static void put_stack(struct tdb *t, unsigned id, unsigned cpu, int32_t pid,
		      uint64_t first, const uint64_t *callers, size_t n)
{
	tdb_begin(t, id, pid);
	tdb_number(t, 4, first);
	for (size_t i = 0; i < n; i++)
		tdb_long(t, callers[i]);
	tdb_commit(t, 0, cpu, 1);
}

static void put_print(struct tdb *t, unsigned cpu, uint32_t delta,
		      const char *text)
{
	tdb_begin(t, TDB_PRINT, 10);
	tdb_long(t, 0x1234);
	tdb_bytes(t, text, strlen(text) + 1);
	tdb_commit(t, 0, cpu, delta);
}

static void put_scene(struct tdb *t)
{
	const uint64_t callers[] = { K1, K2 };

	tdb_page(t, 0, 0, 1000, 0);
	put_all(t, 0, 5);
	put_print(t, 0, 10, "hello\n");
	tdb_page(t, 0, 1, 1002, 0);
	put_switch(t, 0, 1, 1);
	put_stack(t, TDB_KERNEL_STACK, 1, 11, 2, callers, 2);
}

#define NAMES                                                                  \
	"comm -1/0 'swapper'\n"                                                \
	"comm -1/10 'one'\n"                                                   \
	"comm -1/11 'two words'\n"

static const char scene_log[] =
	NAMES
	"comm -1/20 'stranger'\n"
	"event 0 sched:sched_switch (sched:sched_switch) chained\n"
	"row 0 -1/11 cpu1 @1003 k: ffffffff81000010 ffffffff81000020 "
	"ip ffffffff81000010 raw " SWITCH_RAW "\n"
	"event 1 test:all (test:all) chained\n"
	"row 1 -1/10 cpu0 @1005 ip 0 raw " ALL_RAW "\n"
	"mark 10 @1015 'hello'\n"
	"event 2 ftrace:print (ftrace:print) chained\n"
	"row 2 -1/10 cpu0 @1015 ip 0 raw 050001020a000000" "3412000000000000"
	"14000800" "68656c6c6f0a0000\n";

static void check_scene(int version, bool big, const char *codec)
{
	struct result r;
	struct tdb t;

	tdb_init(&t, version, big, 8);
	t.codec = codec;
	put_scene(&t);
	import(&r, &t);
	check_log(&r, scene_log);
	check_fact(&r, "clock=monotonic\n");
	check_fact(&r, "import.stacks=1\n");
	result_fini(&r);
	tdb_fini(&t);
}

static void version_6_gives_rows_by_time_with_marks_and_stacks(void **state)
{
	(void)state;
	check_scene(6, false, "none");
}

static void version_7_gives_the_same_however_it_is_compressed(void **state)
{
	(void)state;
	check_scene(7, false, "none");
	check_scene(7, false, "zstd");
	check_scene(7, false, "zlib");
}

static void big_endian_files_give_the_same_bytes(void **state)
{
	(void)state;
	check_scene(6, true, "none");
	check_scene(7, true, "none");
	check_scene(7, true, "zstd");
}

static void longs_of_four_bytes_are_read_as_such(void **state)
{
	const uint64_t callers[] = { 0xc1000010, 0xc1000020, UINT32_MAX,
				     0xc1000030 };
	struct result r;
	struct tdb t;

	(void)state;
	for (int big = 0; big < 2; big++) {
		tdb_init(&t, 6, big, 4);
		t.comms = "";
		tdb_page(&t, 0, 0, 1000, 0);
		put_print(&t, 0, 1, "four");
		/* All ones end a stack, whatever its number says. */
		put_stack(&t, TDB_KERNEL_STACK, 0, 10, 8, callers, 4);
		import(&r, &t);
		check_log(&r,
			  "comm -1/0 'swapper'\n"
			  "mark 10 @1001 'four'\n"
			  "event 0 ftrace:print (ftrace:print) chained\n"
			  "row 0 -1/10 cpu0 @1001 k: c1000010 c1000020 "
			  "ip c1000010 raw 050001020a00000034120000"
			  "10000800666f757200000000\n");
		result_fini(&r);
		tdb_fini(&t);
	}
}

/* -- Events that are more than rows ---------------------------------------- */

static void user_stacks_follow_kernel_stacks_and_end_at_zero(void **state)
{
	const uint64_t callers[8] = { 0x401000, 0x402000 };
	const uint64_t kernel[] = { K1 };
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 7, false, 8);
	tdb_page(&t, 0, 0, 1000, 0);
	put_print(&t, 0, 1, "x");
	put_stack(&t, TDB_KERNEL_STACK, 0, 10, 1, kernel, 1);
	put_stack(&t, TDB_USER_STACK, 0, 10, 10, callers, 8);
	import(&r, &t);
	check_has(&r.in.log, "@1001 k: ffffffff81000010 u: 401000 402000 "
			     "ip ffffffff81000010 raw ");
	check_fact(&r, "import.stacks=2\n");
	assert_int_equal(r.in.n_samples, 1);
	result_fini(&r);
	tdb_fini(&t);
}

static void a_stack_of_another_thread_is_a_row_of_its_own(void **state)
{
	const uint64_t kernel[] = { K1 };
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 7, false, 8);
	tdb_page(&t, 0, 0, 1000, 0);
	put_print(&t, 0, 1, "x");
	put_stack(&t, TDB_KERNEL_STACK, 0, 99, 1, kernel, 1);
	import(&r, &t);
	check_has(&r.in.log, "row 0 -1/10 cpu0 @1001 raw ");
	check_has(&r.in.log, "row 1 -1/99 cpu0 @1002 raw 0400010263000000");
	result_fini(&r);
	tdb_fini(&t);
}

static void an_open_string_becomes_a_dynamic_one_in_its_format(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	tdb_page(&t, 0, 0, 1000, 0);
	put_print(&t, 0, 1, "x");
	import(&r, &t);
	check_has(&r.in.format, "\tfield:__data_loc char[] buf;\toffset:16;\t"
				"size:4;\tsigned:0;\n");
	check_has(&r.in.format, "print fmt: \"%ps: %s\", (void *)REC->ip, "
				"__get_str(buf)\n");
	result_fini(&r);
	tdb_fini(&t);
}

static void open_bytes_that_are_no_text_stay_bytes(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	tdb_page(&t, 0, 0, 1000, 0);
	tdb_begin(&t, TDB_RAW_DATA, 10);
	tdb_number(&t, 4, 7);
	tdb_bytes(&t, "\0\1\2\3", 4);
	tdb_commit(&t, 0, 0, 1);
	import(&r, &t);
	check_has(&r.in.format, "field:__data_loc unsigned char[] buf;");
	check_has(&r.in.log, "raw 120001020a000000" "07000000" "10000400"
			     "00010203\n");
	assert_null(strstr(log_of(&r), "mark"));
	result_fini(&r);
	tdb_fini(&t);
}

static const char printk[] =
	"0xffffffff82000000 : \"a text\\n\"\n"
	"0xffffffff82000010 : \"%d of %-4lu|%s: 0x%04x %c%%\\n\"\n";

static void texts_elsewhere_become_marks(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	for (int big = 0; big < 2; big++) {
		tdb_init(&t, 6, big, 8);
		t.printk = printk;
		tdb_page(&t, 0, 0, 1000, 0);
		tdb_begin(&t, TDB_BPUTS, 10);
		tdb_long(&t, 1);
		tdb_long(&t, 0xffffffff82000000);
		tdb_commit(&t, 0, 0, 1);
		tdb_begin(&t, TDB_BPRINT, 10);
		tdb_long(&t, 1);
		tdb_long(&t, 0xffffffff82000010);
		tdb_number(&t, 4, (uint32_t)-5);
		/* Eight bytes aligned to four: two words at 28. */
		tdb_number(&t, 4, big ? 0 : 77);
		tdb_number(&t, 4, big ? 77 : 0);
		tdb_bytes(&t, "name", 5);
		tdb_number(&t, 4, 0xab);
		tdb_bytes(&t, "c", 1);
		tdb_commit(&t, 0, 0, 1);
		import(&r, &t);
		check_has(&r.in.log, "mark 10 @1001 'a text'\n");
		check_has(&r.in.log,
			  "mark 10 @1002 '-5 of 77  |name: 0x00ab c%'\n");
		check_fact(&r, "printk_formats=0xffffffff82000000 : ");
		result_fini(&r);
		tdb_fini(&t);
	}
}

static void records_without_a_format_are_counted(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	tdb_page(&t, 0, 0, 1000, 0);
	tdb_begin(&t, 999, 10);
	tdb_commit(&t, 0, 0, 1);
	put_print(&t, 0, 1, "x");
	import(&r, &t);
	assert_int_equal(r.in.n_samples, 1);
	check_has(&r.in.log, "lost 8 cpu0 @1001 x1\n");
	check_fact(&r, "note.unknown_events=1 records");
	result_fini(&r);
	tdb_fini(&t);
}

static void a_format_that_makes_no_table_costs_only_the_fields(void **state)
{
	struct result r = { .in.refuse = true };
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	tdb_page(&t, 0, 0, 1000, 0);
	put_print(&t, 0, 1, "x");
	tdb_file(&t, &r.file);
	r.rc = tracedat_intake_run(&r.in, span_of(r.file.p, r.file.n),
				   &r.err);
	buf_u8(&r.in.log, 0);
	buf_u8(&r.in.facts, 0);
	assert_int_equal(r.rc, 0);
	check_has(&r.in.log, "event 0 ftrace:print (ftrace:print) bare\n");
	check_fact(&r, "note.bare_events=1 events");
	result_fini(&r);
	tdb_fini(&t);
}

/* -- Losses ---------------------------------------------------------------- */

static void missed_events_are_losses_with_or_without_a_number(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	for (int version = 6; version < 8; version++) {
		tdb_init(&t, version, false, 8);
		tdb_page(&t, 0, 0, 1000, 0);
		put_print(&t, 0, 1, "x");
		tdb_page(&t, 0, 0, 2000, 17); /* which has no records */
		tdb_page(&t, 0, 0, 3000, 0);
		put_print(&t, 0, 1, "y");
		tdb_page(&t, 0, 1, 4000, UINT64_MAX);
		put_print(&t, 1, 1, "z");
		import(&r, &t);
		check_has(&r.in.log, "lost 1 cpu0 @3001 x17\n");
		check_has(&r.in.log, "lost 1 cpu1 @4001 x0\n");
		assert_int_equal(r.in.n_samples, 3);
		result_fini(&r);
		tdb_fini(&t);
	}
}

static const char stats[] = "CPU: 0\nentries: 3\noverrun: 20\n"
			    "commit overrun: 0\ndropped events: 2\n";

static void what_a_ring_lost_beyond_its_pages_is_lost_too(void **state)
{
	const struct tdb_option options[] = { { 2, stats, sizeof(stats) } };
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 7, false, 8);
	t.options = options;
	t.n_options = 1;
	tdb_page(&t, 0, 0, 1000, 15);
	tdb_page(&t, 0, 0, 2000, 0);
	put_print(&t, 0, 1, "x");
	import(&r, &t);
	check_has(&r.in.log, "lost 1 cpu0 @2001 x15\n");
	check_has(&r.in.log, "lost 1 cpu0 @0 x7\n");
	result_fini(&r);
	tdb_fini(&t);
}

/* -- Buffers, clocks, options ---------------------------------------------- */

static void an_instance_has_its_name_before_its_events(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	for (int version = 6; version < 8; version++) {
		tdb_init(&t, version, false, 8);
		t.instances = true;
		tdb_page(&t, 0, 0, 1000, 0);
		put_switch(&t, 0, 0, 2);
		tdb_page(&t, 1, 0, 1000, 0);
		put_switch(&t, 1, 0, 1);
		import(&r, &t);
		check_log(&r, NAMES "comm -1/20 'stranger'\n"
			  "event 0 foo/sched:sched_switch "
			  "(sched:sched_switch)\n"
			  "row 0 -1/11 cpu0 @1001 raw " SWITCH_RAW "\n"
			  "event 1 sched:sched_switch (sched:sched_switch)\n"
			  "row 1 -1/11 cpu0 @1002 raw " SWITCH_RAW "\n");
		check_fact(&r, "note.instances=events of 1 tracing instance");
		result_fini(&r);
		tdb_fini(&t);
	}
}

/* Times and facts of a file of version 6 with one record at 1001. */
static void import_options(struct result *r, const char *clock,
			   const struct tdb_option *options, size_t n)
{
	struct tdb t;

	tdb_init(&t, 6, false, 8);
	t.clock = clock;
	t.options = options;
	t.n_options = n;
	tdb_page(&t, 0, 0, 1000, 0);
	put_print(&t, 0, 1, "x");
	import(r, &t);
	if (r->rc)
		fail_msg("%s", r->err.text);
	tdb_fini(&t);
}

static void another_clock_is_a_fact_and_a_remark(void **state)
{
	struct result r;

	(void)state;
	import_options(&r, "[local] global mono", NULL, 0);
	check_fact(&r, "clock=local\n");
	check_fact(&r, "note.clock=times are of the tracer's clock 'local'\n");
	result_fini(&r);
	import_options(&r, "local [counter] mono", NULL, 0);
	check_fact(&r, "clock=counter\n");
	check_fact(&r, "'counter', which counts events\n");
	check_has(&r.in.log, "mark 10 @1001 ");
	result_fini(&r);
	import_options(&r, "local [x86-tsc] mono", NULL, 0);
	check_fact(&r, "'x86-tsc', which counts cycles, each shown as 1 ns\n");
	result_fini(&r);
	import_options(&r, "", NULL, 0);
	check_fact(&r, "clock=unknown\n");
	result_fini(&r);
}

static void cycles_become_ns_where_the_file_says_how(void **state)
{
	/* mult 3 << 1 (shift 1): three times as many. */
	static const uint8_t tsc[] = { 6, 0, 0, 0, 1, 0, 0, 0,
				       0, 0, 0, 0, 0, 0, 0, 0 };
	const struct tdb_option options[] = { { 14, tsc, sizeof(tsc) } };
	struct result r;

	(void)state;
	import_options(&r, "[x86-tsc]", options, 1);
	check_has(&r.in.log, "mark 10 @3003 ");
	check_fact(&r, "clock=x86-tsc\n");
	result_fini(&r);
}

static void an_offset_is_added_and_a_date_is_a_reading_of_clocks(void **state)
{
	const struct tdb_option options[] = {
		{ 7, "-500", 5 }, { 1, "0x1000", 7 },
	};
	struct result r;

	(void)state;
	import_options(&r, "[mono]", options, 2);
	check_has(&r.in.log, "mark 10 @501 ");
	check_fact(&r, "note.offset=-500 ns");
	check_fact(&r, "clock 501 4096501 0\n");
	result_fini(&r);
}

static void what_belongs_to_guests_is_said(void **state)
{
	static const uint8_t shift[16];
	const struct tdb_option options[] = {
		{ 12, shift, sizeof(shift) }, { 13, "vm", 3 },
	};
	struct result r;

	(void)state;
	import_options(&r, "[mono]", options, 2);
	check_fact(&r, "note.time_shift=recorded in a guest");
	check_fact(&r, "note.guests=1 guest was recorded");
	result_fini(&r);
}

static void options_nobody_knows_are_skipped_by_their_size(void **state)
{
	const struct tdb_option options[] = {
		{ 900, "anything", 8 }, { 5, "Linux box 6.1.0 x86_64", 23 },
		{ 901, "", 0 },
	};
	struct result r;

	(void)state;
	import_options(&r, "[mono]", options, 3);
	check_fact(&r, "hostname=box\n");
	check_fact(&r, "kernel=6.1.0\n");
	check_fact(&r, "arch=x86_64\n");
	check_fact(&r, "import.unknown_options=2\n");
	result_fini(&r);
}

static void mappings_of_processes_are_told(void **state)
{
	static const char maps[] = "6b2f 2 /bin/ls\n"
				   "401000 403000 /bin/ls\n"
				   "7f0000000000 7f0000100000 /lib/a b.so\n";
	const struct tdb_option options[] = { { 10, maps, sizeof(maps) } };
	struct result r;

	(void)state;
	import_options(&r, "[mono]", options, 1);
	check_has(&r.in.log, "map 27439 0x401000+0x2000 /bin/ls\n");
	check_has(&r.in.log,
		  "map 27439 0x7f0000000000+0x100000 /lib/a b.so\n");
	result_fini(&r);
}

static void of_two_numbers_of_cpus_the_option_counts(void **state)
{
	static const uint8_t one[] = { 1, 0, 0, 0 };
	const struct tdb_option options[] = { { 8, one, sizeof(one) } };
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	t.cpus = 1;
	t.said = 700;
	t.options = options;
	t.n_options = 1;
	tdb_page(&t, 0, 0, 1000, 0);
	put_print(&t, 0, 1, "x");
	import(&r, &t);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.in.n_samples, 1);
	check_fact(&r, "cpus=1\n");
	result_fini(&r);
	tdb_fini(&t);
}

static void a_comm_nobody_saved_stays_unknown(void **state)
{
	struct result r;
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	t.comms = "30 <...>\nrubbish\n31 x\n";
	tdb_page(&t, 0, 0, 1000, 0);
	put_all(&t, 0, 1);
	import(&r, &t);
	check_log(&r, "comm -1/0 'swapper'\ncomm -1/31 'x'\n"
		  "event 0 test:all (test:all)\n"
		  "row 0 -1/10 cpu0 @1001 raw " ALL_RAW "\n");
	result_fini(&r);
	tdb_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			version_6_gives_rows_by_time_with_marks_and_stacks),
		cmocka_unit_test(
			version_7_gives_the_same_however_it_is_compressed),
		cmocka_unit_test(big_endian_files_give_the_same_bytes),
		cmocka_unit_test(longs_of_four_bytes_are_read_as_such),
		cmocka_unit_test(
			user_stacks_follow_kernel_stacks_and_end_at_zero),
		cmocka_unit_test(
			a_stack_of_another_thread_is_a_row_of_its_own),
		cmocka_unit_test(
			an_open_string_becomes_a_dynamic_one_in_its_format),
		cmocka_unit_test(open_bytes_that_are_no_text_stay_bytes),
		cmocka_unit_test(texts_elsewhere_become_marks),
		cmocka_unit_test(records_without_a_format_are_counted),
		cmocka_unit_test(
			a_format_that_makes_no_table_costs_only_the_fields),
		cmocka_unit_test(
			missed_events_are_losses_with_or_without_a_number),
		cmocka_unit_test(
			what_a_ring_lost_beyond_its_pages_is_lost_too),
		cmocka_unit_test(an_instance_has_its_name_before_its_events),
		cmocka_unit_test(another_clock_is_a_fact_and_a_remark),
		cmocka_unit_test(cycles_become_ns_where_the_file_says_how),
		cmocka_unit_test(
			an_offset_is_added_and_a_date_is_a_reading_of_clocks),
		cmocka_unit_test(what_belongs_to_guests_is_said),
		cmocka_unit_test(
			options_nobody_knows_are_skipped_by_their_size),
		cmocka_unit_test(mappings_of_processes_are_told),
		cmocka_unit_test(of_two_numbers_of_cpus_the_option_counts),
		cmocka_unit_test(a_comm_nobody_saved_stays_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
