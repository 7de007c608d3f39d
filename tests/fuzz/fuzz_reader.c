/* Opens a trace, reads every table, checks everything, and makes new traces of
 * what it has, as recover and cut do. The input is a recipe:
 * which file to begin with, then edits; the checksums are made true again
 * afterwards, so that the edits are met behind them. A recipe that begins with
 * the magic of a trace is a file as it stands. */
#include "format/base/mem.h"
#include "format/verify.h"
#include "tests/support/goldens.h"
#include "tests/support/refit.h"
#include "tests/support/rewritten.h"
#include "tests/support/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* Rows that a file may announce: constants expand without bytes, and a run
 * has to end. */
#define ROWS_LIMIT (1u << 20)

enum edit {
	EDIT_SET,    /* offset u16, value u8 */
	EDIT_XOR,
	EDIT_VARINT, /* offset u16, value u8: a large number, as a varint */
	EDIT_MOVE,   /* offset u16, length u8: insert a copy of what is there */
	EDIT_DROP,   /* offset u16, length u8 */
	EDIT_CUT,    /* offset u16: the file ends here */
	N_EDITS,
};

static void ignore(void *ctx, uint64_t offset, const char *what)
{
	(void)ctx;
	(void)offset;
	if (!strlen(what))
		abort();
}

static uint64_t rows_of(const struct tf_reader *r)
{
	struct tf_query q = { .columns = 0 };
	const struct tf_schema *s = tf_reader_schema(r);
	uint64_t rows = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct tf_view *v;
		struct tf_cursor *c;
		int rc;

		q.table = s->tables[i]->id;
		if (tf_cursor_new(&c, r, &q, NULL))
			abort();
		while ((rc = tf_cursor_next(c, &v, NULL)) != 1)
			rows += rc == 0 ? v->rows : 0;
		tf_cursor_free(c);
	}
	return rows;
}

static void rewrite(struct span in)
{
	struct log log = { .to = fopen("/dev/null", "we"), .prog = "fuzz" };
	struct tf_source *s;
	struct an_trace *t = NULL;

	if (!log.to || tf_source_memory(&s, in, NULL))
		abort();
	if (!an_trace_from(&t, s, &log, NULL))
		rewritten_or_abort(t);
	an_trace_close(t);
	fclose(log.to);
}

static void read_file(struct span in)
{
	struct tf_verify_result result;
	bool is_small;
	struct tf_source *s;
	struct tf_reader *r;
	struct err err = { 0 };
	struct walk w;

	if (tf_source_memory(&s, in, &err))
		abort();
	if (tf_reader_open(&r, s, &err)) {
		if (!strlen(err.text))
			abort();
		tf_source_close(s);
		return;
	}
	is_small = rows_of(r) <= ROWS_LIMIT;
	if (is_small) {
		walk_all(&w, r);
		if (w.failed || tf_verify(r, ignore, NULL, &result, &err))
			abort();
		/* What a cursor trips over, the check must find, too; but for
		 * the limit on all columns together, as it takes them one by
		 * one. */
		if (w.damaged && !result.problems && w.err.code != ERR_LIMIT)
			abort();
	}
	tf_reader_free(r);
	tf_source_close(s);
	if (is_small)
		rewrite(in);
}

static void put_varint(struct buf *b, size_t at, uint8_t value)
{
	uint64_t v = (uint64_t)(value & 15) + 1;

	v = value & 128 ? UINT64_MAX >> (value >> 4 & 7) * 8 :
			  v << (value >> 4 & 7) * 4;
	for (; at < b->n; at++, v >>= 7) {
		b->p[at] = (uint8_t)(v | 0x80);
		if (v < 0x80) {
			b->p[at] = (uint8_t)v;
			return;
		}
	}
}

static void insert(struct buf *b, size_t at, size_t n)
{
	if (n > b->n - at || b->n > 1 << 20 || !buf_room(b, n))
		return;
	memmove(b->p + at + n, b->p + at, b->n - at);
	b->n += n;
}

static void drop(struct buf *b, size_t at, size_t n)
{
	if (n > b->n - at)
		return;
	memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
}

static void apply(struct buf *b, uint8_t what, size_t at, uint8_t value)
{
	if (!b->n)
		return;
	at %= b->n;
	switch (what % N_EDITS) {
	case EDIT_SET:
		b->p[at] = value;
		break;
	case EDIT_XOR:
		b->p[at] ^= value;
		break;
	case EDIT_VARINT:
		put_varint(b, at, value);
		break;
	case EDIT_MOVE:
		insert(b, at, value);
		break;
	case EDIT_DROP:
		drop(b, at, value);
		break;
	case EDIT_CUT:
		b->n = at;
		break;
	}
}

static void make_base(struct buf *b, uint8_t which)
{
	struct buf file = { 0 };

	if (golden_bytes(&goldens[which / 2], &file, NULL))
		abort();
	if (which % 2) {
		*b = file;
		return;
	}
	refit_raw(b, span_of(file.p, file.n));
	buf_fini(&file);
}

/* Even numbers: with bodies stored raw, where edits meet the streams. From 128
 * on: the one whose columns predict each other. */
static void base(struct buf *b, uint8_t which)
{
	static struct buf made[8];
	uint8_t at = which & 128 ? 6 + which % 2 : which % 6;
	struct buf *from = &made[at];

	if (!from->n)
		make_base(from, at);
	buf_put(b, from->p, from->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct span in = span_of(p, n);
	struct buf b = { 0 };
	uint8_t which, what, value;
	uint16_t at;

	if (n >= TF_MAGIC_SIZE && !memcmp(p, TF_MAGIC, TF_MAGIC_SIZE)) {
		read_file(in);
		return 0;
	}
	if (!span_u8(&in, &which))
		return 0;
	base(&b, which);
	while (span_u8(&in, &what) && span_u16(&in, &at) &&
	       span_u8(&in, &value))
		apply(&b, what, at, value);
	if (!(which & 64))
		refit(b.p, b.n);
	read_file(span_of(b.p, b.n));
	buf_fini(&b);
	return 0;
}
