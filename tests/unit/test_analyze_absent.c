/* Columns that are stored in a way which is not known here: what they would tell
 * is lost, and said to be. */
#include "analyze/command.h"
#include "analyze/head.h"
#include "analyze/profile.h"
#include "format/base/mem.h"
#include "tests/support/absent.h"
#include "tests/support/refit.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", "id", 0 },
	{ "k", TF_IMAGE_KERNEL, "kernel", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "main", 0x100, 0x100, NULL },
	{ "a", "f", 0x200, 0x100, NULL },
	{ "k", "sys", 0x400, 0x100, NULL },
};
static const struct tb_thread threads[] = { { 11, 10, "dog", 0 } };
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
};
static const struct tb_sample samples[] = {
	{ 1000, 3, 0, 0, 7, "main;f", NULL, 0, 0 },
};
static const struct tb_epoch epochs[] = { { samples, 1 } };
static const struct tb_trace trace = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = 1,
	.events = events, .n_events = 1,
	.epochs = epochs, .n_epochs = 1,
};

/* What a command says of the trace without one column. */
struct answer {
	struct trace_in_memory m;
	char *out, *said;
	size_t n_out, n_said;
};

static void open_without(struct answer *a, uint32_t table, uint32_t column)
{
	struct buf raw = { 0 };

	*a = (struct answer){ .out = NULL };
	assert_int_equal(trace_build(&a->m, &trace), 0);
	refit_raw(&raw, span_of(a->m.bytes.p, a->m.bytes.n));
	buf_fini(&a->m.bytes);
	a->m.bytes = raw;
	assert_int_equal(absent_make(raw.p, raw.n, table, column), 1);
	fclose(a->m.log.to);
	a->m.log.to = open_memstream(&a->said, &a->n_said);
	assert_non_null(a->m.log.to);
	assert_int_equal(trace_open(&a->m), 0);
}

static void dump(struct answer *a, char *option)
{
	_Alignas(max_align_t) char args[4096] = { 0 };
	struct an_env env = { .log = &a->m.log, .trace = a->m.trace };
	char *argv[] = { (char[]){ "dump" }, option, NULL };
	const struct an_command *const *cmd = an_commands;
	int n;

	while (strcmp((*cmd)->name, "dump") != 0)
		cmd++;
	assert_int_equal(opt_parse((*cmd)->opts, OPT_ANYWHERE, args, 2, argv,
				   &n, &a->m.err), 0);
	env.out = open_memstream(&a->out, &a->n_out);
	assert_non_null(env.out);
	assert_true((*cmd)->run(&env, args, &a->m.err) >= 0);
	fclose(env.out);
	fflush(a->m.log.to);
}

static void forget(struct answer *a)
{
	trace_fini(&a->m);
	free(a->out);
	free(a->said);
}

#define LOST "{\"sym\":null,\"off\":null,\"dso\":\"[lost]\",\"addr\":null}"
#define LEAF "{\"sym\":\"f\",\"off\":0,\"dso\":\"a\",\"addr\":512}"
#define ROOT "{\"sym\":\"main\",\"off\":4,\"dso\":\"a\",\"addr\":260}"
#define NAMELESS "{\"sym\":null,\"off\":null,\"dso\":\"a\",\"addr\":512}"

static const struct absent {
	uint32_t table, column;
	const char *name, *shown;
} absents[] = {
	{ TF_TABLE_SAMPLE, TF_SAMPLE_CPU, "cpu", "\"cpu\":null," },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_THREAD, "thread",
	  "\"pid\":-1,\"tid\":-1,\"comm\":\"[lost]\"" },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_EVENT, "event", "\"event\":\"[lost]\"" },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_PERIOD, "period", "\"period\":null," },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_IP, "ip", "[" LOST "," ROOT "]" },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_KSTACK, "kstack",
	  "[" LEAF "," LOST "," ROOT "]" },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_USTACK, "ustack", "[" LEAF "," LOST "]" },
	{ TF_TABLE_SAMPLE, TF_SAMPLE_FLAGS, "flags",
	  "\"kernel\":null,\"truncated\":null,\"stack\":[" LOST },
	{ TF_TABLE_FRAME, TF_FRAME_IMAGE, "image",
	  "{\"sym\":null,\"off\":null,\"dso\":\"[lost]\",\"addr\":512}" },
	{ TF_TABLE_FRAME, TF_FRAME_ADDRESS, "address",
	  "[" LOST "," LOST "]" },
	{ TF_TABLE_FRAME, TF_FRAME_KIND, "kind", "[" NAMELESS "," },
	{ TF_TABLE_STACK, TF_STACK_PARENT, "parent",
	  "[" LEAF "," ROOT "," LOST "]" },
	{ TF_TABLE_STACK, TF_STACK_FRAME, "frame", "[" LEAF "," LOST "]" },
	{ TF_TABLE_SYMBOL, TF_SYMBOL_IMAGE, "image", NAMELESS },
	{ TF_TABLE_SYMBOL, TF_SYMBOL_START, "start", NAMELESS },
	{ TF_TABLE_SYMBOL, TF_SYMBOL_SIZE, "size", NAMELESS },
	{ TF_TABLE_SYMBOL, TF_SYMBOL_NAME, "name",
	  "{\"sym\":\"[lost]\",\"off\":0,\"dso\":\"a\",\"addr\":512}" },
	{ TF_TABLE_IMAGE, TF_IMAGE_KIND, "kind",
	  "{\"sym\":null,\"off\":null,\"dso\":\"[lost]\",\"addr\":512}" },
	{ TF_TABLE_IMAGE, TF_IMAGE_PATH, "path",
	  "{\"sym\":\"f\",\"off\":0,\"dso\":\"[lost]\",\"addr\":512}" },
	{ TF_TABLE_THREAD, TF_THREAD_TID, "tid", "\"pid\":10,\"tid\":-1," },
	{ TF_TABLE_THREAD, TF_THREAD_PID, "pid", "\"pid\":-1,\"tid\":11," },
	{ TF_TABLE_THREAD, TF_THREAD_COMM, "comm", "\"comm\":\"[lost]\"" },
	{ TF_TABLE_EVENT, TF_EVENT_NAME, "name", "\"event\":\"[lost]\"" },
	{ TF_TABLE_STRING, TF_STRING_BYTES, "bytes",
	  "\"comm\":\"[lost]\",\"event\":\"[lost]\"" },
};

static void what_an_absent_column_tells_is_lost_and_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(absents); i++) {
		const struct absent *x = &absents[i];
		char warning[100];
		struct answer a;

		open_without(&a, x->table, x->column);
		dump(&a, (char[]){ "--json" });
		if (!strstr(a.out, x->shown))
			print_error("%s: %s\n", x->name, a.out);
		assert_non_null(strstr(a.out, x->shown));
		snprintf(warning, sizeof(warning), "rows have no '%s' that",
			 x->name);
		assert_non_null(strstr(a.said, warning));
		assert_int_equal(an_trace_damage(a.m.trace), 0);
		forget(&a);
	}
}

static void a_row_without_a_time_is_left_out_and_counted(void **state)
{
	struct answer a;

	(void)state;
	open_without(&a, TF_TABLE_SAMPLE, TF_SAMPLE_TIME);
	dump(&a, (char[]){ "--json" });
	assert_string_equal(a.out, "");
	assert_non_null(strstr(a.said, "1 rows have no 'time' that"));
	forget(&a);
}

static void text_shows_a_lost_number_as_none(void **state)
{
	struct answer a;

	(void)state;
	open_without(&a, TF_TABLE_SAMPLE, TF_SAMPLE_PERIOD);
	dump(&a, (char[]){ "-F+period" });
	assert_non_null(strstr(a.out, "[003]"));
	assert_non_null(strstr(a.out, " [lost] "));
	forget(&a);
	open_without(&a, TF_TABLE_SAMPLE, TF_SAMPLE_CPU);
	dump(&a, (char[]){ "-F+period" });
	assert_non_null(strstr(a.out, "[---]"));
	assert_non_null(strstr(a.out, "  7 "));
	forget(&a);
}

static void a_report_says_how_many_have_no_weight(void **state)
{
	struct an_profile p;
	char *text = NULL;
	struct answer a;
	size_t n;
	FILE *to;

	(void)state;
	open_without(&a, TF_TABLE_SAMPLE, TF_SAMPLE_PERIOD);
	assert_int_equal(an_profile_make(&p, a.m.trace, NULL, &a.m.err), 0);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.events[0].lost_periods, 1);
	to = open_memstream(&text, &n);
	assert_non_null(to);
	an_head_event(a.m.trace, &p.events[0], to);
	fclose(to);
	assert_non_null(strstr(text, "the period of 1 samples is lost"));
	free(text);
	an_profile_fini(&p);
	forget(&a);
}

static void nothing_is_chosen_by_what_is_not_known(void **state)
{
	static const char *zero = "0";
	struct an_selection_args args = { .cpu = { .items = &zero, .n = 1 } };
	struct an_selection sel;
	struct an_profile p;
	struct answer a;

	(void)state;
	open_without(&a, TF_TABLE_SAMPLE, TF_SAMPLE_CPU);
	assert_int_equal(an_selection_make(&sel, &args, a.m.trace, &a.m.err),
			 0);
	assert_int_equal(an_profile_make(&p, a.m.trace, &sel, &a.m.err), 0);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.events[0].total.samples, 0);
	an_profile_fini(&p);
	an_selection_fini(&sel);
	forget(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_absent_column_tells_is_lost_and_said),
		cmocka_unit_test(a_row_without_a_time_is_left_out_and_counted),
		cmocka_unit_test(text_shows_a_lost_number_as_none),
		cmocka_unit_test(a_report_says_how_many_have_no_weight),
		cmocka_unit_test(nothing_is_chosen_by_what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
