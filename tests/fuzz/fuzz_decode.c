/* Any layout and any record: decoding ends, reads nothing outside of the
 * record, and what it hands out lies inside. The input is a layout (four words
 * and a byte), then records, each with its own size. */
#include "record/perf/decode.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(struct span part, struct span whole)
{
	return !part.n || (part.p >= whole.p &&
			   part.p + part.n <= whole.p + whole.n);
}

static void check_sample(const struct rec_sample *s, struct span record)
{
	if (!inside(s->chain, record) || !inside(s->raw, record) ||
	    !inside(s->branches, record) || !inside(s->read, record) ||
	    !inside(s->user_regs, record) || !inside(s->user_stack, record) ||
	    s->n_chain * 8 != s->chain.n)
		abort();
	for (uint64_t i = 0; i < s->n_chain; i++)
		(void)rec_chain_word(s, i);
}

static void check_record(const struct rec_layout *l, struct span record)
{
	struct rec_record out;
	struct err err;
	int rc = rec_decode(l, record, &out, &err);

	(void)rec_decode_time(l, record);
	if (rc && rc != ERR_FORMAT)
		abort();
	if (rc)
		return;
	if (out.type == PERF_RECORD_SAMPLE)
		check_sample(&out.sample, record);
	else if ((out.type == PERF_RECORD_MMAP ||
		  out.type == PERF_RECORD_MMAP2) &&
		 !inside(out.mmap.path, record))
		abort();
}

/* In memory of its own, so that a byte too far is found. */
static void try_copy(const struct rec_layout *l, struct span record)
{
	uint8_t *copy = malloc(record.n ? record.n : 1);

	if (!copy)
		return;
	if (record.n)
		memcpy(copy, record.p, record.n);
	check_record(l, span_of(copy, record.n));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span in = { data, size }, record;
	struct rec_layout l = { 0 };
	uint8_t all;

	if (!span_u64(&in, &l.sample_type) || !span_u64(&in, &l.read_format) ||
	    !span_u64(&in, &l.branch_type) || !span_u64(&in, &l.regs_user) ||
	    !span_u8(&in, &all))
		return 0;
	l.regs_intr = l.regs_user;
	l.sample_id_all = all & 1;
	while (in.n >= 8) {
		size_t n = (size_t)in.p[6] | (size_t)in.p[7] << 8;

		if (n < 8 || !span_take(&in, n, &record))
			break;
		try_copy(&l, record);
	}
	try_copy(&l, in);
	return 0;
}
