#include "record/import/tracedat/page.h"

#include "record/import/tracedat/bytes.h"
#include "record/proc/procfs.h"
#include "record/tracepoint/field.h"

#include <string.h>

/* Of the commit word. */
#define COMMIT_MASK ((1u << 27) - 1)
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30)

/* A word begins each record: 5 bits of type or length, 27 of time. */
#define HEAD 4u
#define TIME_BITS 27
enum { LONG = 0, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

/* A time stamp has 59 bits; those above are as before. */
#define STAMP_BITS 59
#define STAMP_MASK ((UINT64_C(1) << STAMP_BITS) - 1)

int rec_dat_layout_parse(struct rec_dat_layout *l, struct span text, bool big,
			 struct err *err)
{
	bool time = false, commit = false, data = false;
	struct rec_field_line f;
	struct span line;

	*l = (struct rec_dat_layout){ .big = big };
	while (rec_line(&text, &line)) {
		if (!rec_field_line(line, &f) || f.offset > UINT8_MAX)
			continue;
		if (span_is(f.name, "timestamp") && f.size == 8) {
			l->time = (uint16_t)f.offset;
			time = true;
		} else if (span_is(f.name, "commit") &&
			   (f.size == 4 || f.size == 8)) {
			l->commit = (uint16_t)f.offset;
			l->long_size = (uint8_t)f.size;
			commit = true;
		} else if (span_is(f.name, "data")) {
			l->data = (uint16_t)f.offset;
			data = true;
		}
	}
	if (!time || !commit || !data)
		return err_set(err, ERR_FORMAT, "header_page tells no place "
			       "of %s", !time ? "timestamp" :
			       !commit ? "commit" : "data");
	return 0;
}

int rec_dat_page_open(struct rec_dat_page *out, const struct rec_dat_layout *l,
		      struct span page, struct err *err)
{
	uint64_t time, commit, n;

	if (!rec_dat_number_at(page, l->time, 8, l->big, &time) ||
	    !rec_dat_number_at(page, l->commit, l->long_size, l->big,
			       &commit) || l->data > page.n)
		return err_set(err, ERR_FORMAT, "a page of %zu bytes has no "
			       "head", page.n);
	n = commit & COMMIT_MASK;
	*out = (struct rec_dat_page){
		.time = time,
		.big = l->big,
		.cut = n > page.n - l->data,
		.lost = (commit & MISSED_EVENTS) != 0,
	};
	/* How many stands behind the records, where there was room. */
	if (out->lost && (commit & MISSED_STORED))
		(void)rec_dat_number_at(page, l->data + n, l->long_size,
					l->big, &out->n_lost);
	if (out->cut)
		n = page.n - l->data;
	out->data = span_of(page.p + l->data, (size_t)n);
	return 0;
}

struct head {
	unsigned type;
	uint64_t delta;
	uint32_t word; /* behind it, for the types that have one */
};

static bool take_head(struct rec_dat_page *p, struct head *h)
{
	struct rec_dat_bytes in = { p->data, p->big };
	uint32_t v;

	if (!rec_dat_u32(&in, &v))
		return false;
	h->type = p->big ? v >> TIME_BITS : v & 31;
	h->delta = p->big ? v & ((1u << TIME_BITS) - 1) : v >> 5;
	h->word = 0;
	if (h->type == LONG || h->type >= PADDING)
		return rec_dat_u32(&in, &h->word);
	return true;
}

/* Bytes of all of it; 0: nothing follows in this page. */
static uint64_t size_of(const struct head *h)
{
	switch (h->type) {
	case LONG: /* rounded up to words */
		return HEAD + (((uint64_t)h->word + 3) & ~UINT64_C(3));
	case PADDING: /* a time of 0 marks the last one */
		return h->delta ? HEAD + (uint64_t)h->word : 0;
	case TIME_EXTEND:
	case TIME_STAMP:
		return 2 * HEAD;
	default:
		return HEAD + 4 * (uint64_t)h->type;
	}
}

/* A discarded record is padding, and what passed before it counts. */
static void advance(struct rec_dat_page *p, const struct head *h)
{
	uint64_t far = (uint64_t)h->word << TIME_BITS | h->delta;

	if (h->type == TIME_EXTEND) {
		p->time += far;
	} else if (h->type == TIME_STAMP) {
		far |= p->time & ~STAMP_MASK;
		if (far < p->time && p->time - far > STAMP_MASK / 2)
			far += STAMP_MASK + 1;
		p->time = far;
	} else {
		p->time += h->delta;
	}
}

int rec_dat_page_next(struct rec_dat_page *p, struct span *record,
		      struct err *err)
{
	struct head h = { 0 };

	while (p->data.n) {
		uint64_t size, before;
		struct span all;

		if (!take_head(p, &h)) {
			/* A last word of padding has none behind it. */
			p->data.n = 0;
			return h.type == PADDING ? 1 :
			       err_set(err, ERR_FORMAT, "a record at %zu of a "
				       "page is cut short", p->taken);
		}
		size = size_of(&h);
		if (!size)
			break;
		if (size > p->data.n || (h.type == LONG && h.word < HEAD))
			return err_set(err, ERR_FORMAT, "a record at %zu of a "
				       "page has %u bytes", p->taken,
				       (unsigned)size);
		(void)span_take(&p->data, (size_t)size, &all);
		p->taken += (size_t)size;
		advance(p, &h);
		if (h.type >= PADDING)
			continue;
		before = h.type == LONG ? 2 * HEAD : HEAD;
		*record = span_of(all.p + before, all.n - (size_t)before);
		return 0;
	}
	p->data.n = 0;
	return 1;
}
