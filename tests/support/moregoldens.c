/* Files that show one thing each, and the one that spec/walk.md goes through.
 */
#include "format/base/mem.h"
#include "format/catalog.h"
#include "tests/support/goldenmaker.h"
#include "tests/support/goldens.h"

#include <stdlib.h>
#include <string.h>

/* Two chunks, so that one can be lost. */
static int golden_clean(struct tf_sink *sink, struct err *err)
{
	static const char *const names[][3] = { { "", "a" }, { "b", "c" } };
	static const uint64_t clocks[][6] = {
		{ 1000, 500000, 2000, 1100, 500100, 2100 },
		{ 1250, 500251, 2250, 1300, 500302, 2300 },
	};
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, NULL, err);
	for (size_t i = 0; i < 2; i++) {
		struct tf_builder *b[2];

		b[0] = goldenmaker_strings(&m, names[i]);
		b[1] = goldenmaker_numbers(&m, TF_TABLE_CLOCK, clocks[i], 6);
		goldenmaker_chunk(&m, 0, b, 2);
	}
	return goldenmaker_end(&m);
}

/* Chunks of three epochs take turns; each counts its own rows. */
static int golden_alternating(struct tf_sink *sink, struct err *err)
{
	static const uint32_t epochs[] = { 0, 1, 0, 3, 1, 0 };
	static const char *const names[][3] = { { "", "e0" }, { "", "e1" },
						{ "e0 again" }, { "", "e3" },
						{ "e1 again" }, { "e0 last" } };
	static const uint64_t parents[][2] = { { 0, 0 }, { 0, 0 }, { 1, 2 },
					       { 0, 0 }, { 0, 1 }, { 3, 3 } };
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, NULL, err);
	for (size_t i = 0; i < ARRAY_LEN(epochs); i++) {
		struct tf_builder *b[2];

		b[0] = goldenmaker_strings(&m, names[i]);
		b[1] = goldenmaker_stacks(&m, parents[i], 2);
		goldenmaker_chunk(&m, epochs[i], b, 2);
	}
	return goldenmaker_end(&m);
}

static const uint64_t extremes[] = {
	0, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 1, UINT64_MAX - 1,
};
/* A NaN with a payload, the infinities, -0, the smallest and the largest. */
static const uint64_t doubles[] = {
	0x7ff8000000000123, 0x7ff0000000000000, 0xfff0000000000000,
	0x8000000000000000, 0x0000000000000001, 0x7fefffffffffffff,
};

static void put_extreme(struct goldenmaker *m, struct tf_builder *b, size_t i)
{
	uint64_t v = extremes[i];

	tf_builder_set(b, GOLDEN_TIME, v);
	tf_builder_set(b, GOLDEN_U64, v);
	tf_builder_set(b, GOLDEN_I64, v);
	tf_builder_set(b, GOLDEN_F64, doubles[i]);
	tf_builder_set(b, GOLDEN_BOOL, i % 2);
	tf_builder_bytes(b, GOLDEN_BYTES, "\0\xff", i % 3);
	tf_builder_set(b, GOLDEN_REF, i % 3);
	tf_builder_list(b, GOLDEN_LIST_U64, extremes, i);
	tf_builder_list(b, GOLDEN_LIST_I64, extremes + i, 6 - i);
	tf_builder_list(b, GOLDEN_LIST_REF, extremes, 0);
	tf_builder_set(b, GOLDEN_CONST_I64, (uint64_t)INT64_MIN);
	goldenmaker_commit(m, b);
}

/* The longest string there may be: "0123456789012…" */
static struct tf_builder *long_strings(struct goldenmaker *m)
{
	struct tf_builder *b =
		goldenmaker_rows(m, tf_catalog_table(TF_TABLE_STRING), 3);
	char *text = b ? malloc(TF_MAX_STRING) : NULL;

	if (b && !text)
		m->rc = err_nomem(m->err);
	for (size_t i = 0; text && i < TF_MAX_STRING; i++)
		text[i] = (char)('0' + i % 10);
	for (size_t i = 0; text && i < 3; i++) {
		tf_builder_bytes(b, TF_STRING_BYTES, text,
				 i == 1 ? TF_MAX_STRING : 0);
		goldenmaker_commit(m, b);
	}
	free(text);
	return b;
}

static int golden_extremes(struct tf_sink *sink, struct err *err)
{
	struct tf_builder *b[2];
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, &golden_table, err);
	b[0] = long_strings(&m);
	b[1] = goldenmaker_rows(&m, &golden_table, ARRAY_LEN(extremes));
	for (size_t i = 0; b[1] && i < ARRAY_LEN(extremes); i++)
		put_extreme(&m, b[1], i);
	goldenmaker_chunk(&m, 0, b, 2);
	return goldenmaker_end(&m);
}

static struct tf_builder *walk_image(struct goldenmaker *m)
{
	struct tf_builder *b =
		goldenmaker_rows(m, tf_catalog_table(TF_TABLE_IMAGE), 1);

	if (!b)
		return NULL;
	tf_builder_set(b, TF_IMAGE_KIND, TF_IMAGE_ELF);
	tf_builder_set(b, TF_IMAGE_PATH, 3);
	tf_builder_bytes(b, TF_IMAGE_BUILD_ID, "\xc0\xff\xee", 3);
	tf_builder_set(b, TF_IMAGE_GENERATION, 0);
	goldenmaker_commit(m, b);
	return b;
}

static struct tf_builder *walk_event(struct goldenmaker *m)
{
	struct tf_builder *b =
		goldenmaker_rows(m, tf_catalog_table(TF_TABLE_EVENT), 1);

	if (!b)
		return NULL;
	for (uint32_t c = 0; c < b->table->n_columns; c++)
		if (b->table->columns[c].type != TF_BYTES)
			tf_builder_set(b, c, 0);
	tf_builder_set(b, TF_EVENT_NAME, 1);
	tf_builder_set(b, TF_EVENT_UNIT, 2);
	tf_builder_set(b, TF_EVENT_TYPE, 1);
	tf_builder_set(b, TF_EVENT_FREQUENCY, 4000);
	tf_builder_set(b, TF_EVENT_CALLCHAIN, 1);
	tf_builder_bytes(b, TF_EVENT_ATTR, "", 0);
	goldenmaker_commit(m, b);
	return b;
}

/* A thread on two cpus in turns, each 250 us; it is in `work`, called by `main`,
 * but for each fourth sample. */
static struct tf_builder *walk_samples(struct goldenmaker *m)
{
	struct tf_builder *b =
		goldenmaker_rows(m, tf_catalog_table(TF_TABLE_SAMPLE),
				 GOLDEN_WALK_ROWS);

	for (uint32_t i = 0; b && i < GOLDEN_WALK_ROWS; i++) {
		bool is_main = i % 4 == 3;

		tf_builder_set(b, TF_SAMPLE_TIME, 1000000000 + 250000ull * i);
		tf_builder_set(b, TF_SAMPLE_CPU, i % 2);
		tf_builder_set(b, TF_SAMPLE_THREAD, 0);
		tf_builder_set(b, TF_SAMPLE_EVENT, 0);
		tf_builder_set(b, TF_SAMPLE_PERIOD, 250000);
		tf_builder_set(b, TF_SAMPLE_IP, is_main ? 0 : 1);
		tf_builder_set(b, TF_SAMPLE_KSTACK, 0);
		tf_builder_set(b, TF_SAMPLE_USTACK, is_main ? 0 : 1);
		tf_builder_set(b, TF_SAMPLE_FLAGS, 0);
		goldenmaker_commit(m, b);
	}
	if (b)
		b->watermark = 1000000000;
	return b;
}

static int golden_walk(struct tf_sink *sink, struct err *err)
{
	static const char *const names[] = { "", "cpu-clock", "ns",
					     "/bin/demo", "demo", "main",
					     "work", NULL };
	static const uint64_t thread[] = { 42, 42, 999000000, 4 };
	/* image, address, kind */
	static const uint64_t frames[] = { 0, 0x1134, 0, 0, 0x1188, 0,
					   0, 0x1140, 1 };
	static const uint64_t stacks[] = { 0, 0, 0, 2 };
	static const uint64_t symbols[] = { 0, 0x1130, 48, 5, 0,
					    0, 0x1180, 32, 6, 0 };
	static const uint64_t clock[] = { 1700000000, 1700000000123456789,
					  1700000500 };
	struct tf_builder *b[7];
	struct goldenmaker m;

	goldenmaker_begin(&m, sink, NULL, err);
	b[0] = goldenmaker_strings(&m, names);
	b[1] = walk_image(&m);
	b[2] = goldenmaker_numbers(&m, TF_TABLE_THREAD, thread, 4);
	b[3] = walk_event(&m);
	b[4] = goldenmaker_numbers(&m, TF_TABLE_FRAME, frames, 9);
	b[5] = goldenmaker_numbers(&m, TF_TABLE_STACK, stacks, 4);
	b[6] = walk_samples(&m);
	goldenmaker_chunk(&m, 0, b, 7);
	b[0] = goldenmaker_numbers(&m, TF_TABLE_SYMBOL, symbols, 10);
	b[1] = goldenmaker_numbers(&m, TF_TABLE_CLOCK, clock, 3);
	goldenmaker_chunk(&m, 0, b, 2);
	return goldenmaker_end(&m);
}

const struct golden moregoldens[] = {
	{ GOLDEN_FOLDER, "clean.ctr", golden_clean },
	{ GOLDEN_FOLDER, "alternating.ctr", golden_alternating },
	{ GOLDEN_FOLDER, "extremes.ctr", golden_extremes },
	{ "spec/vectors", "walk.ctr", golden_walk },
	{ NULL, NULL, NULL },
};
