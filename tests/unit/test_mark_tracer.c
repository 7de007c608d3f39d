#include "record/mark/tracer.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* As Linux 6.18 prints it. */
#define FIRST "2119 0 11578862298435 # ffffffff81498b1a hello world\n"
#define SECOND "2120 1 11578862541639 # ffffffff81498b1a two\n"

struct parsed {
	struct buf line;
	struct rec_mark mark;
	uint64_t lost;
	struct span rest;
	int rc;
};

static void parse(struct parsed *p, const char *text, bool whole)
{
	*p = (struct parsed){ .rest = span_of(text, strlen(text)) };
	buf_init(&p->line, REC_MARK_TEXT_MAX);
	p->rc = rec_mark_tracer_parse(&p->rest, whole, &p->line, &p->mark,
				      &p->lost);
}

static void next(struct parsed *p, bool whole)
{
	p->rc = rec_mark_tracer_parse(&p->rest, whole, &p->line, &p->mark,
				      &p->lost);
}

static void check(const struct parsed *p, uint64_t time, uint32_t pid,
		  const char *text)
{
	assert_int_equal(p->rc, 0);
	assert_int_equal(p->mark.time, time);
	assert_int_equal(p->mark.pid, pid);
	assert_int_equal(p->mark.source, TF_MARK_TRACER);
	assert_int_equal(p->mark.text.n, strlen(text));
	assert_memory_equal(p->mark.text.p, text, strlen(text));
}

static void each_line_is_a_mark_with_its_time_and_its_writer(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, FIRST SECOND, true);
	check(&p, 11578862298435, 2119, "hello world");
	next(&p, true);
	check(&p, 11578862541639, 2120, "two");
	next(&p, true);
	assert_int_equal(p.rc, 1);
	assert_int_equal(p.rest.n, 0);
	buf_fini(&p.line);
}

static void further_lines_of_one_write_are_its_text(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, FIRST "and more\n\n 3 4\n" SECOND, true);
	check(&p, 11578862298435, 2119, "hello world\nand more\n\n 3 4");
	next(&p, true);
	check(&p, 11578862541639, 2120, "two");
	buf_fini(&p.line);
}

static void an_entry_that_may_go_on_waits(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, FIRST "part", false);
	assert_int_equal(p.rc, 1);
	assert_int_equal(p.rest.n, strlen(FIRST "part"));
	buf_fini(&p.line);
	parse(&p, FIRST SECOND, false);
	check(&p, 11578862298435, 2119, "hello world");
	next(&p, false);
	assert_int_equal(p.rc, 1);
	assert_int_equal(p.rest.n, strlen(SECOND));
	buf_fini(&p.line);
}

static void lost_lines_are_counted_once(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "CPU:1 [LOST 12 EVENTS]\n" FIRST "CPU:0 [LOST 3 EVENTS]\n"
	      SECOND, true);
	check(&p, 11578862298435, 2119, "hello world");
	next(&p, true);
	check(&p, 11578862541639, 2120, "two");
	assert_int_equal(p.lost, 15);
	buf_fini(&p.line);
	parse(&p, FIRST "CPU:0 [LOST 3 EVENTS]\n", false);
	assert_int_equal(p.rc, 1);
	next(&p, true);
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.lost, 3);
	buf_fini(&p.line);
}

static void what_is_no_entry_is_passed_over(void **state)
{
	static const char *const noise[] = {
		"", "\n", "x\n", "1 2\n", "1 2 3 # \n", "-1 0 5 # ffff a\n",
		"1 0 5 ! ffff a\n", "1 0 99999999999999999999 # ffff a\n",
		"99999999999 0 5 # ffff a\n",
		"7 0 5 # 2a buf: 01 02 03\n", /* of trace_marker_raw */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++) {
		struct parsed p;
		char text[256];

		snprintf(text, sizeof(text), "%s" SECOND, noise[i]);
		parse(&p, text, true);
		check(&p, 11578862541639, 2120, "two");
		buf_fini(&p.line);
	}
}

static void no_prefix_is_more_than_is_there(void **state)
{
	static const char text[] = FIRST "more\n" SECOND;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct span rest = span_of(text, n);
		struct rec_mark m;
		uint64_t lost = 0;
		struct buf line;

		buf_init(&line, REC_MARK_TEXT_MAX);
		while (rec_mark_tracer_parse(&rest, true, &line, &m,
					     &lost) == 0)
			assert_true(m.text.n <= n);
		assert_true(rest.n <= n);
		buf_fini(&line);
	}
}

static void an_endless_text_is_cut(void **state)
{
	static char text[2 * REC_MARK_TEXT_MAX];
	struct parsed p;
	int n = snprintf(text, sizeof(text), "1 0 5 # ffffffff81498b1a ");

	(void)state;
	memset(text + n, 'x', sizeof(text) - (size_t)n - 2);
	text[sizeof(text) - 2] = '\n';
	parse(&p, text, true);
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.mark.text.n, REC_MARK_TEXT_MAX);
	buf_fini(&p.line);
}

#define INSTANCES "/sys/kernel/tracing/instances"

static bool is_there(const struct filetree *t, const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", t->root, path);
	return access(full, F_OK) == 0;
}

static void make(const struct filetree *t, const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", t->root, path);
	assert_int_equal(mkdir(full, 0700), 0);
}

static void only_the_instances_of_the_dead_are_removed(void **state)
{
	struct filetree t;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/4711/comm", "rec\n");
	filetree_text(&t, INSTANCES "/keep", "");
	make(&t, INSTANCES "/coltrace-4711-0");
	make(&t, INSTANCES "/coltrace-4712-0");
	make(&t, INSTANCES "/coltrace-x");
	make(&t, INSTANCES "/4712");
	rec_mark_tracer_remove_dead(t.root);
	assert_true(is_there(&t, INSTANCES "/coltrace-4711-0"));
	assert_false(is_there(&t, INSTANCES "/coltrace-4712-0"));
	assert_true(is_there(&t, INSTANCES "/coltrace-x"));
	assert_true(is_there(&t, INSTANCES "/4712"));
	filetree_fini(&t);
}

static void without_tracefs_it_says_so(void **state)
{
	struct rec_mark_tracer tracer;
	struct err err = { 0 };
	struct rec_mark m;
	struct filetree t;

	(void)state;
	filetree_init(&t);
	assert_int_equal(rec_mark_tracer_open(&tracer, t.root, &err),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "no tracefs"));
	assert_int_equal(rec_mark_tracer_take(&tracer, &m), 1);
	rec_mark_tracer_fini(&tracer);
	filetree_fini(&t);
}

/* A folder without the option's file is what an older kernel shows. */
static void a_kernel_without_the_option_is_refused_and_left_clean(void **state)
{
	struct rec_mark_tracer tracer;
	struct err err = { 0 };
	struct filetree t;
	char path[64];

	(void)state;
	filetree_init(&t);
	filetree_text(&t, INSTANCES "/keep", "");
	assert_int_equal(rec_mark_tracer_open(&tracer, t.root, &err),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "6.16"));
	snprintf(path, sizeof(path), INSTANCES "/coltrace-%d-0", getpid());
	assert_false(is_there(&t, path));
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_line_is_a_mark_with_its_time_and_its_writer),
		cmocka_unit_test(further_lines_of_one_write_are_its_text),
		cmocka_unit_test(an_entry_that_may_go_on_waits),
		cmocka_unit_test(lost_lines_are_counted_once),
		cmocka_unit_test(what_is_no_entry_is_passed_over),
		cmocka_unit_test(no_prefix_is_more_than_is_there),
		cmocka_unit_test(an_endless_text_is_cut),
		cmocka_unit_test(only_the_instances_of_the_dead_are_removed),
		cmocka_unit_test(without_tracefs_it_says_so),
		cmocka_unit_test(
			a_kernel_without_the_option_is_refused_and_left_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
