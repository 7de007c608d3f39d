/* The measures of a picture. Lengths are in 1 / FG_FIXED px. */
#ifndef FG_PAGE_H
#define FG_PAGE_H

#include "emit.h"
#include "layout.h"

#define FG_PX FG_FIXED

enum {
	PAGE_PAD = 12,		/* px, left, right and below */
	PAGE_TOP = 82,		/* px, above the frames */
	PAGE_ROW = 18,		/* px, from level to level */
	PAGE_BOX = 17,		/* px, height of a box */
	PAGE_TEXT_DY = 13,	/* px, from a box's top to its base line */
	PAGE_TEXT_DX = 4,	/* px, from a box's edge to its text */
};

/* A column of the boxes' font: 12 px at 0.602 em, as the widest common ones. */
#define PAGE_COLUMN (FG_PX * 723 / 100)

struct fg_page {
	const struct fg_tree *tree;
	const struct fg_layout *layout;
	const struct fg_options *options;	/* every field set */
	uint64_t width;		/* of the root's box */
	uint64_t height_px;	/* of the picture */
};

/* A weight as a length, rounded once: weight / total * width. */
uint64_t fg_page_length(const struct fg_page *page, uint64_t weight);

/* The least weight that is `min_px` wide; 1 at least. */
uint64_t fg_page_least(uint64_t total, uint64_t width, double min_px);

/* Top of a level's boxes, px. */
uint64_t fg_page_y(const struct fg_page *page, uint32_t level);

/* One box with its title and text. */
void fg_emit_box(struct fg_emit *e, const struct fg_page *page,
		 const struct fg_box *box);

#endif
