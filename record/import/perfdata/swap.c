#include "record/import/perfdata/swap.h"

#include "format/base/mem.h"
#include "record/perf/words.h"

#include <linux/perf_event.h>
#include <string.h>

#define HEADER_SIZE 8u
#define BUILD_ID_PART 24u /* of a MMAP2 that has one */

/* What is left of a record, to be turned round from the front. */
struct rest {
	uint8_t *p;
	size_t n;
};

static bool skip(struct rest *r, size_t n)
{
	if (n > r->n)
		return false;
	r->p += n;
	r->n -= n;
	return true;
}

static bool turn(struct rest *r, size_t size)
{
	uint8_t *p = r->p;

	if (!skip(r, size))
		return false;
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t b = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = b;
	}
	return true;
}

static bool turn_words(struct rest *r, uint64_t n)
{
	if (n > r->n / WORD)
		return false;
	while (n--)
		(void)turn(r, WORD);
	return true;
}

static bool turn_halves(struct rest *r, unsigned n)
{
	while (n--)
		if (!turn(r, 4))
			return false;
	return true;
}

/* A word that counts what follows. */
static bool turn_count(struct rest *r, uint64_t *n)
{
	const uint8_t *p = r->p;

	if (!turn(r, WORD))
		return false;
	*n = word_at(p);
	return true;
}

void rec_pd_swap_head(uint8_t *record)
{
	struct rest r = { record, HEADER_SIZE };

	(void)turn(&r, 4);
	(void)turn(&r, 2);
	(void)turn(&r, 2);
}

/* -- Records that are no samples --------------------------------------------*/

/* The fixed part of a record's body, a letter a field: w 8 bytes, h 4, q 2.
 * Text or bytes may follow. */
static const struct form {
	uint32_t type;
	const char *fields;
} forms[] = {
	{ PERF_RECORD_MMAP, "hhwww" },
	{ PERF_RECORD_LOST, "ww" },
	{ PERF_RECORD_COMM, "hh" },
	{ PERF_RECORD_EXIT, "hhhhw" },
	{ PERF_RECORD_THROTTLE, "www" },
	{ PERF_RECORD_UNTHROTTLE, "www" },
	{ PERF_RECORD_FORK, "hhhhw" },
	{ PERF_RECORD_MMAP2, "hhwww" },
	{ PERF_RECORD_LOST_SAMPLES, "w" },
	{ PERF_RECORD_SWITCH_CPU_WIDE, "hh" },
	{ PERF_RECORD_NAMESPACES, "hh" },
	{ PERF_RECORD_KSYMBOL, "whqq" },
	{ PERF_RECORD_CGROUP, "w" },
};

static bool turn_fields(struct rest *r, const char *fields)
{
	for (; *fields; fields++)
		if (!turn(r, *fields == 'w' ? 8 : *fields == 'h' ? 4 : 2))
			return false;
	return true;
}

/* Behind the common part of MMAP2: a file's numbers or a build-id, then
 * protection and flags. */
static bool turn_mmap2(struct rest *r, uint16_t misc)
{
	bool ok = misc & PERF_RECORD_MISC_MMAP_BUILD_ID ?
			  skip(r, BUILD_ID_PART) :
			  turn_fields(r, "hhww");

	return ok && turn_halves(r, 2);
}

/* Behind the ids: how many, then pairs of words. */
static bool turn_namespaces(struct rest *r)
{
	uint64_t n;

	return turn_count(r, &n) && n <= r->n / WORD && turn_words(r, n * 2);
}

/* Sample id fields at the end. */
static bool turn_trailer(struct rest *r, const struct rec_layout *l)
{
	uint64_t type = l->sample_type;
	uint64_t one = type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID);
	size_t size;

	if (!l->sample_id_all)
		return true;
	size = WORD * (size_t)__builtin_popcountll(
			      one | (type & (PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
					     PERF_SAMPLE_IDENTIFIER)));
	if (size > r->n)
		return false;
	(void)skip(r, r->n - size);
	return (!(type & PERF_SAMPLE_TID) || turn_halves(r, 2)) &&
	       turn_words(r, (uint64_t)__builtin_popcountll(one)) &&
	       (!(type & PERF_SAMPLE_CPU) || turn_halves(r, 2)) &&
	       (!(type & PERF_SAMPLE_IDENTIFIER) || turn(r, WORD));
}

static bool turn_other(struct rest r, uint32_t type, uint16_t misc,
		       const struct rec_layout *l)
{
	struct rest trailer = r;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (forms[i].type == type && !turn_fields(&r, forms[i].fields))
			return false;
	if (type == PERF_RECORD_MMAP2 && !turn_mmap2(&r, misc))
		return false;
	if (type == PERF_RECORD_NAMESPACES && !turn_namespaces(&r))
		return false;
	return turn_trailer(&trailer, l);
}

/* -- Samples ----------------------------------------------------------------*/

static bool turn_read(struct rest *r, const struct rec_layout *l)
{
	uint64_t f = l->read_format, n;
	uint64_t times = f & (PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + (uint64_t)__builtin_popcountll(
				    f & (PERF_FORMAT_ID | 1u << 4));

	times = (uint64_t)__builtin_popcountll(times);
	if (!(f & PERF_FORMAT_GROUP))
		return turn_words(r, each + times);
	return turn_count(r, &n) && n <= r->n / WORD &&
	       turn_words(r, times + n * each);
}

static bool turn_chain(struct rest *r, const struct rec_layout *l)
{
	uint64_t n;

	(void)l;
	return turn_count(r, &n) && turn_words(r, n);
}

static bool turn_raw(struct rest *r, const struct rec_layout *l)
{
	const uint8_t *p = r->p;

	(void)l;
	return turn(r, 4) && skip(r, half_at(p));
}

static bool turn_branches(struct rest *r, const struct rec_layout *l)
{
	uint64_t n;
	unsigned extra = l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 1 : 0;

	return turn_count(r, &n) && n <= r->n / WORD &&
	       turn_words(r, n * 3 + extra);
}

static bool turn_regs(struct rest *r, uint64_t mask)
{
	uint64_t abi;

	return turn_count(r, &abi) &&
	       (!abi ||
		turn_words(r, (uint64_t)__builtin_popcountll(mask)));
}

static bool turn_user_regs(struct rest *r, const struct rec_layout *l)
{
	return turn_regs(r, l->regs_user);
}

static bool turn_intr_regs(struct rest *r, const struct rec_layout *l)
{
	return turn_regs(r, l->regs_intr);
}

static bool turn_stack(struct rest *r, const struct rec_layout *l)
{
	uint64_t size;

	(void)l;
	return turn_count(r, &size) &&
	       (!size || (size <= r->n && skip(r, (size_t)size) &&
			  turn(r, WORD)));
}

static bool turn_one(struct rest *r, const struct rec_layout *l)
{
	(void)l;
	return turn(r, WORD);
}

static bool turn_two_halves(struct rest *r, const struct rec_layout *l)
{
	(void)l;
	return turn_halves(r, 2);
}

static bool turn_weights(struct rest *r, const struct rec_layout *l)
{
	(void)l;
	return turn_fields(r, "hqq");
}

static bool turn_aux(struct rest *r, const struct rec_layout *l)
{
	uint64_t size;

	(void)l;
	return turn_count(r, &size) && size <= r->n && skip(r, (size_t)size);
}

/* In the kernel's order. */
static const struct part {
	uint64_t bit;
	bool (*turn)(struct rest *r, const struct rec_layout *l);
} parts[] = {
	{ PERF_SAMPLE_IDENTIFIER, turn_one },
	{ PERF_SAMPLE_IP, turn_one },
	{ PERF_SAMPLE_TID, turn_two_halves },
	{ PERF_SAMPLE_TIME, turn_one },
	{ PERF_SAMPLE_ADDR, turn_one },
	{ PERF_SAMPLE_ID, turn_one },
	{ PERF_SAMPLE_STREAM_ID, turn_one },
	{ PERF_SAMPLE_CPU, turn_two_halves },
	{ PERF_SAMPLE_PERIOD, turn_one },
	{ PERF_SAMPLE_READ, turn_read },
	{ PERF_SAMPLE_CALLCHAIN, turn_chain },
	{ PERF_SAMPLE_RAW, turn_raw },
	{ PERF_SAMPLE_BRANCH_STACK, turn_branches },
	{ PERF_SAMPLE_REGS_USER, turn_user_regs },
	{ PERF_SAMPLE_STACK_USER, turn_stack },
	{ PERF_SAMPLE_WEIGHT, turn_one },
	{ PERF_SAMPLE_WEIGHT_STRUCT, turn_weights },
	{ PERF_SAMPLE_DATA_SRC, turn_one },
	{ PERF_SAMPLE_TRANSACTION, turn_one },
	{ PERF_SAMPLE_REGS_INTR, turn_intr_regs },
	{ PERF_SAMPLE_PHYS_ADDR, turn_one },
	{ PERF_SAMPLE_CGROUP, turn_one },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, turn_one },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, turn_one },
	{ PERF_SAMPLE_AUX, turn_aux },
};

static bool turn_sample(struct rest r, const struct rec_layout *l)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (l->sample_type & parts[i].bit && !parts[i].turn(&r, l))
			return false;
	return true;
}

bool rec_pd_swap_body(uint8_t *record, size_t size,
		      const struct rec_layout *layout)
{
	struct rest body = { record, size };
	uint64_t head = word_at(record);

	(void)skip(&body, HEADER_SIZE);
	if ((uint32_t)head == PERF_RECORD_SAMPLE)
		return turn_sample(body, layout);
	return turn_other(body, (uint32_t)head, (uint16_t)(head >> 32),
			  layout);
}
