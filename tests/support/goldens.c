#include "tests/support/goldens.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "tests/support/goldenmaker.h"

#include <stdio.h>
#include <string.h>

#define COLUMN(at, nm, ty, un, ro)                                             \
	[at] = { .id = at, .name = nm, .type = ty, .unit = un,                 \
		 .role = ro, .privacy = TF_PRIVACY_NUMBER }
#define LIST(at, nm, ty, ro)                                                   \
	[at] = { .id = at, .name = nm, .type = ty, .list = true, .unit = "",   \
		 .role = ro, .privacy = TF_PRIVACY_NUMBER }

static const struct tf_column columns[] = {
	COLUMN(GOLDEN_TIME, "time", TF_U64, "ns", TF_ROLE_TIME),
	COLUMN(GOLDEN_U64, "u", TF_U64, "", TF_ROLE_VALUE),
	COLUMN(GOLDEN_I64, "i", TF_I64, "", TF_ROLE_VALUE),
	COLUMN(GOLDEN_F64, "f", TF_F64, "s", TF_ROLE_VALUE),
	COLUMN(GOLDEN_BOOL, "b", TF_BOOL, "", TF_ROLE_VALUE),
	COLUMN(GOLDEN_BYTES, "raw", TF_BYTES, "bytes", TF_ROLE_BLOB),
	[GOLDEN_REF] = { .id = GOLDEN_REF, .name = "name", .type = TF_REF,
			 .unit = "", .ref_table = TF_TABLE_STRING,
			 .role = TF_ROLE_ID, .privacy = TF_PRIVACY_NAME },
	LIST(GOLDEN_LIST_U64, "lu", TF_U64, TF_ROLE_VALUE),
	LIST(GOLDEN_LIST_I64, "li", TF_I64, TF_ROLE_SERIAL),
	[GOLDEN_LIST_REF] = { .id = GOLDEN_LIST_REF, .name = "lr",
			      .type = TF_REF, .list = true, .unit = "",
			      .ref_table = TF_TABLE_STRING,
			      .role = TF_ROLE_ID, .privacy = TF_PRIVACY_NAME },
	COLUMN(GOLDEN_CONST_I64, "c", TF_I64, "", TF_ROLE_VALUE),
};

const struct tf_table golden_table = {
	.id = GOLDEN_TABLE,
	.name = "test:all",
	.kind = TF_KIND_EVENT,
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
};

static const struct tf_column keyed_columns[] = {
	[GOLDEN_KEYED_TIME] = { .id = GOLDEN_KEYED_TIME, .name = "time",
				.type = TF_U64, .unit = "ns",
				.role = TF_ROLE_TIME,
				.privacy = TF_PRIVACY_NUMBER,
				.key = GOLDEN_KEYED_CPU + 1 },
	COLUMN(GOLDEN_KEYED_CPU, "cpu", TF_U64, "", TF_ROLE_ID),
	COLUMN(GOLDEN_KEYED_WHO, "who", TF_U64, "", TF_ROLE_ID),
	COLUMN(GOLDEN_KEYED_CALL, "call", TF_I64, "", TF_ROLE_ID),
	[GOLDEN_KEYED_NAME] = { .id = GOLDEN_KEYED_NAME, .name = "name",
				.type = TF_REF, .unit = "",
				.ref_table = TF_TABLE_STRING,
				.role = TF_ROLE_ID, .privacy = TF_PRIVACY_NAME,
				.key = GOLDEN_KEYED_WHO + 1 },
	[GOLDEN_KEYED_ARG] = { .id = GOLDEN_KEYED_ARG, .name = "arg",
			       .type = TF_I64, .unit = "",
			       .role = TF_ROLE_VALUE,
			       .privacy = TF_PRIVACY_ARGUMENT,
			       .key = GOLDEN_KEYED_WHO + 1,
			       .second = GOLDEN_KEYED_CALL + 1 },
	[GOLDEN_KEYED_PREV] = { .id = GOLDEN_KEYED_PREV, .name = "prev",
				.type = TF_U64, .unit = "", .role = TF_ROLE_ID,
				.privacy = TF_PRIVACY_NUMBER,
				.key = GOLDEN_KEYED_CPU + 1,
				.link = GOLDEN_KEYED_WHO + 1 },
};

const struct tf_table golden_keyed_table = {
	.id = GOLDEN_KEYED_TABLE,
	.name = "test:keyed",
	.kind = TF_KIND_EVENT,
	.columns = keyed_columns,
	.n_columns = ARRAY_LEN(keyed_columns),
};

struct row {
	uint64_t time, u;
	int64_t i;
	double f;
	bool b;
	const char *raw;
	uint64_t name;
	size_t n_lu, n_li, n_lr;
	uint64_t lu[3], lr[4];
	int64_t li[3];
};

static const struct row small_rows[] = {
	{ 1000, 0, 0, 0.0, false, "", 0, 0, 0, 0, { 0 }, { 0 }, { 0 } },
	{ 1010, UINT64_MAX, INT64_MIN, -0.0, true, "abc", 1, 3, 3, 4,
	  { 1, UINT64_MAX, 0 }, { 2, 2, 1, 2 }, { INT64_MIN, INT64_MAX, -1 } },
	{ 1005, 255, INT64_MAX, 1.5, true, "\x01\xff", 2, 0, 1, 0, { 0 }, { 0 },
	  { 7 } },
	{ 1u << 30, 256, -1, -1e300, false, "z", 1, 1, 0, 2, { 5 }, { 1, 1 },
	  { 0 } },
};

static uint64_t bits_of(double f)
{
	uint64_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static void put_row(struct goldenmaker *m, struct tf_builder *b,
		    const struct row *r)
{
	uint64_t li[3];

	for (size_t i = 0; i < 3; i++)
		li[i] = (uint64_t)r->li[i];
	tf_builder_set(b, GOLDEN_TIME, r->time);
	tf_builder_set(b, GOLDEN_U64, r->u);
	tf_builder_set(b, GOLDEN_I64, (uint64_t)r->i);
	tf_builder_set(b, GOLDEN_F64, bits_of(r->f));
	tf_builder_set(b, GOLDEN_BOOL, r->b);
	tf_builder_bytes(b, GOLDEN_BYTES, r->raw, strlen(r->raw));
	tf_builder_set(b, GOLDEN_REF, r->name);
	tf_builder_list(b, GOLDEN_LIST_U64, r->lu, r->n_lu);
	tf_builder_list(b, GOLDEN_LIST_I64, li, r->n_li);
	tf_builder_list(b, GOLDEN_LIST_REF, r->lr, r->n_lr);
	tf_builder_set(b, GOLDEN_CONST_I64, (uint64_t)-7);
	goldenmaker_commit(m, b);
}

int golden_small(struct tf_sink *sink, struct err *err)
{
	static const char *const names[] = { "", "main", "\xc3\xa9t\xc3\xa9",
					     NULL };
	struct tf_builder *b[2];
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, &golden_table, err);
	b[0] = goldenmaker_strings(&m, names);
	b[1] = goldenmaker_rows(&m, &golden_table, 8);
	for (size_t i = 0; b[1] && i < ARRAY_LEN(small_rows); i++)
		put_row(&m, b[1], &small_rows[i]);
	if (b[1])
		b[1]->watermark = 990;
	goldenmaker_chunk(&m, 0, b, 2);
	return goldenmaker_end(&m);
}

/* Each epoch: strings and stacks, then more of both, whose numbers go on. */
int golden_epochs(struct tf_sink *sink, struct err *err)
{
	static const char *const names[][3] = { { "", "a" }, { "b" },
						{ "", "c" }, { "d" } };
	static const uint64_t parents[][3] = { { 0, 0, 1 }, { 2, 0, 3 },
					       { 0, 0, 0 }, { 1, 2, 4 } };
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, &golden_table, err);
	for (uint32_t i = 0; i < 4; i++) {
		struct tf_builder *b[2];

		b[0] = goldenmaker_strings(&m, names[i]);
		b[1] = goldenmaker_stacks(&m, parents[i], 3);
		goldenmaker_chunk(&m, i / 2 * 5, b, 2);
	}
	return goldenmaker_end(&m);
}

static void put_sample(struct goldenmaker *m, struct tf_builder *b, uint32_t i)
{
	tf_builder_set(b, TF_SAMPLE_TIME, 1000000 + 100ull * i + i % 7);
	tf_builder_set(b, TF_SAMPLE_CPU, i / 50 % 4);
	tf_builder_set(b, TF_SAMPLE_THREAD, 0);
	tf_builder_set(b, TF_SAMPLE_EVENT, 0);
	tf_builder_set(b, TF_SAMPLE_PERIOD, i * 2654435761u);
	tf_builder_set(b, TF_SAMPLE_IP, 0);
	tf_builder_set(b, TF_SAMPLE_KSTACK, i * i % 300 % 3);
	tf_builder_set(b, TF_SAMPLE_USTACK, 0);
	tf_builder_set(b, TF_SAMPLE_FLAGS, i % 5 == 0 ? 4 : 0);
	goldenmaker_commit(m, b);
}

int golden_big(struct tf_sink *sink, struct err *err)
{
	static const uint64_t parents[] = { 0, 0, 1 };
	struct tf_builder *b[2];
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, &golden_table, err);
	b[0] = goldenmaker_stacks(&m, parents, 3);
	b[1] = goldenmaker_rows(&m, tf_catalog_table(TF_TABLE_SAMPLE),
				GOLDEN_BIG_ROWS);
	for (uint32_t i = 0; b[1] && i < GOLDEN_BIG_ROWS; i++)
		put_sample(&m, b[1], i);
	goldenmaker_chunk(&m, 0, b, 2);
	return goldenmaker_end(&m);
}

/* On each of two cpus, each with a clock of its own, five take turns. */
static void put_keyed(struct goldenmaker *m, struct tf_builder *b, uint32_t i)
{
	uint64_t cpu = i / 30 % 2, who = 100 + i % 5;
	uint64_t prev = i % 30 ? 100 + (i - 1) % 5 : i < 60 ? 0 : 104;
	int64_t call = -(int64_t)(i % 3);

	tf_builder_set(b, GOLDEN_KEYED_TIME,
		       1000000 + (cpu << 40) + 1000ull * i + i * i % 700);
	tf_builder_set(b, GOLDEN_KEYED_CPU, cpu);
	tf_builder_set(b, GOLDEN_KEYED_WHO, who);
	tf_builder_set(b, GOLDEN_KEYED_CALL, (uint64_t)call);
	tf_builder_set(b, GOLDEN_KEYED_NAME, who % 4);
	tf_builder_set(b, GOLDEN_KEYED_ARG,
		       (uint64_t)call * who * 1000003 + i / 400);
	tf_builder_set(b, GOLDEN_KEYED_PREV, prev);
	goldenmaker_commit(m, b);
}

int golden_keyed(struct tf_sink *sink, struct err *err)
{
	static const char *const names[] = { "", "a", "b", "c", NULL };
	static const uint64_t parents[] = { 0, 0, 0, 2, 3 };
	static const struct tf_table *const keyed[] = { &golden_keyed_table };
	struct tf_builder *b[3];
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, &golden_table, err);
	if (m.rc == 0)
		m.rc = tf_writer_add_tables(m.w, keyed, 1, err);
	b[0] = goldenmaker_strings(&m, names);
	b[1] = goldenmaker_stacks(&m, parents, 5);
	b[2] = goldenmaker_rows(&m, &golden_keyed_table, GOLDEN_KEYED_ROWS);
	for (uint32_t i = 0; b[2] && i < GOLDEN_KEYED_ROWS; i++)
		put_keyed(&m, b[2], i);
	goldenmaker_chunk(&m, 0, b, 3);
	return goldenmaker_end(&m);
}

const struct golden goldens[] = {
	{ GOLDEN_FOLDER, "small.ctr", golden_small },
	{ GOLDEN_FOLDER, "epochs.ctr", golden_epochs },
	{ GOLDEN_FOLDER, "big.ctr", golden_big },
	{ GOLDEN_FOLDER, "keyed.ctr", golden_keyed },
	{ NULL, NULL, NULL },
};

int golden_bytes(const struct golden *g, struct buf *out, struct err *err)
{
	struct tf_sink *sink;
	int rc = tf_sink_memory(&sink, out, err);

	if (rc)
		return rc;
	rc = g->make(sink, err);
	tf_sink_close(sink, NULL);
	return rc;
}

int golden_stored(const struct golden *g, struct buf *out, struct err *err)
{
	struct tf_source *source;
	char path[200];
	int rc;

	snprintf(path, sizeof(path), "%s/%s", g->folder, g->name);
	rc = tf_source_open(&source, path, NULL, err);
	if (rc)
		return rc;
	buf_clear(out);
	if (!buf_room(out, (size_t)source->size)) {
		rc = err_nomem(err);
	} else {
		out->n = (size_t)source->size;
		rc = source->read(source, out->p, out->n, 0, err);
	}
	tf_source_close(source);
	return rc;
}
