/* Tracepoints in analysis. Formats are those of a Linux 6.18, shortened where
 * that changes nothing, or made by hand; the texts are what `perf script` prints
 * for such a record, worked out by hand from the print format. */
#include "analyze/command.h"
#include "analyze/merge.h"
#include "analyze/profile.h"
#include "analyze/samples.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "tests/support/failalloc.h"
#include "tests/support/tracepoints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMMON                                                                 \
	"format:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"      \
	"\tsigned:0;\n"                                                        \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELD(decl, offset, size, is_signed)                                   \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size                  \
	";\tsigned:" #is_signed ";\n"

static const char sched_switch[] =
	"name: sched_switch\nID: 372\n" COMMON
	FIELD("char prev_comm[16]", 8, 16, 0)
	FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("int prev_prio", 28, 4, 1)
	FIELD("long prev_state", 32, 8, 1)
	FIELD("char next_comm[16]", 40, 16, 0)
	FIELD("pid_t next_pid", 56, 4, 1)
	FIELD("int next_prio", 60, 4, 1)
	"\nprint fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s "
	"==> next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "
	"REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | "
	"0x00000001 | 0x00000002 | 0x00000004) + 1) << 1) - 1)) ? "
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | "
	"0x00000002 | 0x00000004) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" "
	"}, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }) : \"R\", "
	"REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | "
	"0x00000004) + 1) << 1) ? \"+\" : \"\", REC->next_comm, "
	"REC->next_pid, REC->next_prio\n";
static const struct tp_field sched_switch_fields[] = {
	{ "prev_comm", TF_REF, false }, { "prev_pid", TF_I64, false },
	{ "prev_prio", TF_I64, false }, { "prev_state", TF_I64, false },
	{ "next_comm", TF_REF, false }, { "next_pid", TF_I64, false },
	{ "next_prio", TF_I64, false },
};

static const char sys_enter[] =
	"name: sys_enter\nID: 443\n" COMMON
	FIELD("long id", 8, 8, 1)
	FIELD("unsigned long args[6]", 16, 48, 0)
	"\nprint fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, "
	"REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], "
	"REC->args[5]\n";
static const struct tp_field sys_enter_fields[] = {
	{ "id", TF_I64, false },	{ "args[0]", TF_U64, false },
	{ "args[1]", TF_U64, false }, { "args[2]", TF_U64, false },
	{ "args[3]", TF_U64, false }, { "args[4]", TF_U64, false },
	{ "args[5]", TF_U64, false },
};

static const char sys_enter_openat[] =
	"name: sys_enter_openat\nID: 700\n" COMMON
	FIELD("int __syscall_nr", 8, 4, 1)
	FIELD("int dfd", 16, 8, 0)
	FIELD("const char * filename", 24, 8, 0)
	FIELD("int flags", 32, 8, 0)
	FIELD("umode_t mode", 40, 8, 0)
	"\nprint fmt: \"dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, "
	"mode: 0x%08lx\", ((unsigned long)(REC->dfd)), ((unsigned long)"
	"(REC->filename)), ((unsigned long)(REC->flags)), ((unsigned long)"
	"(REC->mode))\n";

static const char block_rq_issue[] =
	"name: block_rq_issue\nID: 2104\n" COMMON
	FIELD("dev_t dev", 8, 4, 0)
	FIELD("sector_t sector", 16, 8, 0)
	FIELD("unsigned int nr_sector", 24, 4, 0)
	FIELD("unsigned int bytes", 28, 4, 0)
	FIELD("unsigned short ioprio", 32, 2, 0)
	FIELD("char rwbs[10]", 34, 10, 0)
	FIELD("char comm[16]", 44, 16, 0)
	FIELD("__data_loc char[] cmd", 60, 4, 0)
	"\nprint fmt: \"%d,%d %s %u (%s) %llu + %u %s,%u,%u [%s]\", ((unsigned "
	"int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - "
	"1))), REC->rwbs, REC->bytes, __get_str(cmd), (unsigned long long)"
	"REC->sector, REC->nr_sector, __print_symbolic((((REC->ioprio) >> 13) & "
	"(8 - 1)), { 0, \"none\" }, { 2, \"be\" }), (((REC->ioprio) >> 3) & "
	"((1 << 10) - 1)), ((REC->ioprio) & ((1 << 3) - 1)), REC->comm\n";
static const struct tp_field block_rq_issue_fields[] = {
	{ "dev", TF_U64, false },     { "sector", TF_U64, false },
	{ "nr_sector", TF_U64, false }, { "bytes", TF_U64, false },
	{ "ioprio", TF_U64, false },  { "rwbs", TF_REF, false },
	{ "comm", TF_REF, false },    { "cmd", TF_REF, false },
};

/* What the real ones seldom have. */
static const char odd[] =
	"name: odd\nID: 3000\n" COMMON
	FIELD("s32 small", 28, 4, 1)
	FIELD("unsigned char bits", 9, 1, 0)
	FIELD("s16 pair[2]", 10, 4, 1)
	FIELD("__rel_loc char[] name", 16, 4, 0)
	FIELD("__data_loc u32[] list", 20, 4, 0)
	FIELD("__data_loc u8[] raw", 24, 4, 0)
	FIELD("void * function", 32, 8, 0)
	FIELD("u8 mac[6]", 40, 6, 0)
	"\nprint fmt: \"small=%d bits=%u pair=,%d name=%s list=%d raw=%s "
	"function=%ps at=%pS mac=%pM\", REC->small, REC->bits, "
	"REC->pair[1], __get_rel_str(name), "
	"__get_dynamic_array_len(list), "
	"__print_hex(__get_dynamic_array(raw), __get_dynamic_array_len(raw)), "
	"REC->function, REC->function, REC->mac\n";
static const struct tp_field odd_fields[] = {
	{ "small", TF_I64, false },  { "bits", TF_U64, false },
	{ "pair[0]", TF_I64, false }, { "pair[1]", TF_I64, false },
	{ "name", TF_REF, false },   { "list", TF_U64, true },
	{ "raw", TF_BYTES, false },  { "function", TF_U64, false },
	{ "mac", TF_BYTES, false },
};

/* The library knows no such function, nor do we. */
static const char beyond[] =
	"name: beyond\nID: 3001\n" COMMON
	FIELD("u32 a", 8, 4, 0)
	FIELD("char text[8]", 12, 8, 0)
	"\nprint fmt: \"%s\", __print_the_moon(REC->a)\n";
static const struct tp_field beyond_fields[] = {
	{ "a", TF_U64, false }, { "text", TF_REF, false },
};

/* Printing it would divide by zero. */
static const char evil[] =
	"name: evil\nID: 3002\n" COMMON
	FIELD("u32 a", 8, 4, 0)
	"\nprint fmt: \"%d\", 7 / REC->a\n";
static const struct tp_field evil_fields[] = { { "a", TF_U64, false } };

#define TP(system, name, id, format, fields)                                   \
	{ system, name, id, format, fields, ARRAY_LEN(fields) }
enum { T_SWITCH, T_ENTER, T_BLOCK, T_ODD, T_BEYOND, T_EVIL, T_NO_FORMAT,
       T_OPENAT };
static const struct tp_tracepoint tracepoints[] = {
	TP("sched", "sched_switch", 372, sched_switch, sched_switch_fields),
	TP("raw_syscalls", "sys_enter", 443, sys_enter, sys_enter_fields),
	TP("block", "block_rq_issue", 2104, block_rq_issue,
	   block_rq_issue_fields),
	TP("odd", "odd", 3000, odd, odd_fields),
	TP("odd", "beyond", 3001, beyond, beyond_fields),
	TP("odd", "evil", 3002, evil, evil_fields),
	TP("odd", "lost", 3003, "", odd_fields),
	{ "syscalls", "sys_enter_openat", 700, sys_enter_openat, NULL, 0 },
};

enum { E_CLOCK, E_SWITCH, E_ENTER, E_OPENAT, E_BLOCK, E_ODD, E_BEYOND, E_EVIL,
       E_NO_FORMAT };
static const struct tp_event events[] = {
	{ "cpu-clock", -1, 0, 0, 0 },
	{ "sched:sched_switch", T_SWITCH, T_SWITCH, 0, 0 },
	{ "syscalls:sys_enter_*", T_ENTER, T_ENTER, 0, 0 },
	{ "syscalls:sys_enter_openat", T_OPENAT, T_ENTER, 257 + 1, E_ENTER },
	{ "block:block_rq_issue", T_BLOCK, T_BLOCK, 0, 0 },
	{ "odd:odd", T_ODD, T_ODD, 0, 0 },
	{ "odd:beyond", T_BEYOND, T_BEYOND, 0, 0 },
	{ "odd:evil", T_EVIL, T_EVIL, 0, 0 },
	{ "odd:lost", T_NO_FORMAT, T_NO_FORMAT, 0, 0 },
};

static const struct tp_thread threads[] = {
	{ 10, 10, "cat" }, { 11, 10, "dog" }, { 0, 0, "swapper/0" },
};

#define N(number) { .v = number }
static const struct tp_value switch_values[] = {
	{ .text = "cat" }, N(10), N(120), N(1), { .text = "dog" }, N(11),
	N(99),
};
static const struct tp_value running_values[] = {
	{ .text = "dog" }, N(11), N(99), N(16), { .text = "swapper/0" }, N(0),
	N(120),
};
static const struct tp_value openat_values[] = {
	N(257), N(0xffffff9c), N(0x7f01), N(0x80000), N(0), N(5), N(6),
};
static const struct tp_value other_call_values[] = {
	N(3), N(7), N(0xabc), N(0), N(0), N(0), N(1),
};
static const struct tp_value block_values[] = {
	N(254u << 20 | 3), N(8), N(16), N(8192), N(2u << 13 | 4),
	{ .text = "WS" }, { .text = "dd" }, { .text = "" },
};
static const uint64_t list[] = { 1, 0xffffffff, 3 };
static const struct tp_value odd_values[] = {
	N((uint64_t)-5), N(7), N((uint64_t)-2), N(300), { .text = "name" },
	{ .items = list, .n = 3 }, { .text = "\x01\xff", .n = 2 },
	N(0xffffffff81000410), { .text = "\x02\x03\x04\x05\x06\x07", .n = 6 },
};
static const struct tp_value beyond_values[] = {
	N(77), { .text = "moon" },
};
static const struct tp_value evil_values[] = { N(0) };

/* Not in the order of time, and in several chunks. */
static const struct tp_row rows[] = {
	{ 5000, 0, 0, E_SWITCH, switch_values, 0 },
	{ 1000, 1, 1, E_ENTER, openat_values, 0 },
	{ 6000, 0, 0, E_CLOCK, NULL, 0 },
	{ 2000, 1, 1, E_ENTER, other_call_values, 0 },
	{ 7000, 0, 1, E_BLOCK, block_values, 0 },
	{ 3000, 1, 0, E_ODD, odd_values, 0 },
	{ 8000, 0, 1, E_BEYOND, beyond_values, 1 },
	{ 4000, 1, 1, E_SWITCH, running_values, 1 },
	{ 9000, 0, 1, E_EVIL, evil_values, 1 },
	{ 9500, 0, 1, E_NO_FORMAT, odd_values, 1 },
	{ 9700, 0, 1, E_ENTER, openat_values, 1 },
};
static const struct tp_switch switches[] = {
	{ 5500, 0, 0, TF_SWITCH_OUT | TF_SWITCH_PREEMPT, 11 + 1 },
	{ 5501, 0, 1, 0, 10 + 1 },
	{ 5502, 0, 1, TF_SWITCH_OUT, 0 },
};
static const struct tp_symbol symbols[] = {
	{ "handler", 0x400, 0x100 }, { "other", 0x900, 0x10 },
};
static const struct tp_fact facts[] = {
	{ "kernel_text", "0xffffffff81000000" }, { "pointer_size", "8" },
	{ "page_size", "4096" },
};

static const struct tp_trace trace = {
	.tracepoints = tracepoints, .n_tracepoints = ARRAY_LEN(tracepoints),
	.events = events, .n_events = ARRAY_LEN(events),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.rows = rows, .n_rows = ARRAY_LEN(rows),
	.switches = switches, .n_switches = ARRAY_LEN(switches),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.facts = facts, .n_facts = ARRAY_LEN(facts),
	.chunk_rows = 2,
};

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
	if (tp_build(&trace, &f->bytes, &f->err) || reopen(f)) {
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
	uint64_t samples[ARRAY_LEN(events)] = { 0 };

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
	static const struct tp_row only[] = {
		{ 1000, 1, 1, E_ENTER, openat_values, 0 },
	};
	struct tp_trace t = trace;
	struct fixture *f = *state;
	struct an_profile p;

	t.rows = only;
	t.n_rows = 1;
	buf_clear(&f->bytes);
	assert_int_equal(tp_build(&t, &f->bytes, &f->err), 0);
	assert_int_equal(reopen(f), 0);
	assert_int_equal(an_profile_make(&p, f->trace, NULL, &f->err), 0);
	for (size_t i = 0; i < p.n; i++)
		assert_int_not_equal(p.events[i].event, E_ENTER);
	assert_int_equal(p.n, ARRAY_LEN(events) - 1);
	an_profile_fini(&p);
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
	assert_int_equal(n, ARRAY_LEN(rows) + ARRAY_LEN(switches));
	assert_int_equal(n_switches, ARRAY_LEN(switches));
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
		TEST(rows_with_a_key_belong_to_its_event),
		TEST(other_rows_stay_with_the_event_that_they_name),
		TEST(an_event_whose_rows_all_went_to_others_is_not_shown),
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
