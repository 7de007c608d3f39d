#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/columns.h"
#include "format/encode.h"
#include "tests/support/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <string.h>

#define TABLE 256

/* A part as a packed chunk has it: its columns in the directory, all streams
 * in the body. */
struct packed {
	struct buf columns, streams;
};

static void put_column(struct packed *p, uint32_t id, const size_t *lengths,
		       unsigned n, const struct buf *tail)
{
	struct buf entry = { 0 };

	buf_varint(&entry, id);
	buf_u8(&entry, (uint8_t)n);
	for (unsigned i = 0; i < n; i++)
		buf_varint(&entry, lengths[i]);
	buf_put(&entry, tail->p, tail->n);
	buf_varint(&p->columns, entry.n);
	buf_put(&p->columns, entry.p, entry.n);
	buf_fini(&entry);
}

static void fini(struct packed *p)
{
	buf_fini(&p->columns);
	buf_fini(&p->streams);
}

static void pack_vector(struct packed *to, const struct vector *v)
{
	for (uint32_t i = 0; i < v->n_columns; i++) {
		const struct vector_column *c = &v->columns[i];
		struct buf tail = { 0 };

		buf_put(&tail, c->statistics.p, c->statistics.n);
		buf_put(&tail, c->encoding.p, c->encoding.n);
		put_column(to, v->schema[i].id, c->lengths, c->n_streams,
			   &tail);
		buf_put(&to->streams, c->streams.p, c->streams.n);
		buf_fini(&tail);
	}
}

static struct tf_table table_of(const struct vector *v)
{
	return (struct tf_table){ .id = TABLE, .name = "a:b",
				  .kind = TF_KIND_EVENT,
				  .columns = v->schema,
				  .n_columns = v->n_columns };
}

static void put_row(struct tf_builder *b, const struct vector *v, uint32_t row,
		    size_t at[VECTOR_COLUMNS])
{
	for (uint32_t i = 0; i < v->n_columns; i++) {
		const struct vector_column *c = &v->columns[i];
		size_t n = (size_t)c->v[row];

		if (v->schema[i].list)
			tf_builder_list(b, i, c->items + at[i], n);
		else if (v->schema[i].type == TF_BYTES && c->bytes.n)
			tf_builder_bytes(b, i, c->bytes.p + at[i], n);
		else if (v->schema[i].type == TF_BYTES)
			tf_builder_bytes(b, i, "", 0);
		else
			tf_builder_set(b, i, c->v[row]);
		at[i] += n;
	}
	assert_true(tf_builder_commit(b));
}

/* With all predictions, as after a trial that they won. */
static void pack_encoded(struct packed *to, const struct vector *v)
{
	struct tf_table t = table_of(v);
	size_t at[VECTOR_COLUMNS] = { 0 };
	struct tf_builder *b = NULL;
	struct tf_encoder e;

	assert_int_equal(tf_builder_new(&b, &t, v->rows, NULL), 0);
	for (uint32_t i = 0; i < v->rows; i++)
		put_row(b, v, i, at);
	tf_encoder_init(&e, NULL);
	tf_encoder_begin(&e, b);
	for (uint32_t i = 0; i < v->n_columns; i++) {
		tf_choice_keep(&e.choices, TABLE, v->schema[i].id, true);
		buf_clear(&e.tails);
		e.n = 0;
		tf_encode(&e, i);
		put_column(to, v->schema[i].id, e.lengths, (unsigned)e.n,
			   &e.tails);
	}
	assert_false(tf_encoder_failed(&e));
	buf_put(&to->streams, e.raw.p, e.raw.n);
	tf_encoder_fini(&e);
	tf_builder_free(b);
}

static void offsets_are(const uint32_t *offsets, const uint64_t *lengths,
			uint32_t rows)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rows; i++) {
		assert_int_equal(offsets[i], sum);
		sum += lengths[i];
	}
	assert_int_equal(offsets[rows], sum);
}

static void values_are(const struct tf_values *x, const struct vector *v,
		       uint32_t i)
{
	const struct vector_column *c = &v->columns[i];

	assert_true(x->present);
	if (v->schema[i].list || v->schema[i].type == TF_BYTES)
		offsets_are(x->offsets, c->v, v->rows);
	if (v->schema[i].list && c->n_items)
		assert_memory_equal(x->items, c->items,
				    c->n_items * sizeof(*c->items));
	else if (v->schema[i].type == TF_BYTES && c->bytes.n)
		assert_memory_equal(x->bytes, c->bytes.p, c->bytes.n);
	else if (x->v)
		assert_memory_equal(x->v, c->v, v->rows * sizeof(*c->v));
}

static void range_is(const struct tf_plan *plan, const struct vector *v,
		     uint32_t i)
{
	bool is_signed = v->schema[i].type == TF_I64;

	if (!plan->has_range || v->columns[i].statistics.n == 1)
		return;
	for (uint32_t row = 0; row < v->rows; row++) {
		uint64_t bias = (uint64_t)is_signed << 63;
		uint64_t x = v->columns[i].v[row] ^ bias;

		assert_true(x >= (plan->min ^ bias));
		assert_true(x <= (plan->max ^ bias));
	}
}

static void decodes(const struct packed *p, const struct vector *v)
{
	struct tf_table t = table_of(v);
	struct tf_part part = { .table = TABLE, .rows = v->rows,
				.n_columns = v->n_columns, .packed = true,
				.columns = span_of(p->columns.p,
						   p->columns.n) };
	struct tf_body body = { .packed = true, .unpacked = true,
				.plain = p->streams };
	const struct tf_plan *plans[VECTOR_COLUMNS];
	struct tf_scratch mem = { 0 };
	struct tf_values x = { 0 };
	struct tf_columns cs;
	struct err err = { 0 };

	assert_int_equal(tf_columns_init(&cs, &t, &err), 0);
	if (tf_columns_begin(&cs, &part, &err))
		fail_msg("%s: %s", v->name, err.text);
	for (uint32_t i = 0; i < v->n_columns; i++) {
		if (tf_columns_want(&cs, i, &plans[i], &err))
			fail_msg("%s: %s", v->name, err.text);
		assert_non_null(plans[i]);
		range_is(plans[i], v, i);
	}
	assert_int_equal(tf_scratch_reset(&mem, cs.size, &err), 0);
	for (uint32_t i = 0; i < v->n_columns; i++) {
		if (tf_columns_run(&cs, i, &body, &mem, &x, &err))
			fail_msg("%s: %s", v->name, err.text);
		values_are(&x, v, i);
	}
	tf_scratch_fini(&mem);
	tf_columns_fini(&cs);
}

typedef void vector_fn(const struct vector *v);

/* Returns how many vectors the file has. */
static size_t each_of_file(const char *path, vector_fn *fn)
{
	FILE *f = fopen(path, "r");
	struct vector v;
	size_t n = 0;

	assert_non_null(f);
	while (vector_take(&v, f)) {
		print_message("%s: %s\n", path, v.name);
		fn(&v);
		vector_fini(&v);
		n++;
	}
	fclose(f);
	return n;
}

static void each(vector_fn *fn)
{
	static const char *const names[] = { "planes", "const", "delta",
					     "kdelta", "dict",	"klast",
					     "link",   "bytes", "list",
					     "rise" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[100];

		snprintf(path, sizeof(path), "spec/vectors/%s.txt", names[i]);
		assert_true(each_of_file(path, fn) >= 3);
	}
}

static void decode_vector(const struct vector *v)
{
	struct packed p = { 0 };

	pack_vector(&p, v);
	decodes(&p, v);
	fini(&p);
}

static void bytes_worked_out_by_hand_decode_to_their_values(void **state)
{
	(void)state;
	each(decode_vector);
}

static void decode_encoded(const struct vector *v)
{
	struct packed p = { 0 };

	pack_encoded(&p, v);
	decodes(&p, v);
	fini(&p);
}

static void what_is_encoded_decodes_to_the_same_values(void **state)
{
	(void)state;
	each(decode_encoded);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && (!a->n || memcmp(a->p, b->p, a->n) == 0);
}

static void compare(const struct vector *v)
{
	struct packed by_hand = { 0 }, made = { 0 };
	bool is_same;

	pack_vector(&by_hand, v);
	pack_encoded(&made, v);
	is_same = same(&by_hand.columns, &made.columns) &&
		  same(&by_hand.streams, &made.streams);
	if (is_same == v->writer_differs)
		fail_msg("%s: encoded %s", v->name,
			 is_same ? "the same" : "otherwise");
	fini(&by_hand);
	fini(&made);
}

static void the_encoder_makes_these_bytes_unless_they_say_otherwise(void **state)
{
	(void)state;
	each(compare);
}

/* A file that nobody reads would prove nothing. */
static void all_files_are_read(void **state)
{
	DIR *d = opendir("spec/vectors");
	struct dirent *e;
	size_t n = 0;

	(void)state;
	assert_non_null(d);
	while ((e = readdir(d)))
		n += strstr(e->d_name, ".txt") != NULL;
	closedir(d);
	assert_int_equal(n, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			bytes_worked_out_by_hand_decode_to_their_values),
		cmocka_unit_test(what_is_encoded_decodes_to_the_same_values),
		cmocka_unit_test(
			the_encoder_makes_these_bytes_unless_they_say_otherwise),
		cmocka_unit_test(all_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
