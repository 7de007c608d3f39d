/* Which colour a box has: its class, and the style rules behind the classes. */
#ifndef FG_COLOR_H
#define FG_COLOR_H

#include "emit.h"
#include "fg.h"

/* What a colour may depend on. */
struct fg_facts {
	enum fg_kind kind;
	uint32_t hash;			/* of the name */
	double share, share_before;	/* of the totals, 0 to 1 */
};

/* An entry of the legend: a class and what it means. */
struct fg_legend {
	char class_name[8];
	const char *text;
};

#define FG_MAX_LEGEND 16

/* The class of a box, such as "u7", to `to`. */
void fg_color_class(const struct fg_palette *palette,
		    const struct fg_facts *facts, char to[8]);

/* Style rules for light and dark, for the kinds whose bit is in `kinds`. */
void fg_color_css(const struct fg_palette *palette, unsigned kinds,
		  struct fg_emit *e);

/* The legend for these kinds; returns the number of entries. */
size_t fg_color_legend(const struct fg_palette *palette, unsigned kinds,
		       struct fg_legend to[FG_MAX_LEGEND]);

#endif
