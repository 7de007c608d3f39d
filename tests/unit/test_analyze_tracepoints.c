/* Tracepoints in analysis. The texts are what `perf script` prints for such a
 * record, worked out by hand from the print format. */
#include "analyze/command.h"
#include "analyze/head.h"
#include "analyze/merge.h"
#include "analyze/profile.h"
#include "analyze/samples.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "tests/support/failalloc.h"
#include "tests/support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N_EVENTS 10

struct fixture {
	struct buf bytes;
	struct an_trace *trace;
	struct log log;
	char *said;      /* what was logged */
	size_t said_size;
	struct err err;
};

static int reopen(struct fixture *f)
{
	struct tf_source *source;
	int rc = tf_source_memory(&source, span_of(f->bytes.p, f->bytes.n),
				  &f->err);

	an_trace_close(f->trace);
	f->trace = NULL;
	return rc ? rc : an_trace_from(&f->trace, source, &f->log, &f->err);
}

static int open_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	buf_init(&f->bytes, 0);
	f->log.to = open_memstream(&f->said, &f->said_size);
	f->log.prog = "test";
	*state = f;
	if (tp_build(&points_trace, &f->bytes, &f->err) || reopen(f)) {
		fprintf(stderr, "%s\n", f->err.text);
		return -1;
	}
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *f = *state;

	an_trace_close(f->trace);
	buf_fini(&f->bytes);
	fclose(f->log.to);
	free(f->said);
	free(f);
	return 0;
}

/* Runs a command as its command line would. */
static char *run(struct fixture *f, const char *name, int argc, char **argv,
		 int *rc)
{
	_Alignas(max_align_t) char args[4096] = { 0 };
	const struct an_command *cmd = NULL;
	struct an_env env = { .log = &f->log, .path = "-", .trace = f->trace };
	char *text = NULL;
	size_t size;
	int n;

	for (size_t i = 0; an_commands[i]; i++)
		if (strcmp(an_commands[i]->name, name) == 0)
			cmd = an_commands[i];
	assert_non_null(cmd);
	if (cmd->defaults)
		cmd->defaults(args);
	assert_int_equal(opt_parse(cmd->opts, OPT_ANYWHERE, args, argc, argv, &n,
				   &f->err), 0);
	env.out = open_memstream(&text, &size);
	*rc = cmd->run(&env, args, &f->err);
	fclose(env.out);
	fflush(f->log.to);
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++)
		if (o->kind == OPT_KIND_LIST)
			opt_list_fini((struct opt_list *)(void *)(args +
								  o->field));
	return text;
}

#define RUN(f, name, rc, ...)                                                  \
	run(f, name, (int)ARRAY_LEN(((char *[]){ (char *)name, __VA_ARGS__ })), \
	    (char *[]){ (char *)name, __VA_ARGS__, NULL }, rc)

static char *dump_event(struct fixture *f, const char *event)
{
	char words[256];
	char *text;
	int rc;

	snprintf(words, sizeof(words), "%s", event);
	text = RUN(f, "dump", &rc, (char *)"-F", (char *)"time,trace",
		   (char *)"-e", words);
	assert_int_equal(rc, AN_EXIT_DONE);
	return text;
}

static void shows(struct fixture *f, const char *event, const char *want)
{
	char *text = dump_event(f, event);

	assert_string_equal(text, want);
	free(text);
}

static void payloads_are_printed_as_perf_script_does(void **state)
{
	struct fixture *f = *state;

	shows(f, "sched:sched_switch",
	      "    0.000004: prev_comm=dog prev_pid=11 prev_prio=99 "
	      "prev_state=R+ ==> next_comm=swapper/0 next_pid=0 "
	      "next_prio=120\n"
	      "    0.000005: prev_comm=cat prev_pid=10 prev_prio=120 "
	      "prev_state=S ==> next_comm=dog next_pid=11 next_prio=99\n");
	shows(f, "block:block_rq_issue",
	      "    0.000007: 254,3 WS 8192 () 8 + 16 be,0,4 [dd]\n");
}

static void odd_fields_are_laid_out_again(void **state)
{
	shows(*state, "odd:odd",
	      "    0.000003: small=-5 bits=7 pair=,300 name=name "
	      "list=12 raw=01 ff function=handler "
	      "at=handler+0x10 mac=02:03:04:05:06:07\n");
}

static void a_text_that_is_pointed_to_is_shown(void **state)
{
	shows(*state, "odd:pointer", "    0.000009: another\ttab\n");
}

static void rows_with_a_key_belong_to_its_event(void **state)
{
	struct fixture *f = *state;

	shows(f, "syscalls:sys_enter_openat",
	      "    0.000001: dfd: 0xffffff9c, filename: 0x00007f01, flags: "
	      "0x00080000, mode: 0x00000000\n"
	      "    0.000009: dfd: 0xffffff9c, filename: 0x00007f01, flags: "
	      "0x00080000, mode: 0x00000000\n");
}

/* The words of --event may be patterns, of which the event itself is one. */
static void other_rows_stay_with_the_event_that_they_name(void **state)
{
	struct fixture *f = *state;
	struct an_profile p;
	uint64_t samples[N_EVENTS] = { 0 };

	assert_int_equal(an_profile_make(&p, f->trace, NULL, &f->err), 0);
	for (size_t i = 0; i < p.n; i++)
		samples[p.events[i].event] = p.events[i].total.samples;
	assert_int_equal(samples[E_CLOCK], 1);
	assert_int_equal(samples[E_SWITCH], 2);
	assert_int_equal(samples[E_ENTER], 1);
	assert_int_equal(samples[E_OPENAT], 2);
	an_profile_fini(&p);
}

static void an_event_whose_rows_all_went_to_others_is_not_shown(void **state)
{
	struct tp_trace t = points_trace;
	struct fixture *f = *state;
	struct an_profile p;

	t.rows += 1; /* that of openat alone */
	t.n_rows = 1;
	buf_clear(&f->bytes);
	assert_int_equal(tp_build(&t, &f->bytes, &f->err), 0);
	assert_int_equal(reopen(f), 0);
	assert_int_equal(an_profile_make(&p, f->trace, NULL, &f->err), 0);
	for (size_t i = 0; i < p.n; i++)
		assert_int_not_equal(p.events[i].event, E_ENTER);
	assert_int_equal(p.n, points_trace.n_events - 1);
	an_profile_fini(&p);
}

/* What found the ring full never had its number read. */
static void what_an_event_lost_may_be_of_all_that_it_is_split_into(
	void **state)
{
	static const struct tp_loss losses[] = { { 5, E_ENTER, 7 },
						 { 6, E_SWITCH, 2 } };
	struct tp_trace t = points_trace;
	struct fixture *f = *state;
	struct an_quality q[N_EVENTS] = { 0 };
	struct an_profile p;
	char *text;
	int rc;

	t.rows += 1; /* that of openat alone */
	t.n_rows = 1;
	t.losses = losses;
	t.n_losses = ARRAY_LEN(losses);
	buf_clear(&f->bytes);
	assert_int_equal(tp_build(&t, &f->bytes, &f->err), 0);
	assert_int_equal(reopen(f), 0);
	assert_int_equal(an_profile_make(&p, f->trace, NULL, &f->err), 0);
	assert_int_equal(p.n, points_trace.n_events);
	for (size_t i = 0; i < p.n; i++)
		an_quality_of(f->trace, &p.events[i], &q[p.events[i].event]);
	an_profile_fini(&p);
	assert_int_equal(q[E_ENTER].lost, 7);
	assert_int_equal(q[E_ENTER].lost_among, 0);
	assert_int_equal(q[E_OPENAT].lost, 0);
	assert_int_equal(q[E_OPENAT].lost_among, 7);
	assert_int_equal(q[E_SWITCH].lost, 2);
	assert_int_equal(q[E_SWITCH].lost_among, 0);
	text = RUN(f, "report", &rc, (char *)"-e",
		   (char *)"syscalls:sys_enter_openat");
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "# Lost: 0\n# Lost: up to 7 more: those of "
				     "'syscalls:sys_enter_*' cannot be told "
				     "apart\n"));
	free(text);
}

static void what_cannot_be_printed_with_is_shown_as_it_is(void **state)
{
	struct fixture *f = *state;

	shows(f, "odd:beyond",
	      "    0.000008: [FAILED TO PARSE] a=77 text=moon\n");
	shows(f, "odd:evil", "    0.000009: [FAILED TO PARSE] a=0\n");
	shows(f, "odd:lost",
	      "    0.000009: [FAILED TO PARSE] small=-5 bits=7 pair[0]=-2 "
	      "pair[1]=300 name=name list=ARRAY[01, 00, 00, 00, 00, 00, 00, "
	      "00, ff, ff, ff, ff, 00, 00, 00, 00, 03, 00, 00, 00, 00, 00, 00, "
	      "00] raw=ARRAY[01, ff] function=18446744071578846224 "
	      "mac=ARRAY[02, 03, 04, 05, 06, 07]\n");
	assert_non_null(strstr(f->said, "odd:lost"));
}

static void rows_of_all_tables_come_in_the_order_of_time(void **state)
{
	struct fixture *f = *state;
	struct an_merge *m;
	const struct an_sample *s;
	uint64_t last = 0;
	size_t n = 0, n_switches = 0;
	int rc;

	assert_int_equal(an_merge_new_with(&m, f->trace, NULL, NULL, true,
					   &f->err), 0);
	while ((rc = an_merge_next(m, &s, &f->err)) == 0) {
		assert_true(s->time >= last);
		last = s->time;
		n_switches += s->is_switch;
		n++;
	}
	assert_int_equal(rc, 1);
	assert_int_equal(n, points_trace.n_rows +
				    points_trace.n_switches);
	assert_int_equal(n_switches, points_trace.n_switches);
	an_merge_free(m);
}

static void an_event_is_read_without_the_tables_of_others(void **state)
{
	struct fixture *f = *state;
	const char *name = "block:block_rq_issue";
	struct an_selection_args args = {
		.event = { .items = &name, .n = 1 },
	};
	struct an_selection sel;
	struct an_samples *s;
	const struct an_batch *b;
	size_t n = 0;

	assert_int_equal(an_selection_make(&sel, &args, f->trace, &f->err), 0);
	assert_int_equal(an_samples_new(&s, f->trace, &sel,
					AN_S_EVENT | AN_S_PAYLOAD, &f->err), 0);
	while (an_samples_next(s, &b, &f->err) == 0) {
		assert_int_equal(b->view->table->id,
				 TF_TABLE_DYNAMIC + T_BLOCK);
		n += b->n;
	}
	assert_int_equal(n, 1);
	an_samples_free(s);
	an_selection_fini(&sel);
}

static void switches_are_shown_as_perf_script_does(void **state)
{
	struct fixture *f = *state;
	int rc;
	char *text = RUN(f, "dump", &rc, (char *)"--show-switch-events",
			 (char *)"--time", (char *)"@0.0000055,@0.0000056");

	assert_string_equal(text,
		"             cat    10 [000]     0.000005: "
		"PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:    "
		"10/11   \n"
		"             dog    11 [000]     0.000005: "
		"PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:    "
		"10/10   \n"
		"             dog    11 [000]     0.000005: "
		"PERF_RECORD_SWITCH OUT        \n");
	free(text);
}

static void fields_of_a_row_are_chosen_as_perf_script_does(void **state)
{
	struct fixture *f = *state;
	int rc;
	char *text = RUN(f, "dump", &rc, (char *)"-F",
			 (char *)"comm,pid,tid,cpu,event,period,ip,sym",
			 (char *)"-e", (char *)"odd:evil");

	assert_string_equal(text, "             dog    10/11    [000]          "
				  "1 odd:evil:               400 handler\n");
	free(text);
	text = RUN(f, "dump", &rc, (char *)"-F", (char *)"-comm,-time,+period",
		   (char *)"-e", (char *)"odd:evil");
	assert_string_equal(text, "   11 [000]          1 odd:evil: [FAILED TO "
				  "PARSE] a=0\n");
	free(text);
	text = RUN(f, "dump", &rc, (char *)"-F", (char *)"comm,colour");
	assert_int_equal(rc, ERR_USAGE);
	assert_non_null(strstr(f->err.text, "'colour' is no field"));
	free(text);
}

static void json_has_numbers_strings_and_lists(void **state)
{
	struct fixture *f = *state;
	int rc;
	char *text = RUN(f, "dump", &rc, (char *)"--json", (char *)"-e",
			 (char *)"odd:odd");

	assert_non_null(strstr(text,
		"\"fields\":{\"small\":-5,\"bits\":7,\"pair\":[-2,300],"
		"\"name\":\"name\",\"list\":[1,4294967295,3],\"raw\":[1,255],"
		"\"function\":18446744071578846224,\"mac\":[2,3,4,5,6,7]}"));
	free(text);
}

static void no_failed_allocation_is_fatal(void **state)
{
	static const char *const commands[] = { "dump", "info", "report" };
	struct fixture *f = *state;
	long n = 0;
	bool hit;

	do {
		int rc = 0;

		f->err = (struct err){ 0 };
		failalloc_at(++n);
		rc = reopen(f);
		for (size_t i = 0; i < ARRAY_LEN(commands) && !rc; i++) {
			char *argv[] = { (char *)"x", NULL };

			free(run(f, commands[i], 1, argv, &rc));
			if (rc < 0)
				assert_true(f->err.text[0]);
			rc = rc < 0 ? rc : 0;
		}
		hit = failalloc_hit();
		failalloc_off();
		if (rc)
			assert_int_equal(rc, ERR_NOMEM);
	} while (hit);
	assert_true(n > 100);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_fixture, close_fixture)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(payloads_are_printed_as_perf_script_does),
		TEST(odd_fields_are_laid_out_again),
		TEST(a_text_that_is_pointed_to_is_shown),
		TEST(rows_with_a_key_belong_to_its_event),
		TEST(other_rows_stay_with_the_event_that_they_name),
		TEST(an_event_whose_rows_all_went_to_others_is_not_shown),
		TEST(what_an_event_lost_may_be_of_all_that_it_is_split_into),
		TEST(what_cannot_be_printed_with_is_shown_as_it_is),
		TEST(rows_of_all_tables_come_in_the_order_of_time),
		TEST(an_event_is_read_without_the_tables_of_others),
		TEST(switches_are_shown_as_perf_script_does),
		TEST(fields_of_a_row_are_chosen_as_perf_script_does),
		TEST(json_has_numbers_strings_and_lists),
		TEST(no_failed_allocation_is_fatal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
