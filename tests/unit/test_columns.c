#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/chunk.h"
#include "format/columns.h"
#include "format/encode.h"
#include "format/io.h"
#include "format/reader.h"
#include "format/writer.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { TIME, CPU, WHO, CALL, ARG, NEXT, PREV, STACK, N };

#define COLUMN(at, nm, ty, ro, ...)                                            \
	[at] = { .id = at, .name = nm, .type = ty, .unit = "", .role = ro,     \
		 .privacy = TF_PRIVACY_NUMBER, __VA_ARGS__ }

static const struct tf_column columns[N] = {
	COLUMN(TIME, "time", TF_U64, TF_ROLE_TIME, .key = CPU + 1),
	COLUMN(CPU, "cpu", TF_U64, TF_ROLE_ID),
	COLUMN(WHO, "who", TF_U64, TF_ROLE_ID),
	COLUMN(CALL, "call", TF_I64, TF_ROLE_ID),
	COLUMN(ARG, "arg", TF_I64, TF_ROLE_ID, .key = WHO + 1,
	       .second = CALL + 1),
	COLUMN(NEXT, "next", TF_U64, TF_ROLE_ID),
	COLUMN(PREV, "prev", TF_U64, TF_ROLE_ID, .key = CPU + 1,
	       .link = NEXT + 1),
	COLUMN(STACK, "stack", TF_REF, TF_ROLE_BELOW, .ref_table = 8),
};

static const struct tf_table table = {
	.id = 256, .name = "a:b", .kind = TF_KIND_EVENT, .columns = columns,
	.n_columns = N,
};
static const struct tf_table *const tables[] = { &table };

/* A generator that is known by heart: xorshift64. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

struct gen {
	uint64_t s;
	uint64_t on[4]; /* who is on each cpu */
};

/* Values as a scheduler and calls make them, so that keys tell them. */
static void fill_kindly(uint64_t v[N], uint32_t i, struct gen *g)
{
	uint64_t *s = &g->s;
	uint64_t cpu = i / 40 % 4, who = 100 + next(s) % 20;

	/* each cpu has a clock of its own */
	v[TIME] = (cpu << 40) + 1000ull * i + next(s) % 900;
	v[CPU] = cpu;
	v[WHO] = who;
	v[CALL] = (uint64_t)-(int64_t)(who % 3);
	v[ARG] = who * 0x123456789 + v[CALL] * (i / 200 % 2);
	v[NEXT] = who;
	v[PREV] = g->on[cpu];
	v[STACK] = i - i % 5;
	g->on[cpu] = who;
}

static void fill_wildly(uint64_t v[N], uint32_t i, struct gen *g)
{
	uint64_t *s = &g->s;

	(void)i;
	for (unsigned k = 0; k < N; k++)
		v[k] = next(s) >> (next(s) % 64);
	v[CPU] %= 3;
	v[CALL] %= UINT64_C(1) << (i / 500 % 8);
}

static void fill_extremes(uint64_t v[N], uint32_t i, struct gen *g)
{
	static const uint64_t ends[] = { 0, UINT64_MAX, INT64_MAX,
					 (uint64_t)INT64_MIN, 1 };

	(void)i;
	for (unsigned k = 0; k < N; k++)
		v[k] = ends[next(&g->s) % ARRAY_LEN(ends)];
}

typedef void fill_fn(uint64_t v[N], uint32_t i, struct gen *g);

struct fixture {
	struct buf file;
	struct tf_source *source;
	struct tf_reader *reader;
	uint64_t *written; /* N values a row */
};

static void write_parts(struct fixture *f, fill_fn *fill, uint32_t rows,
			unsigned parts)
{
	struct tf_file_info info = { .file_id = { 1 }, .start_unix_ns = 1 };
	struct tf_builder *b;
	struct tf_sink *sink;
	struct tf_writer *w;
	struct gen g = { .s = 88172645463325252u };

	f->written = calloc((size_t)rows * parts * N, sizeof(*f->written));
	assert_non_null(f->written);
	assert_int_equal(tf_sink_memory(&sink, &f->file, NULL), 0);
	assert_int_equal(tf_writer_new(&w, sink, &info, NULL), 0);
	assert_int_equal(tf_writer_add_tables(w, tables, 1, NULL), 0);
	assert_int_equal(tf_builder_new(&b, &table, rows, NULL), 0);
	for (uint32_t i = 0; i < rows * parts; i++) {
		uint64_t *v = &f->written[(size_t)i * N];

		fill(v, i % rows, &g);
		for (unsigned k = 0; k < N; k++)
			tf_builder_set(b, k, v[k]);
		assert_true(tf_builder_commit(b));
		if (!tf_builder_full(b))
			continue;
		assert_int_equal(tf_writer_data(w, 0, &b, 1, NULL), 0);
		tf_builder_clear(b);
	}
	tf_builder_free(b);
	assert_int_equal(tf_writer_end(w, NULL), 0);
	tf_writer_free(w);
	tf_sink_close(sink, NULL);
}

static void setup(struct fixture *f, fill_fn *fill, uint32_t rows,
		  unsigned parts)
{
	struct err err = { 0 };

	*f = (struct fixture){ .source = NULL };
	write_parts(f, fill, rows, parts);
	assert_int_equal(tf_source_memory(&f->source,
					  span_of(f->file.p, f->file.n), NULL),
			 0);
	if (tf_reader_open(&f->reader, f->source, &err))
		fail_msg("%s", err.text);
}

static void fini(struct fixture *f)
{
	tf_reader_free(f->reader);
	tf_source_close(f->source);
	buf_fini(&f->file);
	free(f->written);
}

/* The columns of the mask are as they were written, in all parts. */
static void reads_back(const struct fixture *f, uint64_t mask)
{
	struct tf_query q = { .table = table.id, .columns = mask };
	const uint64_t *want = f->written;
	const struct tf_view *v;
	struct err err = { 0 };
	struct tf_cursor *c;
	int rc;

	assert_int_equal(tf_cursor_new(&c, f->reader, &q, NULL), 0);
	while ((rc = tf_cursor_next(c, &v, &err)) == 0)
		for (uint32_t i = 0; i < v->rows; i++, want += N)
			for (unsigned k = 0; k < N; k++) {
				const struct tf_values *x = &v->columns[k];

				assert_int_equal(x->present, mask >> k & 1);
				if (x->present && x->v[i] != want[k])
					fail_msg("column %u row %u", k, i);
			}
	if (rc != 1)
		fail_msg("%s", err.text);
	tf_cursor_free(c);
}

static void all_columns_read_back_in_any_selection(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, fill_kindly, 2000, 3);
	for (uint64_t mask = 1; mask < 1 << N; mask++)
		reads_back(&f, mask);
	fini(&f);
}

static void wild_values_read_back(void **state)
{
	static fill_fn *const fills[] = { fill_wildly, fill_extremes,
					  fill_kindly };
	static const uint32_t rows[] = { 1, 2, 3, 7, 64, 300, 5000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fills); i++)
		for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
			struct fixture f;

			setup(&f, fills[i], rows[k], 20);
			reads_back(&f, (1 << N) - 1);
			fini(&f);
		}
}

struct seen { /* encodings of the columns of a part */
	uint8_t of[N];
};

static uint8_t encoding_of(const struct tf_columns *cs, uint32_t position)
{
	struct tf_entry e;
	uint64_t ignored;
	uint8_t b = 0;

	assert_int_equal(tf_columns_entry(cs, position, &e, NULL), 0);
	assert_true(span_u8(&e.tail, &b));
	if (b)
		assert_true(span_varint(&e.tail, &ignored) &&
			    span_varint(&e.tail, &ignored));
	assert_true(span_u8(&e.tail, &b));
	return b;
}

static struct seen encodings(const struct fixture *f)
{
	struct tf_columns cs;
	struct tf_chunk chunk;
	struct tf_part p;
	struct seen out;
	size_t i = 0;

	while (tf_reader_chunk(f->reader, i)->type != TF_CHUNK_DATA)
		i++;
	assert_int_equal(tf_chunk_init(&chunk, f->source,
				       tf_reader_header(f->reader)->file_id,
				       NULL), 0);
	assert_int_equal(tf_chunk_load(&chunk,
				       tf_reader_chunk(f->reader, i)->offset,
				       NULL), 0);
	assert_int_equal(tf_chunk_begin(&chunk, NULL), 0);
	assert_int_equal(tf_chunk_next(&chunk, &p, NULL), 0);
	assert_int_equal(tf_columns_init(&cs, &table, NULL), 0);
	assert_int_equal(tf_columns_begin(&cs, &p, NULL), 0);
	for (uint32_t k = 0; k < N; k++)
		out.of[k] = encoding_of(&cs, k);
	tf_columns_fini(&cs);
	tf_chunk_fini(&chunk);
	return out;
}

static void what_is_predicted_is_written_so(void **state)
{
	static const uint8_t kindly[N] = { 4, 5, 5, 5, 6, 5, 7, 10 };
	struct fixture f;
	struct seen seen;

	(void)state;
	setup(&f, fill_kindly, 5000, 1);
	seen = encodings(&f);
	assert_memory_equal(seen.of, kindly, N);
	fini(&f);
	/* Random values are not: planes. */
	setup(&f, fill_wildly, 5000, 1);
	seen = encodings(&f);
	assert_int_equal(seen.of[ARG], 0);
	assert_int_equal(seen.of[PREV], 0);
	fini(&f);
}

/* A part made by hand: entries with streams of a packed body. */
struct made {
	struct buf entries, body;
	struct tf_part part;
	struct tf_columns cs;
	struct tf_scratch mem;
	struct err err;
};

#define BYTES(s) s, sizeof(s) - 1
#define SIZES(...) ((const size_t[]){ __VA_ARGS__ }),                          \
	ARRAY_LEN(((const size_t[]){ __VA_ARGS__ }))
#define NONE NULL, 0

static void add(struct made *m, uint32_t id, const char *tail, size_t n_tail,
		const char *raw, const size_t *sizes, size_t n)
{
	struct buf e = { 0 };

	buf_varint(&e, id);
	buf_u8(&e, (uint8_t)n);
	for (size_t i = 0; i < n; i++) {
		buf_varint(&e, sizes[i]);
		buf_put(&m->body, raw, sizes[i]);
		raw += sizes[i];
	}
	buf_put(&e, tail, n_tail);
	buf_varint(&m->entries, e.n);
	buf_put(&m->entries, e.p, e.n);
	buf_fini(&e);
	m->part.n_columns++;
}

static int want(struct made *m, uint32_t position, const struct tf_plan **plan)
{
	int rc = tf_columns_init(&m->cs, &table, &m->err);

	m->part.packed = true;
	m->part.columns = span_of(m->entries.p, m->entries.n);
	if (rc == 0)
		rc = tf_columns_begin(&m->cs, &m->part, &m->err);
	return rc ? rc : tf_columns_want(&m->cs, position, plan, &m->err);
}

/* 1: the column is absent. */
static int run(struct made *m, uint32_t position, const uint64_t **v)
{
	struct tf_body body = { .packed = true, .unpacked = true,
				.plain = m->body };
	const struct tf_plan *plan = NULL;
	struct tf_values out;
	int rc = want(m, position, &plan);

	if (rc == 0 && !plan)
		return 1;
	if (rc == 0)
		rc = tf_scratch_reset(&m->mem, m->cs.size, &m->err);
	if (rc == 0)
		rc = tf_columns_run(&m->cs, position, &body, &m->mem, &out,
				    &m->err);
	if (rc == 0) {
		assert_true(m->mem.used <= m->cs.size);
		*v = out.v;
	}
	return rc;
}

static void unmake(struct made *m)
{
	tf_columns_fini(&m->cs);
	tf_scratch_fini(&m->mem);
	buf_fini(&m->entries);
	buf_fini(&m->body);
	*m = (struct made){ .part = { .rows = 4 } };
}

/* Two values in turn: 7 and 8, 5 and 6. */
static void add_turns(struct made *m, uint32_t id, const char *first)
{
	char raw[] = "?\x01\x00\x01\x00\x01";

	raw[0] = *first;
	add(m, id, BYTES("\x00\x05\x01\x02"), raw, SIZES(2, 4));
}

static void a_part_by_hand_is_read_as_the_spec_says(void **state)
{
	static const uint64_t times[] = { 100, 200, 110, 190 };
	static const uint64_t prev[] = { 3, 3, 5, 6 };
	static const uint64_t args[] = { 5, 5, 9, 5 };
	static const uint64_t stack[] = { 8, 8, 9, 8 };
	struct made m = { .part = { .rows = 4 } };
	const uint64_t *v;

	(void)state;
	/* one key, column 1; base 100; a plane; the side is 0, zz(100) */
	add(&m, TIME, BYTES("\x00\x04\x01\x01\x64\x01"),
	    "\x00\xc8\x01\x00\x00\x14\x13", SIZES(3, 4));
	add_turns(&m, CPU, "\x07");
	assert_int_equal(run(&m, TIME, &v), 0);
	assert_memory_equal(v, times, sizeof(times));
	unmake(&m);
	/* two keys, both constant; zz(5), zz(4) */
	add(&m, WHO, BYTES("\x00\x01\x07"), "", NONE);
	add(&m, CALL, BYTES("\x00\x01\x07"), "", NONE);
	add(&m, ARG, BYTES("\x00\x06\x02\x02\x03"),
	    "\x02\x00\x02\x01\x0a\x08", SIZES(4, 2));
	assert_int_equal(run(&m, ARG, &v), 0);
	assert_memory_equal(v, args, sizeof(args));
	unmake(&m);
	/* what column 5 was before on the cpu: nothing, nothing, 5, 6; the
	 * first is new, zz(3), and the second the same */
	add_turns(&m, CPU, "\x07");
	add_turns(&m, NEXT, "\x05");
	add(&m, PREV, BYTES("\x00\x07\x05\x01"), "\x02\x00\x00\x00\x06",
	    SIZES(4, 1));
	assert_int_equal(run(&m, PREV, &v), 0);
	assert_memory_equal(v, prev, sizeof(prev));
	unmake(&m);
	add(&m, STACK, BYTES("\x00\x0a\x08\x01"), "\x00\x01\x01\x03",
	    SIZES(4));
	assert_int_equal(run(&m, STACK, &v), 0);
	assert_memory_equal(v, stack, sizeof(stack));
	unmake(&m);
}

#define ZEROS "\0\0\0\0\0\0\0\0"

static void refused(struct made *m, const char *why)
{
	const uint64_t *v;

	assert_int_equal(run(m, TIME, &v), ERR_FORMAT);
	assert_string_equal(m->err.text, why);
	unmake(m);
}

static void keys_that_are_none_are_refused(void **state)
{
	struct made m = { .part = { .rows = 4 } };

	(void)state;
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4, 4));
	add(&m, CPU, BYTES("\x00\x00\x01"), ZEROS, SIZES(4));
	refused(&m, "its key, column 1, is no dictionary");
	/* itself */
	add(&m, TIME, BYTES("\x00\x06\x01\x00"), ZEROS, SIZES(4, 4));
	refused(&m, "its key, column 0, is no dictionary");
	add(&m, TIME, BYTES("\x00\x06\x00"), ZEROS, SIZES(4, 4));
	refused(&m, "bad number of keys");
	add(&m, TIME, BYTES("\x00\x06\x03\x01\x01\x01"), ZEROS, SIZES(4, 4));
	refused(&m, "bad number of keys");
	add(&m, TIME, BYTES("\x00\x06\x01"), ZEROS, SIZES(4, 4));
	refused(&m, "bad key");
	add(&m, TIME, BYTES("\x00\x07\x01"), ZEROS, SIZES(4, 4));
	refused(&m, "bad key");
	add(&m, TIME, BYTES("\x00\x04\x01\x01"), ZEROS, SIZES(4, 4));
	refused(&m, "bad base");
}

static void streams_of_predictions_have_their_sizes(void **state)
{
	struct made m = { .part = { .rows = 4 } };

	(void)state;
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(3, 4));
	refused(&m, "stream 0: 3 bytes for 4 values");
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4));
	refused(&m, "too few streams");
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4, 2, 2));
	refused(&m, "too many streams");
	add(&m, TIME, BYTES("\x00\x06\x01\x01"),
	    ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS, SIZES(4, 41));
	refused(&m, "stream 1: 41 bytes for at most 4 values");
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4, 1));
	add_turns(&m, CPU, "\x07");
	refused(&m, "stream 1: 1 bytes too many");
	add(&m, TIME, BYTES("\x00\x04\x01\x01\x00\x01"), ZEROS, SIZES(1, 4));
	add_turns(&m, CPU, "\x07");
	refused(&m, "stream 0: fewer values than keys need");
}

static void a_key_that_is_not_known_makes_the_column_absent(void **state)
{
	struct made m = { .part = { .rows = 4 } };
	const uint64_t *v;

	(void)state;
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4, 4));
	add(&m, CPU, BYTES("\x00\x7f"), "", NONE);
	assert_int_equal(run(&m, TIME, &v), 1);
	unmake(&m);
	/* a column that the part lacks */
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4, 4));
	assert_int_equal(run(&m, TIME, &v), 1);
	unmake(&m);
	/* what is wrong with the column itself is wrong all the same */
	add(&m, TIME, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(3, 4));
	refused(&m, "stream 0: 3 bytes for 4 values");
	/* a column that the table lacks */
	add(&m, TIME, BYTES("\x00\x06\x01\x50"), ZEROS, SIZES(4, 4));
	assert_int_equal(run(&m, TIME, &v), 1);
	unmake(&m);
}

/* Keys are numbers, and one width is the only one of some types. */
static void columns_of_other_types_are_refused(void **state)
{
	static const struct tf_column others[] = {
		{ .id = 0, .name = "v", .type = TF_U64 },
		{ .id = 1, .name = "b", .type = TF_BYTES },
		{ .id = 2, .name = "f", .type = TF_F64 },
		{ .id = 3, .name = "is", .type = TF_BOOL },
	};
	static const struct tf_table t = { .id = 9, .columns = others,
					   .n_columns = ARRAY_LEN(others) };
	static const char *const said[] = {
		"its key, column 1, is no number", NULL,
		"2 planes do not fit the type", "0 planes do not fit the type",
	};
	const struct tf_plan *plan;
	struct made m = { .part = { .rows = 4 } };

	(void)state;
	add(&m, 0, BYTES("\x00\x06\x01\x01"), ZEROS, SIZES(4, 4));
	add(&m, 1, BYTES("\x00\x08\x01\x00"), "", NONE);
	add(&m, 2, BYTES("\x00\x00\x02"), ZEROS, SIZES(4, 4));
	add(&m, 3, BYTES("\x00\x00\x00"), "", NONE);
	m.part.packed = true;
	m.part.columns = span_of(m.entries.p, m.entries.n);
	assert_int_equal(tf_columns_init(&m.cs, &t, &m.err), 0);
	assert_int_equal(tf_columns_begin(&m.cs, &m.part, &m.err), 0);
	for (uint32_t i = 0; i < t.n_columns; i++) {
		int rc = tf_columns_want(&m.cs, i, &plan, &m.err);

		assert_int_equal(rc, said[i] ? ERR_FORMAT : 0);
		if (said[i])
			assert_string_equal(m.err.text, said[i]);
	}
	unmake(&m);
}

static void more_pairs_of_keys_than_the_limit_are_refused(void **state)
{
	/* 2,000 times 2,000, whatever the rows have of them */
	static const char zeros[6000];
	struct made m = { .part = { .rows = 2000 } };
	const struct tf_plan *plan;

	(void)state;
	for (uint32_t id = WHO; id <= CALL; id++)
		add(&m, id, BYTES("\x00\x05\x02\xd0\x0f"), zeros,
		    SIZES(2000, 2000, 2000));
	add(&m, ARG, BYTES("\x00\x06\x02\x02\x03"), zeros, SIZES(2000, 1));
	assert_int_equal(want(&m, ARG, &plan), ERR_LIMIT);
	assert_string_equal(m.err.text, "4000000 keys, limit 1048576");
	unmake(&m);
}

static void every_failing_allocation_is_noticed(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, fill_kindly, 300, 1);
	for (long n = 1;; n++) {
		struct tf_query q = { .table = table.id, .columns = UINT64_MAX };
		const struct tf_view *v;
		struct tf_cursor *c = NULL;
		int rc;

		failalloc_at(n);
		rc = tf_cursor_new(&c, f.reader, &q, NULL);
		if (rc == 0)
			rc = tf_cursor_next(c, &v, NULL);
		failalloc_off();
		tf_cursor_free(c);
		assert_int_equal(rc, failalloc_hit() ? ERR_NOMEM : 0);
		if (rc == 0)
			break;
	}
	fini(&f);
}

static void every_failing_allocation_of_a_writer_is_noticed(void **state)
{
	(void)state;
	for (long n = 1;; n++) {
		struct gen g = { .s = 88172645463325252u };
		struct tf_builder *b = NULL;
		struct tf_zpack *pack;
		struct tf_encoder e;
		uint64_t v[N];
		bool failed;

		assert_int_equal(tf_builder_new(&b, &table, 300, NULL), 0);
		for (uint32_t i = 0; i < 300; i++) {
			fill_kindly(v, i, &g);
			for (unsigned k = 0; k < N; k++)
				tf_builder_set(b, k, v[k]);
			tf_builder_commit(b);
		}
		pack = tf_zpack_new();
		assert_non_null(pack);
		tf_encoder_init(&e, pack);
		failalloc_at(n);
		tf_encoder_begin(&e, b);
		for (uint32_t k = 0; k < N && !tf_encoder_failed(&e); k++)
			tf_encode(&e, k);
		failalloc_off();
		failed = tf_encoder_failed(&e);
		tf_encoder_fini(&e);
		tf_zpack_free(pack);
		tf_builder_free(b);
		/* Without memory for a choice there is only another trial. */
		assert_true(!failed || failalloc_hit());
		if (!failalloc_hit())
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_columns_read_back_in_any_selection),
		cmocka_unit_test(wild_values_read_back),
		cmocka_unit_test(what_is_predicted_is_written_so),
		cmocka_unit_test(a_part_by_hand_is_read_as_the_spec_says),
		cmocka_unit_test(keys_that_are_none_are_refused),
		cmocka_unit_test(streams_of_predictions_have_their_sizes),
		cmocka_unit_test(
			a_key_that_is_not_known_makes_the_column_absent),
		cmocka_unit_test(columns_of_other_types_are_refused),
		cmocka_unit_test(every_failing_allocation_is_noticed),
		cmocka_unit_test(
			every_failing_allocation_of_a_writer_is_noticed),
		cmocka_unit_test(more_pairs_of_keys_than_the_limit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
