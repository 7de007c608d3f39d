#include "tests/support/absent.h"

#include "format/base/varint.h"
#include "format/directory.h"
#include "format/head.h"
#include "format/layout.h"
#include "tests/support/refit.h"

#define NOBODY_KNOWS 42

/* Behind the statistics. */
static void change(struct span tail)
{
	uint8_t stats = 0;
	uint64_t skip;

	(void)span_u8(&tail, &stats);
	for (unsigned i = 0; i < (stats & TF_STATS_RANGE ? 2u : 0u); i++)
		(void)span_varint(&tail, &skip);
	if (tail.n)
		*(uint8_t *)(uintptr_t)tail.p = NOBODY_KNOWS;
}

static size_t change_part(struct tf_part p, uint32_t column)
{
	struct tf_entry e;

	while (tf_part_next(&p, &e, NULL) == 0)
		if (e.column == column) {
			change(e.tail);
			return 1;
		}
	return 0;
}

static size_t change_chunk(const struct tf_head *h, struct span directory,
			   uint32_t table, uint32_t column)
{
	struct tf_directory d;
	struct tf_part p;
	size_t n = 0;

	if (h->type != TF_CHUNK_DATA ||
	    tf_directory_begin(&d, h, directory, NULL))
		return 0;
	while (tf_directory_next(&d, &p, NULL) == 0)
		if (p.table == table)
			n += change_part(p, column);
	return n;
}

size_t absent_make(uint8_t *file, size_t n, uint32_t table, uint32_t column)
{
	uint64_t at = TF_FILE_HEADER_SIZE;
	struct tf_head h;
	size_t parts = 0;

	while (at < n && !tf_head_take(&h, span_of(file + at, n - (size_t)at),
				       at, file + 32)) {
		parts += change_chunk(&h, span_of(file + at +
						  TF_CHUNK_HEADER_SIZE,
						  h.dir_size), table, column);
		at += tf_head_size(&h);
	}
	refit(file, n);
	return parts;
}
