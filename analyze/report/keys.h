/* What rows of a report are told apart by: a key is a row of an_keys. */
#ifndef ANALYZE_REPORT_KEYS_H
#define ANALYZE_REPORT_KEYS_H

#include "analyze/out/table.h"
#include "analyze/trace.h"
#include "format/base/buf.h"
#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum an_side { AN_SIDE_THREAD, AN_SIDE_FRAME }; /* whose id a key looks at */

/* A field of a key in CSV and JSON. */
struct an_key_field {
	const char *column;
	enum an_cell_kind kind;
	void (*text)(const struct an_trace *t, uint32_t id, struct buf *to);
	uint64_t (*number)(const struct an_trace *t, uint32_t id);
};

#define AN_KEY_FIELDS 2
struct an_key {
	const char *name, *alias; /* alias may be NULL */
	const char *title;        /* in text */
	enum an_side side;
	/* Ids with the same identity are one row. */
	uint64_t (*identity)(const struct an_trace *t, uint32_t id);
	/* Whether the group is better shown by `id`; NULL: by the first one.*/
	bool (*better)(const struct an_trace *t, uint32_t id, uint32_t than);
	void (*show)(const struct an_trace *t, uint32_t id, struct buf *to);
	struct an_key_field fields[AN_KEY_FIELDS];
};

extern const struct an_key an_keys[]; /* ended by a row without a name */

#define AN_MAX_KEYS 8
struct an_sort { /* the chosen keys, in the order asked for */
	const struct an_key *keys[AN_MAX_KEYS];
	size_t n;
};

/* "comm,dso,sym". ERR_USAGE names an unknown key and lists the known ones. */
int an_sort_parse(struct an_sort *out, const char *text, struct err *err);
bool an_sort_has(const struct an_sort *s, const char *name);

/* Adds the key of that name at the end, unless it is chosen already. */
void an_sort_add(struct an_sort *s, const char *name);

/* What to call a frame where its image is not named beside it: the symbol, or
 * its shared object in brackets. */
void an_frame_label(const struct an_trace *t, uint32_t frame, struct buf *to);

#endif
