#include "analyze/marks.h"

#include "format/base/mem.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_thread threads[] = {
	{ 7, 7, "one", 5 },
	{ 8, 8, "two", 30 },
	{ 8, 8, "again", 60 },
	{ 9, 9, "nobody", 1 },
	{ 10, 10, "moved", 3 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, false },
};
static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "main", 0x100, 0x10, NULL },
};
#define SAMPLE(when, th)                                                       \
	{ .time = when, .thread = th, .user = "main" }
static const struct tb_sample first[] = {
	SAMPLE(100, 0), SAMPLE(110, 1), SAMPLE(120, 2), SAMPLE(130, 3),
	SAMPLE(140, 4),
};
static const struct tb_sample second[] = { SAMPLE(200, 4) };
static const struct tb_epoch epochs[] = { { first, ARRAY_LEN(first) },
					  { second, ARRAY_LEN(second) } };
static const struct tb_process processes[] = {
	{ .pid = 8, .time = 50, .cgroup = "/late", .ns_pid = 2, .pid_ns = 77 },
	{ .pid = 8, .time = 20, .cgroup = "/early", .ns_pid = 1, .pid_ns = 66 },
	{ .pid = 7, .time = 9, .cgroup = "/only" },
};

/* Not in the order of time, and in two epochs. */
static const struct tb_mark marks[] = {
	{ 115, TF_MARK_COMMAND, 70, "begin", 0 },
	{ 105, TF_MARK_TRACER, 71, "begin", 0 },
	{ 105, TF_MARK_STDOUT, 0, "of one moment", 0 },
	{ 205, (enum tf_mark_source)99, 0, "end\n(1)", 1 },
	{ 150, TF_MARK_COMMAND, 72, "middle", 1 },
};

static const struct tb_trace good = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.events = events, .n_events = ARRAY_LEN(events),
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
	.processes = processes, .n_processes = ARRAY_LEN(processes),
	.marks = marks, .n_marks = ARRAY_LEN(marks),
};

static void they_come_in_the_order_of_time_and_then_of_the_file(void **state)
{
	static const char *const want[] = { "begin", "of one moment", "begin",
					    "middle", "end\n(1)" };
	static const uint64_t times[] = { 105, 105, 115, 150, 205 };
	struct trace_in_memory m;
	const struct an_trace *t = trace_must(&m, &good);

	(void)state;
	assert_int_equal(an_n_marks(t), 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(an_mark_of(t, i)->time, times[i]);
		assert_string_equal(an_text(t, an_mark_of(t, i)->text),
				    want[i]);
	}
	assert_int_equal(an_mark_of(t, 0)->pid, 71);
	assert_string_equal(an_text(t, an_mark_of(t, 5)->text), "[lost]");
	trace_fini(&m);
}

static void the_first_with_a_text_is_found(void **state)
{
	struct trace_in_memory m;
	const struct an_trace *t = trace_must(&m, &good);
	uint64_t time = 1;

	(void)state;
	assert_false(an_mark_find_from(t, "begi", 0, &time));
	assert_false(an_mark_find_from(t, "begin ", 0, &time));
	assert_false(an_mark_find_from(t, "", 0, &time));
	assert_int_equal(time, 1);
	assert_true(an_mark_find_from(t, "begin", 0, &time));
	assert_int_equal(time, 105);
	assert_true(an_mark_find_from(t, "begin", 106, &time));
	assert_int_equal(time, 115);
	assert_true(an_mark_find_from(t, "begin", 115, &time));
	assert_int_equal(time, 115);
	assert_false(an_mark_find_from(t, "begin", 116, &time));
	trace_fini(&m);
}

static void a_walk_gives_each_once_up_to_a_time(void **state)
{
	struct trace_in_memory m;
	struct an_mark_walk w = { .t = trace_must(&m, &good), .t_min = 105,
				  .t_max = 150 };

	(void)state;
	assert_null(an_mark_next(&w, 104));
	assert_int_equal(an_mark_next(&w, 105)->pid, 71);
	assert_int_equal(an_mark_next(&w, 105)->pid, 0);
	assert_null(an_mark_next(&w, 114));
	assert_int_equal(an_mark_next(&w, UINT64_MAX)->pid, 70);
	assert_int_equal(an_mark_next(&w, UINT64_MAX)->pid, 72);
	assert_null(an_mark_next(&w, UINT64_MAX));
	w = (struct an_mark_walk){ .t = w.t, .t_min = 106, .t_max = 114 };
	assert_null(an_mark_next(&w, UINT64_MAX));
	trace_fini(&m);
}

static char *printed(void (*print)(const struct an_trace *t, FILE *to),
		     const struct an_trace *t)
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	print(t, to);
	fclose(to);
	return text;
}

static void a_list_has_a_line_for_each(void **state)
{
	struct trace_in_memory m;
	char *text = printed(an_marks_print, trace_must(&m, &good));

	(void)state;
	assert_non_null(strstr(text, "marks: 5\n"));
	assert_non_null(strstr(text, "  0.000000115  begin (rec mark, pid 70)"
			       "\n"));
	assert_non_null(strstr(text, "  0.000000105  of one moment (standard "
			       "output)\n"));
	assert_null(strstr(text, "end\n"));
	assert_non_null(strstr(text, "(unknown)\n"));
	free(text);
	trace_fini(&m);
}

static void a_long_list_is_cut(void **state)
{
	struct tb_mark many[21];
	struct tb_trace t = good;
	struct trace_in_memory m;
	char *text;

	(void)state;
	for (size_t i = 0; i < 21; i++)
		many[i] = (struct tb_mark){ 100 + i, TF_MARK_COMMAND, 0,
					    i < 20 ? "x" : "the last", 0 };
	t.marks = many;
	t.n_marks = 21;
	text = printed(an_marks_print, trace_must(&m, &t));
	assert_non_null(strstr(text, "marks: 21, the first 20"));
	assert_null(strstr(text, "the last"));
	free(text);
	trace_fini(&m);
}

static void without_any_nothing_is_printed(void **state)
{
	struct tb_trace t = good;
	struct trace_in_memory m;
	uint64_t time;
	char *text;

	(void)state;
	t.n_marks = 0;
	text = printed(an_marks_print, trace_must(&m, &t));
	assert_string_equal(text, "");
	assert_false(an_mark_find_from(m.trace, "begin", 0, &time));
	free(text);
	trace_fini(&m);
}

static const struct an_process *of(const struct an_trace *t, const char *comm)
{
	for (uint32_t i = 0; i < an_n_threads(t); i++)
		if (strcmp(an_text(t, an_thread_of(t, i)->comm), comm) == 0)
			return an_process_of(t, an_thread_of(t, i)->process);
	fail_msg("no thread '%s'", comm);
	return NULL;
}

static void a_thread_is_of_the_process_that_had_its_pid_then(void **state)
{
	struct trace_in_memory m;
	const struct an_trace *t = trace_must(&m, &good);

	(void)state;
	assert_int_equal(an_n_processes(t), 3);
	assert_int_equal(of(t, "two")->pid_ns, 66);
	assert_int_equal(of(t, "two")->ns_pid, 1);
	assert_string_equal(an_text(t, of(t, "two")->cgroup), "/early");
	assert_int_equal(of(t, "again")->pid_ns, 77);
	assert_string_equal(an_text(t, of(t, "again")->cgroup), "/late");
	/* Announced before its process was: the only one there is. */
	assert_string_equal(an_text(t, of(t, "one")->cgroup), "/only");
	assert_int_equal(of(t, "nobody")->pid, -1);
	assert_string_equal(an_text(t, of(t, "nobody")->cgroup), "");
	trace_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			they_come_in_the_order_of_time_and_then_of_the_file),
		cmocka_unit_test(the_first_with_a_text_is_found),
		cmocka_unit_test(a_walk_gives_each_once_up_to_a_time),
		cmocka_unit_test(a_list_has_a_line_for_each),
		cmocka_unit_test(a_long_list_is_cut),
		cmocka_unit_test(without_any_nothing_is_printed),
		cmocka_unit_test(
			a_thread_is_of_the_process_that_had_its_pid_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
