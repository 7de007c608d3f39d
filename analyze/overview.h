/* What is in a trace, counted: the numbers behind `analyze info`. */
#ifndef ANALYZE_OVERVIEW_H
#define ANALYZE_OVERVIEW_H

#include "analyze/head.h"
#include "analyze/losses.h"
#include "analyze/profile.h"

struct an_table_count {
	const struct tf_table *table;
	uint64_t rows, parts;
};

struct an_image_count {
	uint64_t images, named, nameless; /* that frames are in; with a symbol
					   * for at least one of them */
	uint64_t frames, named_frames;
};

struct an_overview {
	struct an_table_count *tables; /* those of the file's schema */
	size_t n_tables;
	struct an_profile profile;
	struct an_image_count images;
	struct an_lost lost;
	uint64_t t_min, t_max;  /* of samples; 0, 0: none */
	bool any;               /* samples */
	uint64_t switches;      /* rows */
	uint64_t readings;      /* of counters, of all series */
	uint64_t r_min, r_max;  /* their times; 0, 0: none */
	bool *unusable;         /* by event: its format cannot be printed with*/
	size_t n_unusable;
};

int an_overview_make(struct an_overview *out, struct an_trace *t,
		     struct err *err);
void an_overview_fini(struct an_overview *o);

#endif
