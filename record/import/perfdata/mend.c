#include "record/import/perfdata/mend.h"

#include "record/perf/words.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#define PROT_AT 64u /* in MMAP2: behind its head and the file's numbers */
#define PART 8u     /* protection and flags */

enum { SOURCE, TARGET, FLAGS, BRANCH_WORDS }; /* of a branch record */

/* No protection has bits so high, all paths begin so. */
static bool is_path(const uint8_t *p)
{
	return (*p == '/' || *p == '[') && half_at(p) > UINT16_MAX;
}

bool rec_pd_mend_mmap2(uint8_t *to, struct span *record)
{
	uint64_t head;
	uint32_t prot = PROT_EXEC;

	if (record->n < PROT_AT + PART || record->n + PART > UINT16_MAX)
		return false;
	head = word_at(record->p);
	if ((uint32_t)head != PERF_RECORD_MMAP2 ||
	    head >> 32 & PERF_RECORD_MISC_MMAP_BUILD_ID ||
	    !is_path(record->p + PROT_AT))
		return false;
	if (head >> 32 & PERF_RECORD_MISC_MMAP_DATA)
		prot = 0;
	/* They may be the same memory. */
	memmove(to + PROT_AT + PART, record->p + PROT_AT, record->n - PROT_AT);
	memmove(to, record->p, PROT_AT);
	head = htole64(head + ((uint64_t)PART << 48));
	prot = htole32(prot);
	memcpy(to, &head, sizeof(head));
	memcpy(to + PROT_AT, &prot, sizeof(prot));
	memset(to + PROT_AT + sizeof(prot), 0, PART - sizeof(prot));
	*record = span_of(to, record->n + PART);
	return true;
}

#define BUILD_ID_AT 40u /* in MMAP2: its size, three bytes of 0, its bytes */
#define BUILD_ID_GNU 20u
#define BUILD_ID_SHORT 16u

bool rec_pd_mend_build_id(uint8_t *to, struct span *record)
{
	const uint64_t bit = (uint64_t)PERF_RECORD_MISC_MMAP_BUILD_ID << 32;
	uint64_t head;
	uint32_t size;

	if (record->n < BUILD_ID_AT + WORD)
		return false;
	head = word_at(record->p);
	/* The number of a device's kind, as it would be, is seldom one of
	 * these. */
	size = half_at(record->p + BUILD_ID_AT);
	if ((uint32_t)head != PERF_RECORD_MMAP2 || !(head & bit) ||
	    size == BUILD_ID_GNU || size == BUILD_ID_SHORT)
		return false;
	memmove(to, record->p, record->n);
	head = htole64(head & ~bit);
	memcpy(to, &head, sizeof(head));
	*record = span_of(to, record->n);
	return true;
}

static uint64_t branch_word(const struct rec_sample *s, size_t i, size_t word)
{
	return word_at(s->branches.p + (i * BRANCH_WORDS + word) * WORD);
}

/* Words of the chain before its user part. */
static uint64_t kernel_words(const struct rec_sample *s)
{
	uint64_t i = 0;

	while (i < s->n_chain && rec_chain_word(s, i) != PERF_CONTEXT_USER)
		i++;
	return i;
}

/* The innermost user address. Without a kernel part the sample's own is exact,
 * the chain's is some instructions behind it. */
static uint64_t leaf(const struct rec_sample *s, uint64_t kernel)
{
	if (!kernel && s->ip)
		return s->ip;
	return kernel + 1 < s->n_chain ? rec_chain_word(s, kernel + 1) :
					 branch_word(s, 0, TARGET);
}

bool rec_pd_mend_lbr(uint64_t *to, size_t n, struct rec_sample *s)
{
	size_t branches = s->branches.n / (BRANCH_WORDS * WORD), k = 0;
	uint64_t kernel = kernel_words(s);

	if (!branches || kernel == s->n_chain || kernel > n ||
	    branches + 2 > n - kernel)
		return false;
	for (; k <= kernel; k++)
		to[k] = htole64(rec_chain_word(s, k));
	to[k++] = htole64(leaf(s, kernel));
	for (size_t i = 0; i < branches; i++)
		to[k++] = htole64(branch_word(s, i, SOURCE));
	s->chain = span_of(to, k * WORD);
	s->n_chain = k;
	return true;
}
