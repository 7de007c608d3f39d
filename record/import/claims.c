#include "record/import/claims.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A made-up function has so much room that every offset is in it. */
#define MADE_UP_SIZE (UINT64_C(1) << 32)
/* Functions grow by this, so that few rows tell how long they are. */
#define GRAIN 64u
/* What a generation holds, so that inserting stays cheap. */
#define SPACE_MAX 65536u

/* What is taken of one generation of an image, by address. It stays taken when
 * a function moves away, as frames were written that lie there. */
struct rec_claim_space {
	struct range {
		uint64_t start, end;
	} *order;
	size_t n;
	size_t cap;
};

void rec_claims_fini(struct rec_claims *c)
{
	for (size_t i = 0; i < c->n_spaces; i++)
		free(c->spaces[i].order);
	free(c->spaces);
	free(c->items);
	intern_fini(&c->names);
	buf_fini(&c->key);
	*c = (struct rec_claims){ 0 };
}

size_t rec_claims_size(const struct rec_claims *c)
{
	return intern_size(&c->names) + c->cap * sizeof(*c->items) +
	       c->spaces_cap * sizeof(*c->spaces) + c->order_size;
}

/* NULL: out of memory. */
static struct rec_claim_space *space_of(struct rec_claims *c, uint32_t image,
					uint32_t generation)
{
	size_t need = ((size_t)image + 1) * REC_CLAIM_GENERATIONS;

	if (need > c->n_spaces) {
		if (!mem_grow(&c->spaces, &c->spaces_cap, need,
			      sizeof(*c->spaces)))
			return NULL;
		memset(c->spaces + c->n_spaces, 0,
		       (need - c->n_spaces) * sizeof(*c->spaces));
		c->n_spaces = need;
	}
	return &c->spaces[need - REC_CLAIM_GENERATIONS + generation];
}

/* The first range that ends behind `at`. */
static size_t first_behind(const struct rec_claim_space *s, uint64_t at)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->order[mid].end > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static bool insert(struct rec_claims *c, struct rec_claim_space *s, size_t at,
		   const struct rec_claim *x)
{
	size_t cap = s->cap;

	if (!mem_grow(&s->order, &s->cap, s->n + 1, sizeof(*s->order)))
		return false;
	c->order_size += (s->cap - cap) * sizeof(*s->order);
	memmove(s->order + at + 1, s->order + at,
		(s->n - at) * sizeof(*s->order));
	s->order[at] = (struct range){ x->start, x->end };
	s->n++;
	return true;
}

static void make_up(struct rec_claims *c, struct rec_claim *x)
{
	x->generation = REC_CLAIM_MADE_UP;
	x->start = c->made_up;
	x->end = c->made_up += MADE_UP_SIZE;
}

/* The first generation where [start, end) is free. */
static bool place_as_given(struct rec_claims *c, struct rec_claim *x)
{
	for (uint32_t g = REC_CLAIM_GIVEN; g < REC_CLAIM_GENERATIONS; g++) {
		struct rec_claim_space *s = space_of(c, x->image, g);
		size_t at;

		if (!s)
			return false;
		at = first_behind(s, x->start);
		if (s->n == SPACE_MAX ||
		    (at < s->n && s->order[at].start < x->end))
			continue;
		x->generation = g;
		return insert(c, s, at, x);
	}
	make_up(c, x);
	return true;
}

/* Where the text has the function begin; false: it does not say. */
static bool given_range(const struct rec_claim_frame *f, struct rec_claim *x)
{
	uint64_t offset = f->has_offset ? f->offset : 0;

	return f->has_address && offset < MADE_UP_SIZE &&
	       !ckd_sub(&x->start, f->address, offset) &&
	       !ckd_add(&x->end, f->address, UINT64_C(1));
}

static bool place_new(struct rec_claims *c, const struct rec_claim_frame *f,
		      uint32_t claim)
{
	struct rec_claim *x = &c->items[claim];

	*x = (struct rec_claim){ .image = f->image };
	c->n++;
	if (given_range(f, x))
		return place_as_given(c, x);
	make_up(c, x);
	return true;
}

/* How far from its start; of an address alone as far as the function is known to
 * reach. */
static uint64_t offset_in(const struct rec_claim *x,
			  const struct rec_claim_frame *f)
{
	if (f->has_offset)
		return f->offset < MADE_UP_SIZE ? f->offset : 0;
	if (f->has_address && x->generation >= REC_CLAIM_GIVEN &&
	    f->address >= x->start && f->address < x->end)
		return f->address - x->start;
	return 0;
}

/* Up to the offset, where nothing is in the way; else it moves away. */
static void grow(struct rec_claims *c, uint32_t claim, uint64_t offset)
{
	struct rec_claim *x = &c->items[claim];
	struct rec_claim_space *s = space_of(c, x->image, x->generation);
	size_t at = first_behind(s, x->start);
	uint64_t limit = at + 1 < s->n ? s->order[at + 1].start : UINT64_MAX;
	uint64_t end;

	if (ckd_add(&end, x->start, offset / GRAIN * GRAIN + GRAIN) ||
	    end > limit)
		end = limit;
	if (end - x->start > offset) {
		s->order[at].end = x->end = end;
		return;
	}
	make_up(c, x);
}

static bool claim_of(struct rec_claims *c, const struct rec_claim_frame *f,
		     uint32_t *claim, bool *is_new)
{
	buf_clear(&c->key);
	buf_u32(&c->key, f->image);
	buf_put(&c->key, f->name.p, f->name.n);
	return !buf_failed(&c->key) &&
	       mem_grow(&c->items, &c->cap, c->n + 1, sizeof(*c->items)) &&
	       intern_put(&c->names, c->key.p, c->key.n, claim, is_new) &&
	       (*is_new ? *claim == c->n : *claim < c->n);
}

bool rec_claims_place(struct rec_claims *c, const struct rec_claim_frame *f,
		      struct rec_claim *out, uint64_t *address, bool *row)
{
	uint64_t offset;
	uint32_t claim;

	if (!claim_of(c, f, &claim, row) ||
	    (*row && !place_new(c, f, claim)))
		return false;
	offset = offset_in(&c->items[claim], f);
	if (offset >= c->items[claim].end - c->items[claim].start) {
		grow(c, claim, offset);
		*row = true;
	}
	*out = c->items[claim];
	*address = out->start + offset;
	return true;
}
