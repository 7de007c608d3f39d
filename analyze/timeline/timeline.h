/* What a timeline shows: lanes, which hold spans and instants or the values of
 * a counter. Providers fill it (analyze/timeline/provider.h), page.h and
 * picture.h write it. Times are ns of the file's clock. */
#ifndef ANALYZE_TIMELINE_TIMELINE_H
#define ANALYZE_TIMELINE_TIMELINE_H

#include "analyze/timeline/class.h"

#include "format/base/err.h"
#include "format/base/intern.h"

#include <stddef.h>
#include <stdint.h>

enum an_lane_kind {
	AN_LANE_SPANS,   /* and instants */
	AN_LANE_COUNTER, /* a value that holds until the next step; NAN: it is
			  * not known until then, and nothing is drawn */
};

/* Texts are ids of an_timeline_text(); 0 is the empty one. */
struct an_span {
	uint64_t from, to;   /* the same: an instant */
	uint64_t busy;       /* of the spans in a block, summed; else to - from*/
	uint32_t name;
	uint32_t detail;     /* lines that tell more; may be empty */
	uint32_t count;      /* spans in this block; 1: it is one itself. Then
			      * `name` is that of the longest of them */
	uint16_t row;        /* in the lane, from the top */
	uint8_t class;       /* enum an_class */
};

struct an_step {
	uint64_t time;
	double value;
};

struct an_lane {
	enum an_lane_kind kind;
	uint32_t name;
	uint32_t group;      /* lanes of a group stand together */
	uint32_t unit;       /* of a counter */
	uint64_t rank;       /* orders the lanes of a group; equal ones stay as
			      * they came */
	struct an_span *spans;
	size_t n_spans, spans_cap;
	struct an_step *steps;
	size_t n_steps, steps_cap;
	uint32_t rows;       /* that overlapping spans need, 1 at least */
	uint64_t merged;     /* spans that are in blocks, or steps left out */
	uint32_t order;      /* as it came */
};

struct an_timeline {
	struct intern texts;
	struct an_lane *lanes;
	size_t n, cap;
	uint32_t *groups;    /* texts, in the order of their first lane */
	size_t n_groups, groups_cap;
	uint64_t t_min, t_max; /* what is shown, both included */
	size_t n_spans;        /* and steps, that were added and not merged */
	size_t held;           /* that are held in memory at most */
	uint64_t width;        /* what is narrower was merged to hold no more */
};

/* A recording of any length: beyond so many (40 bytes each), neighbours are
 * merged while it is read. */
#define AN_TIMELINE_HELD ((size_t)4 << 20)

int an_timeline_init(struct an_timeline *tl, struct err *err);
void an_timeline_fini(struct an_timeline *tl); /* a zeroed one is fine */

int an_timeline_text(struct an_timeline *tl, struct span text, uint32_t *id,
		     struct err *err);
int an_timeline_textf(struct an_timeline *tl, uint32_t *id, struct err *err,
		      const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds a lane with these kind, texts and rank; *id is its number until
 * an_timeline_arrange(). */
int an_timeline_lane(struct an_timeline *tl, const struct an_lane *lane,
		     uint32_t *id, struct err *err);

/* Of any order; `row` and, where it is 0, `count` and `busy` are set here. A
 * span that ends before it begins is an instant. */
int an_timeline_span(struct an_timeline *tl, uint32_t lane,
		     const struct an_span *span, struct err *err);
/* What is endless counts as 0. */
int an_timeline_step(struct an_timeline *tl, uint32_t lane, uint64_t time,
		     double value, struct err *err);

/* When nothing more is added: puts lanes, spans and steps in order, gives rows
 * to spans that overlap, drops lanes without anything and sets t_min and t_max
 * to the times that occur, where they are 0 and UINT64_MAX. Of spans that
 * overlap more than AN_MAX_ROWS deep, those too many are blocks in the last
 * row. */
#define AN_MAX_ROWS 32
void an_timeline_arrange(struct an_timeline *tl);

size_t an_timeline_spans(const struct an_timeline *tl); /* and steps */
uint64_t an_timeline_merged(const struct an_timeline *tl);

/* Puts the spans and steps of one lane in order, without merging. */
void an_lane_arrange(struct an_lane *l);

/* Makes blocks of neighbours in a row that are each, and are apart, less than
 * `width` ns; a block is at most AN_BLOCK_WIDTHS as long. Of a counter only the
 * least and the greatest value in such a time stay, and that it ends without
 * one. */
#define AN_BLOCK_WIDTHS 4
void an_timeline_merge(struct an_timeline *tl, uint64_t width);

/* Merges just so far that there are `max` spans at most, or one in each row. */
void an_timeline_fit(struct an_timeline *tl, size_t max);

#endif
