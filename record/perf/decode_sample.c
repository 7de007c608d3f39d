#include "record/perf/decode_sample.h"

#include "format/base/mem.h"
#include "record/perf/words.h"

#include <inttypes.h>
#include <linux/perf_event.h>

#define BRANCH_ENTRY_WORDS 3 /* struct perf_branch_entry */

/* PERF_SAMPLE_BRANCH_COUNTERS, newer than the headers this is built with. */
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

/* The parts that are one word each, all before those of varying size. */
#define ONE_WORD                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |                \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* Those in front of the time and of the CPU. */
#define BEFORE_TIME                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define BEFORE_CPU (ONE_WORD & ~(PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD))

/* By pairs, fours and bytes, which are added up: where the machine's instruction
 * cannot be presumed, the compiler's own is a call of a library, a third of the
 * time that a sample takes. */
static uint64_t bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return v * 0x0101010101010101u >> 56;
}

static const uint8_t *next(const uint8_t **p)
{
	const uint8_t *at = *p;

	*p += WORD;
	return at;
}

static bool one_word_parts(uint64_t type, struct span *in,
			   struct rec_record *out)
{
	struct span part;
	const uint8_t *p;

	if (!words_take(in, bits(type & ONE_WORD), &part))
		return false;
	p = part.p;
	if (type & PERF_SAMPLE_IDENTIFIER)
		out->ids.id = word_at(next(&p));
	if (type & PERF_SAMPLE_IP)
		out->sample.ip = word_at(next(&p));
	if (type & PERF_SAMPLE_TID) {
		out->ids.pid = (int32_t)half_at(p);
		out->ids.tid = (int32_t)half_at(next(&p) + 4);
	}
	if (type & PERF_SAMPLE_TIME)
		out->ids.time = word_at(next(&p));
	if (type & PERF_SAMPLE_ADDR)
		out->sample.addr = word_at(next(&p));
	if (type & PERF_SAMPLE_ID)
		out->ids.id = word_at(next(&p));
	if (type & PERF_SAMPLE_STREAM_ID)
		out->ids.stream_id = word_at(next(&p));
	if (type & PERF_SAMPLE_CPU)
		out->ids.cpu = half_at(next(&p));
	if (type & PERF_SAMPLE_PERIOD)
		out->sample.period = word_at(next(&p));
	return true;
}

typedef bool part_fn(const struct rec_layout *l, struct span *in,
		     struct rec_sample *out);

static bool read_part(const struct rec_layout *l, struct span *in,
		      struct rec_sample *out)
{
	uint64_t f = l->read_format;
	uint64_t times = bits(f & (PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t each = 1 + bits(f & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	uint64_t n;

	if (!(f & PERF_FORMAT_GROUP))
		return words_take(in, each + times, &out->read);
	if (in->n < WORD)
		return false;
	n = word_at(in->p);
	/* Bounds n before it is multiplied. */
	if (n > in->n / WORD)
		return false;
	return words_take(in, 1 + times + n * each, &out->read);
}

static bool chain_part(const struct rec_layout *l, struct span *in,
		       struct rec_sample *out)
{
	(void)l;
	return word_take(in, &out->n_chain) &&
	       words_take(in, out->n_chain, &out->chain);
}

static bool raw_part(const struct rec_layout *l, struct span *in,
		     struct rec_sample *out)
{
	uint32_t size;

	(void)l;
	return span_u32(in, &size) && span_take(in, size, &out->raw);
}

static bool branch_part(const struct rec_layout *l, struct span *in,
			struct rec_sample *out)
{
	struct span counters;
	uint64_t n;

	if (!word_take(in, &n) || n > in->n / (BRANCH_ENTRY_WORDS * WORD))
		return false;
	if (l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX &&
	    !span_skip(in, WORD))
		return false;
	if (!words_take(in, n * BRANCH_ENTRY_WORDS, &out->branches))
		return false;
	return !(l->branch_type & BRANCH_COUNTERS) ||
	       words_take(in, n, &counters);
}

static bool regs(struct span *in, uint64_t mask, struct span *out)
{
	uint64_t n = 1;

	if (in->n < WORD)
		return false;
	/* PERF_SAMPLE_REGS_ABI_NONE: a kernel thread has no user registers. */
	if (word_at(in->p) != PERF_SAMPLE_REGS_ABI_NONE)
		n += bits(mask);
	return words_take(in, n, out);
}

static bool user_regs_part(const struct rec_layout *l, struct span *in,
			   struct rec_sample *out)
{
	return regs(in, l->regs_user, &out->user_regs);
}

static bool intr_regs_part(const struct rec_layout *l, struct span *in,
			   struct rec_sample *out)
{
	struct span unused;

	(void)out;
	return regs(in, l->regs_intr, &unused);
}

/* A size, so many bytes, and how many of them were filled. The last word is
 * missing where the size is 0. */
static bool stack_part(const struct rec_layout *l, struct span *in,
		       struct rec_sample *out)
{
	struct span whole;
	uint64_t size, filled;

	(void)l;
	if (!word_take(in, &size))
		return false;
	if (!size)
		return true;
	return size <= in->n && span_take(in, (size_t)size, &whole) &&
	       word_take(in, &filled) && filled <= size &&
	       span_take(&whole, (size_t)filled, &out->user_stack);
}

static bool aux_part(const struct rec_layout *l, struct span *in,
		     struct rec_sample *out)
{
	uint64_t size;

	(void)l;
	(void)out;
	return word_take(in, &size) && size <= in->n &&
	       span_skip(in, (size_t)size);
}

static bool word_part(const struct rec_layout *l, struct span *in,
		      struct rec_sample *out)
{
	(void)l;
	(void)out;
	return span_skip(in, WORD);
}

static bool cgroup_part(const struct rec_layout *l, struct span *in,
			struct rec_sample *out)
{
	(void)l;
	return word_take(in, &out->cgroup);
}

/* In the order of the kernel's perf_output_sample(), which is not that of the
 * bits. */
static const struct part {
	uint64_t bits;
	const char *name;
	part_fn *take;
} parts[] = {
	{ PERF_SAMPLE_READ, "counter values", read_part },
	{ PERF_SAMPLE_CALLCHAIN, "call chain", chain_part },
	{ PERF_SAMPLE_RAW, "payload", raw_part },
	{ PERF_SAMPLE_BRANCH_STACK, "branch stack", branch_part },
	{ PERF_SAMPLE_REGS_USER, "user registers", user_regs_part },
	{ PERF_SAMPLE_STACK_USER, "user stack", stack_part },
	{ PERF_SAMPLE_WEIGHT_TYPE, "weight", word_part },
	{ PERF_SAMPLE_DATA_SRC, "data source", word_part },
	{ PERF_SAMPLE_TRANSACTION, "transaction", word_part },
	{ PERF_SAMPLE_REGS_INTR, "registers", intr_regs_part },
	{ PERF_SAMPLE_PHYS_ADDR, "physical address", word_part },
	{ PERF_SAMPLE_CGROUP, "cgroup", cgroup_part },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "data page size", word_part },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "code page size", word_part },
	{ PERF_SAMPLE_AUX, "aux data", aux_part },
};

/* Field by field: of a memset of this size gcc makes "rep stos", which takes
 * longer to start than a sample to decode. */
static void clear(struct rec_sample *s)
{
	const struct span none = { NULL, 0 };

	s->ip = s->addr = s->period = s->n_chain = s->cgroup = 0;
	s->chain = s->raw = s->branches = none;
	s->read = s->user_regs = s->user_stack = none;
}

void rec_glance_make(struct rec_glance *g, const struct rec_layout *layout)
{
	const uint64_t kind = layout->sample_type;

	*g = (struct rec_glance){
		.possible = !(kind & ~(uint64_t)(ONE_WORD |
						 PERF_SAMPLE_CALLCHAIN)),
		.has_chain = kind & PERF_SAMPLE_CALLCHAIN,
		.fixed = WORD * (1 + bits(kind & ONE_WORD)),
	};
	if (kind & PERF_SAMPLE_TIME)
		g->time_at = WORD * (1 + bits(kind & BEFORE_TIME));
	if (kind & PERF_SAMPLE_CPU)
		g->cpu_at = WORD * (1 + bits(kind & BEFORE_CPU));
}

bool rec_glance_fits(const struct rec_glance *g, struct span record,
		     uint64_t *time, int *cpu)
{
	size_t size = g->fixed;
	uint64_t head, n;

	if (!g->possible || record.n < size)
		return false;
	head = word_at(record.p);
	if ((uint32_t)head != PERF_RECORD_SAMPLE || head >> 48 != record.n)
		return false;
	if (g->has_chain) {
		if (record.n - size < WORD)
			return false;
		n = word_at(record.p + size);
		size += WORD;
		if (n > (record.n - size) / WORD)
			return false;
		size += n * WORD;
	}
	*time = g->time_at ? word_at(record.p + g->time_at) : 0;
	*cpu = g->cpu_at ? (int)(half_at(record.p + g->cpu_at) & INT32_MAX) :
			   -1;
	return size == record.n;
}

int rec_decode_sample(const struct rec_layout *layout, struct span in,
		      struct rec_record *out, struct err *err)
{
	uint64_t left = layout->sample_type & ~(uint64_t)ONE_WORD;
	struct span rest;

	clear(&out->sample);
	if (!one_word_parts(layout->sample_type, &in, out))
		return err_set(err, ERR_FORMAT, "sample of %zu bytes, less "
			       "than its fixed fields", in.n);
	rest = in;
	/* Most have a chain and nothing else. */
	if (left == PERF_SAMPLE_CALLCHAIN &&
	    chain_part(layout, &rest, &out->sample)) {
		in = rest;
		left = 0;
	}
	for (size_t i = 0; left && i < ARRAY_LEN(parts); i++) {
		const struct part *part = &parts[i];

		if (!(left & part->bits))
			continue;
		left &= ~part->bits;
		if (!part->take(layout, &in, &out->sample))
			return err_set(err, ERR_FORMAT, "sample whose %s "
				       "does not fit into it", part->name);
	}
	/* Bits that are newer than this version add parts behind the known
	 * ones: those are left alone. */
	if (in.n && !left)
		return err_set(err, ERR_FORMAT, "sample with %zu bytes behind "
			       "its last field", in.n);
	return 0;
}
