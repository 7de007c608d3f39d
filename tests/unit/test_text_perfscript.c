#include "tests/support/text_check.h"

static void check_script(const char *s, const char *want)
{
	assert_true(rec_import_perf_script.is(text(s)));
	check(&rec_import_perf_script, s, 0, want);
}

static const char script[] =
	"# ========\n"
	"# hostname : box\n"
	"# os release : 6.1.0\n"
	"# cmdline : /usr/bin/perf record -g -- ./a b\n"
	"#\n"
	"a b  12 [001] 5.000001:    250000 cpu-clock: \n"
	"\tffffffff81000010 do_it+0x10 ([kernel.kallsyms])\n"
	"\t          401136 main+0x6 (/tmp/a)\n"
	"\n"
	"a b  12 [001] 5.000002: sched:sched_switch: prev_comm=a b "
	"prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=c next_pid=13 "
	"next_prio=120\n"
	"\tffffffff81000020 schedule+0x20 ([kernel.kallsyms])\n"
	"\n"
	"c  13 [000] 5.000003:    250000 cpu-clock: \n"
	"\t            1000 [unknown] (/tmp/c)\n"
	"\n";

static const char script_log[] =
	"event 0 cpu-clock ns\n"
	"comm 12/12 a b\n"
	"sample 0 12/12 cpu1 @5000001000 x250000 "
	"<k ffffffff81000010 do_it+10|[kernel.kallsyms]> "
	"<401136 main+6|/tmp/a>\n"
	"event 1 sched:sched_switch sched:sched_switch\n"
	"  __data_loc char[] prev_comm\n"
	"  s64 prev_pid\n"
	"  s64 prev_prio\n"
	"  long prev_state\n"
	"  __data_loc char[] next_comm\n"
	"  s64 next_pid\n"
	"  s64 next_prio\n"
	"  __data_loc char[] text\n"
	/* The head, seven fields and the text's word: 68 bytes; "a b", "c" and
	 * the text of 94, each with its zero. */
	"sample 1 12/12 cpu1 @5000002000 x1 raw=169 "
	"<k ffffffff81000020 schedule+20|[kernel.kallsyms]>\n"
	"comm 13/13 c\n"
	"sample 0 13/13 cpu0 @5000003000 x250000 <1000 |/tmp/c>\n";

static void perf_script_text_becomes_samples(void **state)
{
	(void)state;
	check_script(script, script_log);
}

static void it_is_the_same_in_small_pieces_and_with_cr_lf(void **state)
{
	char crlf[2 * sizeof(script)];
	struct rec_intake in;
	size_t n = 0;

	(void)state;
	for (const char *p = script; *p; p++) {
		if (*p == '\n')
			crlf[n++] = '\r';
		crlf[n++] = *p;
	}
	for (size_t step = 1; step < 100; step += 7) {
		assert_int_equal(text_intake_run(&in, &rec_import_perf_script,
						 crlf, n, step, NULL), 0);
		assert_int_equal(in.log.n, strlen(script_log));
		assert_memory_equal(in.log.p, script_log, in.log.n);
		text_intake_fini(&in);
	}
}

static void comments_become_facts(void **state)
{
	struct rec_intake in;

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_perf_script, script,
					 sizeof(script) - 1, 0, NULL), 0);
	buf_u8(&in.facts, 0);
	assert_non_null(strstr((char *)in.facts.p, "hostname=box\n"));
	assert_non_null(strstr((char *)in.facts.p, "kernel=6.1.0\n"));
	assert_non_null(strstr((char *)in.facts.p,
			       "command=/usr/bin/perf record -g -- ./a b\n"));
	assert_non_null(strstr((char *)in.facts.p, "import.lacks=pids "
			       "periods\n"));
	text_intake_fini(&in);
}

static void a_text_that_ends_in_a_stack_says_so(void **state)
{
	static const char whole[] = "a 1/1 [000] 1.5: 7 cycles:\n\t 10 f (x)\n"
				    "\n";
	struct rec_intake in;

	(void)state;
	for (size_t n = sizeof(whole) - 1; n >= sizeof(whole) - 3; n--) {
		assert_int_equal(text_intake_run(&in, &rec_import_perf_script,
						 whole, n, 0, NULL), 0);
		buf_u8(&in.facts, 0);
		assert_int_equal(strstr((char *)in.facts.p,
					"import.lacks=end\n") != NULL,
				 n < sizeof(whole) - 1);
		text_intake_fini(&in);
	}
}

static void comments_in_the_middle_part_nothing(void **state)
{
	(void)state;
	check_script("# a\na 1 [000] 1.5: 2 cycles:\n\t 10 f (x)\n\n"
		     "# ========\n# hostname : y\n#\n"
		     "a 1 [000] 1.6: 2 cycles:\n\t 10 f (x)\n",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x2 <10 f|x>\n"
		     "sample 0 1/1 cpu0 @1600000000 x2 <10 f|x>\n");
}

static void events_are_told_apart(void **state)
{
	(void)state;
	check_script("a 1 [000] 1.5: 7 cycles:\n\t 10 f (x)\n\n"
		     "a 1 [000] 1.5: 9 cache-misses:\n\t 10 f (x)\n\n"
		     "a 1 [000] 1.6: 7 cycles:\n\t 10 f (x)\n\n",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x7 <10 f|x>\n"
		     "event 1 cache-misses\n"
		     "sample 1 1/1 cpu0 @1500000000 x9 <10 f|x>\n"
		     "sample 0 1/1 cpu0 @1600000000 x7 <10 f|x>\n");
}

static void a_text_without_times_or_events_is_numbered(void **state)
{
	(void)state;
	check_script("java 19983 cycles:\n"
		     "ffffffff8103d0ca f ([kernel.kallsyms])\n"
		     "7f72 Ljava/io/FileOutputStream;::writeBytes "
		     "(/tmp/perf-19982.map)\n\n"
		     "java 19983 cycles:\ncafe g (x)\n\n",
		     "event 0 cycles\ncomm 19983/19983 java\n"
		     "sample 0 19983/19983 cpu0 @1 x1 "
		     "<k ffffffff8103d0ca f|[kernel.kallsyms]> "
		     "<7f72 Ljava/io/FileOutputStream;::writeBytes|"
		     "/tmp/perf-19982.map>\n"
		     "sample 0 19983/19983 cpu0 @2 x1 <cafe g|x>\n");
	check_script("t 9 10314749.002559:\n\t 10 f (x)\n\n",
		     "event 0 unknown\ncomm 9/9 t\n"
		     "sample 0 9/9 cpu0 @10314749002559000 x1 <10 f|x>\n");
}

static void a_frame_may_stand_on_the_line_of_its_sample(void **state)
{
	(void)state;
	check_script("false 5 1.5: 1 cycles:u:  ffffffff9b201293 [unknown] "
		     "([unknown])\n"
		     "false 5 1.6: 1 cycles:      7fa68b1f2d84 "
		     "_dl_start+0x4 (/usr/lib/ld-2.31.so)\n"
		     "false 5 1.7: 1 cycles:   12 7fa68b1f2d84 f (x)\n"
		     "false 5 1.8: 1 cycles: \n",
		     "event 0 cycles:u\ncomm 5/5 false\n"
		     "sample 0 5/5 cpu0 @1500000000 x1 <ffffffff9b201293 |>\n"
		     "event 1 cycles\n"
		     "sample 1 5/5 cpu0 @1600000000 x1 "
		     "<7fa68b1f2d84 _dl_start+4|/usr/lib/ld-2.31.so>\n"
		     "sample 1 5/5 cpu0 @1700000000 x1 <7fa68b1f2d84 f|x>\n"
		     "sample 1 5/5 cpu0 @1800000000 x1\n");
}

static void a_tracepoint_without_text_is_one_all_the_same(void **state)
{
	(void)state;
	check_script("a 5 1.5: syscalls:sys_enter_sync: \n"
		     "a 5 1.6: syscalls:sys_enter_sync: ffffffff81001000 "
		     "f+0x1 ([kernel.kallsyms])\n",
		     "event 0 syscalls:sys_enter_sync syscalls:sys_enter_sync\n"
		     "  __data_loc char[] text\ncomm 5/5 a\n"
		     "sample 0 5/5 cpu0 @1500000000 x1 raw=13\n"
		     "event 1 syscalls:sys_enter_sync\n"
		     "sample 1 5/5 cpu0 @1600000000 x1 <k ffffffff81001000 f+1|"
		     "[kernel.kallsyms]>\n");
}

static void an_empty_stack_is_a_sample_all_the_same(void **state)
{
	(void)state;
	check_script("a 1 1.5: 7 cycles:\n[ empty]\n\n"
		     "a 1 1.6: 8 cycles:\n\t[ empty]\n\n"
		     "a 1 1.7: 9 cycles:\n\n",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x7\n"
		     "sample 0 1/1 cpu0 @1600000000 x8\n"
		     "sample 0 1/1 cpu0 @1700000000 x9\n");
}

static void inlined_frames_lie_in_the_image_of_what_they_are_in(void **state)
{
	(void)state;
	check_script("a 1 1.5: 7 cycles:\n"
		     "\t 401136 inner (inlined)\n"
		     "\t 401136 outer (inlined)\n"
		     "\t 401136 main+0x6 (/tmp/a)\n"
		     "\t 7f0010 start (/lib/c)\n\n",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x7 <401136 inner|/tmp/a> "
		     "<401136 outer|/tmp/a> <401136 main+6|/tmp/a> "
		     "<7f0010 start|/lib/c>\n");
}

static void lines_of_source_places_are_no_frames(void **state)
{
	(void)state;
	check_script("a 1 1.5: 7 cycles:\n\t 10 f (x)\n  f.c:12\n"
		     "\t 20 g (ld.so)\n  ld-2.29.so[11634]\n\n",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x7 <10 f|x> <20 g|ld.so>\n");
}

static void a_thread_that_is_renamed_is_told_when(void **state)
{
	(void)state;
	check_script("perf-exec 5/5 1.5: 7 cycles:\n\t 10 f (x)\n\n"
		     "ls 5/5 1.6: 7 cycles:\n\t 10 f (x)\n\n"
		     ":22275 6/6 1.7: 7 cycles:\n\t 10 f (x)\n\n",
		     "event 0 cycles\ncomm 5/5 perf-exec\n"
		     "sample 0 5/5 cpu0 @1500000000 x7 <10 f|x>\n"
		     "record 3 5/5 @1600000000 ls\n"
		     "sample 0 5/5 cpu0 @1600000000 x7 <10 f|x>\n"
		     "comm 6/6 :22275\n"
		     "sample 0 6/6 cpu0 @1700000000 x7 <10 f|x>\n");
}

static void a_blank_line_may_part_a_later_sample_from_its_stack(void **state)
{
	(void)state;
	check_script("a 1 1.5: 7 cycles:\n\t 10 f (x)\n\n"
		     "a 1 1.6: 7 cycles:\n\n\t 10 g (x)\n",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x7 <10 f|x>\n"
		     "sample 0 1/1 cpu0 @1600000000 x7 <10 g|x>\n");
}

static void a_text_that_begins_so_is_not_perf_scripts(void **state)
{
	(void)state;
	assert_false(rec_import_perf_script.is(text(
		"java 10488  9962.502413:   10101010 cpu-clock:\n\n"
		"\tffffffffaee8017b fput+0xb ([kernel.kallsyms])\n")));
}

static void records_that_perf_shows_are_no_samples(void **state)
{
	struct rec_intake in;
	static const char s[] =
		"a 1 [000] 1.4: PERF_RECORD_COMM exec: a:1/1\n"
		"a 1 [002] 1.5: PERF_RECORD_LOST lost 12\n"
		"a 1 [000] 1.6: 7 cycles:\n\t 10 f (x)\n\n";

	(void)state;
	assert_true(rec_import_perf_script.is(text(s)));
	check(&rec_import_perf_script, s, 0,
	      "lost 1 event-1 cpu2 @1500000000 x12\n"
	      "event 0 cycles\ncomm 1/1 a\n"
	      "sample 0 1/1 cpu0 @1600000000 x7 <10 f|x>\n");
	assert_int_equal(text_intake_run(&in, &rec_import_perf_script, s,
					 sizeof(s) - 1, 0, NULL), 0);
	buf_u8(&in.facts, 0);
	assert_non_null(strstr((char *)in.facts.p, "note.import_records=1 "));
	text_intake_fini(&in);
}

static void switches_that_perf_shows_are_switches(void **state)
{
	(void)state;
	check_script("a 1 [001] 1.5: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt"
		     "  next pid/tid:  6/7 \n"
		     "b 7 [001] 1.6: PERF_RECORD_SWITCH IN \n"
		     "b 7 [001] 1.7: 7 cycles:\n\t 10 f (x)\n\n",
		     "comm 1/1 a\nrecord 15 1/1 @1500000000 OUT preempt 6/7\n"
		     "comm 7/7 b\nrecord 14 7/7 @1600000000 IN -1/-1\n"
		     "event 0 cycles\n"
		     "sample 0 7/7 cpu1 @1700000000 x7 <10 f|x>\n");
}

static void threads_without_ids_are_known_by_their_names(void **state)
{
	(void)state;
	check_script("a b 1.5: cycles:\n\t 10 f (x)\n\n"
		     "c 1.6: cycles:\n\t 10 f (x)\n\n"
		     "a b 1.7: cycles:\n\t 10 f (x)\n\n",
		     "event 0 cycles\ncomm 1/1 a b\n"
		     "sample 0 1/1 cpu0 @1500000000 x1 <10 f|x>\n"
		     "comm 2/2 c\nsample 0 2/2 cpu0 @1600000000 x1 <10 f|x>\n"
		     "sample 0 1/1 cpu0 @1700000000 x1 <10 f|x>\n");
}

static void a_line_that_makes_no_sense_is_named_and_counted(void **state)
{
	static const char s[] = "a 1 1.5: 7 cycles:\n\t 10 f (x)\n\n"
				"a 1 1.6: 7 cycles:\n\t THIS_IS_WEIRD\n"
				"\t 10 f (x)\n\n"
				"\t 20 lonely (x)\n";
	struct rec_intake in;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_perf_script, s,
					 sizeof(s) - 1, 0, &err), 1);
	assert_string_equal(err.text, "2 lines left out; the first is line 5, "
			    "'THIS_IS_WEIRD': neither a sample nor a frame");
	assert_int_equal(in.n_samples, 2);
	assert_int_equal(in.lost, 2);
	text_intake_fini(&in);
}

/* As perf leaves it that ends by an assertion. */
static void a_frame_that_the_text_ends_in_is_left_out(void **state)
{
	static const char s[] = "a 1 1.5: 7 cycles:\n\t 10 f (/usr/lib/x)\n"
				"\t 20 g+0x4f (/usr/l";
	struct rec_intake in;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_perf_script, s,
					 sizeof(s) - 1, 0, &err), 1);
	assert_string_equal(err.text, "1 line left out; the first is line 3, "
			    "'20 g+0x4f (/usr/l': the text ends in the middle "
			    "of it");
	assert_int_equal(in.n_samples, 1);
	text_intake_fini(&in);
	check_script("a 1 1.5: 7 cycles:\n\t 10 f (x)\n\t 20 g (x)",
		     "event 0 cycles\ncomm 1/1 a\n"
		     "sample 0 1/1 cpu0 @1500000000 x7 <10 f|x> <20 g|x>\n");
}

static void other_texts_are_no_perf_script(void **state)
{
	static const char *const texts[] = {
		"", "\n\n", "\nthis\nis an unknown\nformat\n", "a;b;c 1\n",
		"# only\n# comments\n", "\177ELF", "PERFILE2",
		"# tracer: nop\na-1 [000] .... 1.5: x: y\n",
		"warning 5 of: z\n", "int main(void)\n{\n\treturn 0;\n}\n",
		"Nov 30 00:02:01 box kernel: [ 1.5] x: y\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(rec_import_perf_script.is(text(texts[i])));
	assert_false(rec_import_perf_script.is(
		span_of("a 1 1.5: 7 cycles:\n\0", 20)));
}

static void a_text_without_a_row_is_refused(void **state)
{
	(void)state;
	check(&rec_import_perf_script, "# x\n\nno\n", ERR_FORMAT, "");
}

static void of_each_prefix_all_but_the_last_row_is_as_it_was(void **state)
{
	(void)state;
	check_prefixes(&rec_import_perf_script, script, script_log);
}

static void each_allocation_that_fails_is_reported(void **state)
{
	(void)state;
	check_allocations(&rec_import_perf_script, script);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_script_text_becomes_samples),
		cmocka_unit_test(it_is_the_same_in_small_pieces_and_with_cr_lf),
		cmocka_unit_test(comments_become_facts),
		cmocka_unit_test(a_text_that_ends_in_a_stack_says_so),
		cmocka_unit_test(comments_in_the_middle_part_nothing),
		cmocka_unit_test(events_are_told_apart),
		cmocka_unit_test(a_text_without_times_or_events_is_numbered),
		cmocka_unit_test(a_frame_may_stand_on_the_line_of_its_sample),
		cmocka_unit_test(a_tracepoint_without_text_is_one_all_the_same),
		cmocka_unit_test(an_empty_stack_is_a_sample_all_the_same),
		cmocka_unit_test(
			inlined_frames_lie_in_the_image_of_what_they_are_in),
		cmocka_unit_test(lines_of_source_places_are_no_frames),
		cmocka_unit_test(a_thread_that_is_renamed_is_told_when),
		cmocka_unit_test(
			a_blank_line_may_part_a_later_sample_from_its_stack),
		cmocka_unit_test(a_text_that_begins_so_is_not_perf_scripts),
		cmocka_unit_test(records_that_perf_shows_are_no_samples),
		cmocka_unit_test(switches_that_perf_shows_are_switches),
		cmocka_unit_test(threads_without_ids_are_known_by_their_names),
		cmocka_unit_test(
			a_line_that_makes_no_sense_is_named_and_counted),
		cmocka_unit_test(a_frame_that_the_text_ends_in_is_left_out),
		cmocka_unit_test(other_texts_are_no_perf_script),
		cmocka_unit_test(a_text_without_a_row_is_refused),
		cmocka_unit_test(
			of_each_prefix_all_but_the_last_row_is_as_it_was),
		cmocka_unit_test(each_allocation_that_fails_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
