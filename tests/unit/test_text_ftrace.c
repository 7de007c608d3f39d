#include "tests/support/text_check.h"

static const char trace[] =
	"# tracer: nop\n"
	"#\n"
	"# entries-in-buffer/entries-written: 4/6   #P:2\n"
	"#\n"
	"          a-12    (   10) [001] d..2.  5.000001: sched_wakeup: comm=b "
	"pid=13 prio=120 target_cpu=000\n"
	"CPU:1 [LOST 47 EVENTS]\n"
	"      <...>-13    (-----) [000] .....  5.000003: tracing_mark_write: "
	"hello world\n"
	"          a-12    (-----) [001] .....  5.000004: vfs_read <-ksys_read"
	"\n";

static const char trace_log[] =
	"comm 10/12 a\n"
	"event 0 sched:sched_wakeup sched:sched_wakeup\n"
	"  __data_loc char[] comm\n"
	"  s64 pid\n"
	"  s64 prio\n"
	"  s64 target_cpu\n"
	"  __data_loc char[] text\n"
	"sample 0 10/12 cpu1 @5000001000 x1 raw=84\n"
	"mark 13 @5000003000 hello world\n"
	"event 1 ftrace:tracing_mark_write ftrace:tracing_mark_write\n"
	"  __data_loc char[] text\n"
	"lost 1 event-1 cpu1 @5000004000 x47\n" /* the next row of it */
	"sample 1 13/13 cpu0 @5000003000 x1 raw=24\n"
	"event 2 function\n"
	"sample 2 10/12 cpu1 @5000004000 x1 <k vfs_read|[kernel.kallsyms]> "
	"<k ksys_read|[kernel.kallsyms]>\n"
	/* Overwritten: before the first row of its CPU, of which that of CPU 0
	 * is the last one. */
	"lost 1 event-1 cpu-1 @5000003000 x2\n";

static void ftrace_text_becomes_rows(void **state)
{
	(void)state;
	assert_true(rec_import_ftrace_text.is(text(trace)));
	check(&rec_import_ftrace_text, trace, 0, trace_log);
}

static void a_stack_belongs_to_the_last_row_of_its_thread_and_cpu(void **state)
{
	static const char s[] =
		"a-1 [000] .... 1.1: x: a\n"
		"b-2 [001] .... 1.2: x: b\n"
		"a-1 [000] .... 1.3: <stack trace>\n"
		" => f\n => g+0x10/0x20\n => h <ffffffff81000000>\n"
		"b-2 [001] .... 1.4: kernel_stack:    <stack trace >\n"
		"=> i (ffffffff81000010)\n\n"
		"c-3 [001] .... 1.5: <stack trace>\n => lonely\n"
		"a-1 [000] .... 1.6: <user stack trace>\n =>  <00007f00>\n";
	struct rec_intake in;

	(void)state;
	check(&rec_import_ftrace_text, s, 0,
	      "comm 1/1 a\nevent 0 x:x x:x\n  __data_loc char[] text\n"
	      "comm 2/2 b\n"
	      "sample 0 1/1 cpu0 @1100000000 x1 raw=14 "
	      "<k f|[kernel.kallsyms]> <k g+10|[kernel.kallsyms]> "
	      "<k ffffffff81000000 h|[kernel.kallsyms]>\n"
	      "sample 0 2/2 cpu1 @1200000000 x1 raw=14 "
	      "<k ffffffff81000010 i|[kernel.kallsyms]>\n");
	assert_int_equal(text_intake_run(&in, &rec_import_ftrace_text, s,
					 sizeof(s) - 1, 0, NULL), 0);
	buf_u8(&in.facts, 0);
	assert_non_null(strstr((char *)in.facts.p, "note.import_stacks=1 "));
	text_intake_fini(&in);
}

static void a_page_of_systrace_holds_a_trace(void **state)
{
	static const char page[] =
		"<!DOCTYPE html>\n<html><title>Android System Trace</title>\n"
		"<script>var x = 5;</script>\n"
		"<script class=\"trace-data\" type=\"application/text\">\n"
		"# tracer: nop\n"
		"a-1 [000] .... 1.5: tracing_mark_write: B|1|x\n"
		"</script>\nany more\n";
	static const char old[] =
		"<!DOCTYPE html>\n<html><script>\n"
		"var linuxPerfData = \"\\\n"
		"# tracer: nop\\n\\\n"
		"a-1 [000] .... 1.5: cpu_idle: state=1 cpu_id=0\\n\\\n"
		"\";</script>\n";

	(void)state;
	assert_true(rec_import_ftrace_text.is(text(page)));
	check(&rec_import_ftrace_text, page, 0,
	      "comm 1/1 a\nmark 1 @1500000000 B|1|x\n"
	      "event 0 ftrace:tracing_mark_write ftrace:tracing_mark_write\n"
	      "  __data_loc char[] text\n"
	      "sample 0 1/1 cpu0 @1500000000 x1 raw=18\n");
	assert_true(rec_import_ftrace_text.is(text(old)));
	check(&rec_import_ftrace_text, old, 0,
	      "comm 1/1 a\nevent 0 power:cpu_idle power:cpu_idle\n"
	      "  s64 state\n  s64 cpu_id\n  __data_loc char[] text\n"
	      "sample 0 1/1 cpu0 @1500000000 x1 raw=45\n");
}

static void lines_of_function_graph_are_counted(void **state)
{
	static const char s[] = "# tracer: function_graph\n"
				" 0)   0.541 us    |  vfs_read();\n"
				" 0)               |  f() {\n";
	struct rec_intake in;
	struct err err = { 0 };

	(void)state;
	assert_true(rec_import_ftrace_text.is(text(s)));
	assert_int_equal(text_intake_run(&in, &rec_import_ftrace_text, s,
					 sizeof(s) - 1, 0, &err),
			 ERR_UNSUPPORTED);
	assert_memory_equal(err.text, "2 lines of the function_graph", 29);
	text_intake_fini(&in);
}

static void what_is_no_line_of_a_trace_is_named(void **state)
{
	static const char s[] = "a-1 [000] .... 1.5: x: a=1\nrubbish\n"
				"a-1 [000] .... 1.6: x: a=2\n";
	struct rec_intake in;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_ftrace_text, s,
					 sizeof(s) - 1, 0, &err), 1);
	assert_string_equal(err.text, "1 line left out; the first is line 2, "
			    "'rubbish': not a line of a trace");
	assert_int_equal(in.n_samples, 2);
	text_intake_fini(&in);
}

/* Between the rows before and behind them; those at the end, behind the last. */
static void lines_left_out_are_lost_where_they_stood(void **state)
{
	static const char s[] = "a-1 [000] .... 1.5: x: a=1\nrubbish\n"
				"more\na-1 [001] .... 1.6: x: a=2\n"
				"a-1 [000] .... 1.7: x: a=2\nrubb";

	(void)state;
	check(&rec_import_ftrace_text, s, 1,
	      "comm 1/1 a\nevent 0 x:x x:x\n  s64 a\n  __data_loc char[] text\n"
	      "lost 8 event-1 cpu-1 @1600000000 x2\n"
	      "sample 0 1/1 cpu0 @1500000000 x1 raw=24\n"
	      "sample 0 1/1 cpu1 @1600000000 x1 raw=24\n"
	      "sample 0 1/1 cpu0 @1700000000 x1 raw=24\n"
	      "lost 8 event-1 cpu-1 @1700000000 x1\n");
}

static void a_loss_waits_for_the_row_of_its_cpu(void **state)
{
	static const char s[] = "a-1 [000] .... 1.5: x: a=1\n"
				"CPU:2 [LOST 3 EVENTS]\n"
				"CPU:1 [LOST 4 EVENTS]\n"
				"CPU:2 [LOST 5 EVENTS]\n"
				"a-1 [001] .... 1.6: x: a=2\n"
				"a-1 [002] .... 1.7: x: a=2\n"
				"CPU:0 [LOST 6 EVENTS]\n";
	struct rec_intake in;
	static const char *const want[] = {
		"lost 1 event-1 cpu1 @1600000000 x4\n",
		"lost 1 event-1 cpu2 @1700000000 x8\n",
		"lost 1 event-1 cpu0 @1700000000 x6\n", /* none follows */
	};

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_ftrace_text, s,
					 sizeof(s) - 1, 0, NULL), 0);
	buf_u8(&in.log, 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_non_null(strstr((char *)in.log.p, want[i]));
	assert_int_equal(in.lost, 18);
	text_intake_fini(&in);
}

static void a_text_without_a_row_is_refused(void **state)
{
	(void)state;
	check(&rec_import_ftrace_text, "# tracer: nop\n", ERR_FORMAT, "");
}

static void of_each_prefix_all_but_the_last_row_is_as_it_was(void **state)
{
	(void)state;
	check_prefixes(&rec_import_ftrace_text, trace, trace_log);
}

static void each_allocation_that_fails_is_reported(void **state)
{
	(void)state;
	check_allocations(&rec_import_ftrace_text, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ftrace_text_becomes_rows),
		cmocka_unit_test(
			a_stack_belongs_to_the_last_row_of_its_thread_and_cpu),
		cmocka_unit_test(a_page_of_systrace_holds_a_trace),
		cmocka_unit_test(lines_of_function_graph_are_counted),
		cmocka_unit_test(what_is_no_line_of_a_trace_is_named),
		cmocka_unit_test(lines_left_out_are_lost_where_they_stood),
		cmocka_unit_test(a_loss_waits_for_the_row_of_its_cpu),
		cmocka_unit_test(a_text_without_a_row_is_refused),
		cmocka_unit_test(
			of_each_prefix_all_but_the_last_row_is_as_it_was),
		cmocka_unit_test(each_allocation_that_fails_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
