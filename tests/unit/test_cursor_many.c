/* A cursor over several tables gives what one for each of them gives. */
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "tests/support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct file {
	struct buf bytes;
	struct tf_source *source;
	struct tf_reader *r;
	struct err err;
};

static int open_file(void **state)
{
	static struct file f;

	f = (struct file){ 0 };
	buf_init(&f.bytes, 0);
	*state = &f;
	return tp_build(&points_trace, &f.bytes, &f.err) ||
	       tf_source_memory(&f.source, span_of(f.bytes.p, f.bytes.n),
				&f.err) ||
	       tf_reader_open(&f.r, f.source, &f.err);
}

static int close_file(void **state)
{
	struct file *f = *state;

	tf_reader_free(f->r);
	tf_source_close(f->source);
	buf_fini(&f->bytes);
	return 0;
}

/* What identifies a part and its first column. */
struct seen {
	uint32_t table, rows;
	size_t chunk;
	uint64_t first;
	uint64_t second; /* its second column is there */
};

static size_t walk(struct file *f, const struct tf_query *q, size_t n,
		   struct seen *out, size_t max)
{
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	size_t seen = 0;
	int rc;

	assert_int_equal(tf_cursor_new_many(&c, f->r, q, n, &f->err), 0);
	while ((rc = tf_cursor_next(c, &v, &f->err)) == 0) {
		assert_true(seen < max);
		out[seen++] = (struct seen){
			.table = v->table->id,
			.rows = v->rows,
			.chunk = v->chunk,
			.first = v->columns[0].present ? v->columns[0].v[0] :
							 0,
			.second = v->columns[1].present,
		};
	}
	assert_int_equal(rc, 1);
	tf_cursor_free(c);
	return seen;
}

static const struct tf_query queries[] = {
	{ .table = TF_TABLE_SAMPLE, .columns = 1, .t_max = UINT64_MAX },
	{ .table = TF_TABLE_SWITCH, .columns = 3, .t_max = UINT64_MAX },
	{ .table = TF_TABLE_DYNAMIC + T_SWITCH, .columns = 1,
	  .t_max = UINT64_MAX },
	{ .table = TF_TABLE_DYNAMIC + T_ENTER, .columns = 3,
	  .t_max = UINT64_MAX },
	{ .table = 9999, .columns = 1, .t_max = UINT64_MAX }, /* not there */
};
#define MAX 64

static void parts_of_many_tables_are_those_of_each(void **state)
{
	struct file *f = *state;
	struct seen all[MAX], one[MAX];
	size_t n = walk(f, queries, ARRAY_LEN(queries), all, MAX), sum = 0;

	for (size_t q = 0; q < ARRAY_LEN(queries); q++) {
		size_t parts = walk(f, &queries[q], 1, one, MAX), at = 0;

		for (size_t i = 0; i < n; i++)
			if (all[i].table == queries[q].table) {
				assert_true(at < parts);
				assert_memory_equal(&all[i], &one[at++],
						    sizeof(one[0]));
			}
		assert_int_equal(at, parts);
		sum += parts;
	}
	assert_int_equal(sum, n);
	assert_true(n > 4);
}

static void parts_come_in_the_order_of_the_file(void **state)
{
	struct seen all[MAX];
	size_t n = walk(*state, queries, ARRAY_LEN(queries), all, MAX);

	for (size_t i = 1; i < n; i++)
		assert_true(all[i - 1].chunk <= all[i].chunk);
}

static void each_table_has_its_own_columns_and_times(void **state)
{
	struct tf_query q[2] = { queries[2], queries[3] };
	struct seen all[MAX];
	size_t n;

	q[0].t_min = 4500; /* one of its two rows is at 4000 */
	q[1].t_max = 1500;
	n = walk(*state, q, 2, all, MAX);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(all[i].second,
				 all[i].table == TF_TABLE_DYNAMIC + T_ENTER);
}

static void without_tables_there_is_nothing(void **state)
{
	struct seen all[MAX];

	assert_int_equal(walk(*state, queries, 0, all, MAX), 0);
	assert_int_equal(walk(*state, &queries[4], 1, all, MAX), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_file, close_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parts_of_many_tables_are_those_of_each),
		TEST(parts_come_in_the_order_of_the_file),
		TEST(each_table_has_its_own_columns_and_times),
		TEST(without_tables_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
