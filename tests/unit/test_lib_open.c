/* Ways to open a trace through libcoltrace's public header, and what is said of
 * one that is not whole. */
#include "tests/support/goldens.h"
#include "tests/support/libopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static uint64_t rows_of(const struct ct_trace *t, const char *table)
{
	struct ct_cursor *c = lib_cursor(t, table, NULL, 0, CT_TIME_MAX);
	const struct ct_batch *b;
	uint64_t n = 0;

	while (ct_cursor_next(c, &b, NULL) == 0)
		n += ct_batch_rows(b);
	ct_cursor_free(c);
	return n;
}

static void a_descriptor_stays_the_callers(void **state)
{
	int fd = open(lib_stored_paths[LIB_BIG], O_RDONLY);
	struct ct_trace *t = NULL;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
	assert_int_equal(ct_open_fd(&t, fd, NULL), 0);
	assert_int_equal(rows_of(t, "sample"), 5000);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 100);
	close(fd);
	assert_int_equal(rows_of(t, "sample"), 5000);
	ct_close(t);
}

static void a_pipe_is_read_to_its_end(void **state)
{
	struct ct_trace *t = NULL;
	struct buf b = { 0 };
	int ends[2];

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(golden_stored(&goldens[LIB_SMALL], &b, NULL), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], b.p, b.n), b.n);
	close(ends[1]);
	assert_int_equal(ct_open_fd(&t, ends[0], NULL), 0);
	close(ends[0]);
	assert_int_equal(rows_of(t, "test:all"), 4);
	ct_close(t);
	buf_fini(&b);
}

static void what_cannot_be_opened_says_why(void **state)
{
	struct ct_error error = { 0 };
	struct ct_trace *t = NULL;

	(void)state;
	assert_int_equal(ct_open(&t, "tests/nothing.ctr", &error), CT_ERR_IO);
	assert_string_equal(error.text, "cannot open 'tests/nothing.ctr': No "
			    "such file or directory");
	assert_int_equal(ct_open(&t, "tests/unit/test_lib.c", &error),
			 CT_ERR_FORMAT);
	assert_int_equal(ct_open(&t, "tests", &error), CT_ERR_IO);
	assert_int_equal(ct_open_fd(&t, -1, &error), CT_ERR_IO);
	assert_int_equal(ct_open_memory(&t, "", 0, &error), CT_ERR_FORMAT);
	assert_int_equal(error.code, CT_ERR_FORMAT);
	assert_int_equal(ct_open_memory(&t, NULL, 0, NULL), CT_ERR_FORMAT);
	assert_null(t);
}

struct caller { /* what stands behind the functions */
	struct buf bytes;
	long reads, fail_at;
	int closed;
};

static int caller_read(void *context, void *to, size_t size, uint64_t offset)
{
	struct caller *c = context;

	assert_true(size > 0);
	assert_true(offset <= c->bytes.n && size <= c->bytes.n - offset);
	if (++c->reads == c->fail_at)
		return 42;
	memcpy(to, c->bytes.p + offset, size);
	return 0;
}

static void caller_close(void *context)
{
	((struct caller *)context)->closed++;
}

static void a_trace_is_read_through_functions(void **state)
{
	struct caller c = { .reads = 0 };
	struct ct_io io = { caller_read, caller_close, &c, 0, "mine" };
	struct ct_error error = { 0 };
	struct ct_trace *t = NULL;

	(void)state;
	assert_int_equal(golden_stored(&goldens[LIB_BIG], &c.bytes, NULL), 0);
	io.size = c.bytes.n;
	c.fail_at = 1;
	assert_int_equal(ct_open_io(&t, &io, &error), CT_ERR_IO);
	assert_non_null(strstr(error.text, "cannot read 'mine'"));
	assert_non_null(strstr(error.text, "refused with 42"));
	assert_int_equal(c.closed, 0);
	assert_null(t);
	c.fail_at = 0;
	assert_int_equal(ct_open_io(&t, &io, &error), 0);
	assert_int_equal(rows_of(t, "sample"), 5000);
	assert_int_equal(c.closed, 0);
	ct_close(t);
	assert_int_equal(c.closed, 1);
	io.read = NULL;
	assert_int_equal(ct_open_io(&t, &io, &error), CT_ERR_USAGE);
	buf_fini(&c.bytes);
}

static void a_read_that_fails_is_told_and_can_be_gone_on_from(void **state)
{
	struct caller c = { .reads = 0 };
	struct ct_io io = { caller_read, NULL, &c, 0, NULL };
	struct ct_trace *t = NULL;
	const struct ct_batch *b;
	struct ct_cursor *rows;

	(void)state;
	assert_int_equal(golden_stored(&goldens[LIB_EPOCHS], &c.bytes, NULL),
			 0);
	io.size = c.bytes.n;
	assert_int_equal(ct_open_io(&t, &io, NULL), 0);
	rows = lib_cursor(t, "string", NULL, 0, CT_TIME_MAX);
	c.fail_at = c.reads + 1;
	assert_int_equal(ct_cursor_next(rows, &b, NULL), CT_ERR_IO);
	for (int i = 0; i < 3; i++)
		lib_next(rows);
	lib_no_more(rows);
	ct_cursor_free(rows);
	ct_close(t);
	buf_fini(&c.bytes);
}

struct problems {
	uint64_t n, last;
};

static void count_problem(void *context, uint64_t offset, const char *what)
{
	struct problems *p = context;

	assert_true(strlen(what) > 0);
	assert_true(offset >= p->last);
	p->last = offset;
	p->n++;
}

static void a_check_finds_nothing_in_a_sound_file(void **state)
{
	struct ct_verify_result r;
	struct problems p = { 0, 0 };
	struct ct_trace *t = lib_open_stored(LIB_BIG);

	(void)state;
	assert_int_equal(ct_verify(t, count_problem, &p, &r, NULL), 0);
	assert_int_equal(p.n, 0);
	assert_int_equal(r.problems, 0);
	assert_int_equal(r.bytes, 5232);
	assert_true(r.rows >= 5000 + 3);
	assert_int_equal(ct_verify(t, NULL, NULL, NULL, NULL), 0);
	ct_close(t);
}

static void damage_is_a_gap_and_a_problem(void **state)
{
	struct buf b = { 0 };
	struct ct_verify_result r;
	struct problems p = { 0, 0 };
	struct ct_trace *t;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(golden_stored(&goldens[LIB_SMALL], &b, NULL), 0);
	memset(b.p + 64, 0, 4); /* the first chunk's sync */
	t = lib_open_buf(&b);
	assert_int_equal(ct_trace_gaps(t), 1);
	assert_int_equal(ct_trace_gap(t, 0)->offset, 64);
	assert_true(strlen(ct_trace_gap(t, 0)->why) > 0);
	assert_int_equal(ct_verify(t, count_problem, &p, &r, NULL), 0);
	assert_true(r.problems > 0);
	assert_int_equal(r.problems, p.n);
	ct_close(t);
	buf_fini(&b);
}

static void how_a_file_ended_is_told(void **state)
{
	struct ct_trace *t = NULL;
	struct buf b = { 0 };
	size_t n;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(golden_stored(&goldens[LIB_SMALL], &b, NULL), 0);
	n = b.n;
	assert_int_equal(ct_open_memory(&t, b.p, n - 80, NULL), 0);
	assert_int_equal(ct_trace_info(t)->ending, CT_UNCLOSED);
	ct_close(t);
	assert_int_equal(ct_open_memory(&t, b.p, n - 1, NULL), 0);
	assert_int_equal(ct_trace_info(t)->ending, CT_CUT);
	ct_close(t);
	assert_non_null(buf_room(&b, n));
	memcpy(b.p + n, b.p, n);
	assert_int_equal(ct_open_memory(&t, b.p, 2 * n, NULL), 0);
	assert_int_equal(ct_trace_info(t)->ending, CT_FOLLOWED);
	assert_int_equal(ct_trace_info(t)->end, n);
	assert_true(ct_trace_info(t)->another_follows);
	ct_close(t);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_descriptor_stays_the_callers),
		cmocka_unit_test(a_pipe_is_read_to_its_end),
		cmocka_unit_test(what_cannot_be_opened_says_why),
		cmocka_unit_test(a_trace_is_read_through_functions),
		cmocka_unit_test(a_read_that_fails_is_told_and_can_be_gone_on_from),
		cmocka_unit_test(a_check_finds_nothing_in_a_sound_file),
		cmocka_unit_test(damage_is_a_gap_and_a_problem),
		cmocka_unit_test(how_a_file_ended_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
