/* Flame graphs: stacks with weights in, folded text or one SVG picture out.
 *
 * Needs libc alone. Every function that can fail returns 0 or -errno; one that
 * failed for want of memory (-ENOMEM) left the tree as it was and usable. A
 * tree belongs to one thread at a time. */
#ifndef FG_H
#define FG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How a frame was obtained. Decides its colour, and its suffix in folded text;
 * frames of equal name and different kind are different frames. */
enum fg_kind {
	FG_USER,	/* compiled code in a process */
	FG_KERNEL,	/* kernel and modules, folded as name_[k] */
	FG_JIT,		/* code made at run time, folded as name_[j] */
	FG_INLINED,	/* no frame of its own at run time, name_[i] */
	FG_PROCESS,	/* a command or thread name */
	FG_SPECIAL,	/* not code: [unknown], [truncated] ... */
	FG_N_KINDS
};

/* A prefix tree of stacks. Node 0 is the root, "all"; the children of a node
 * are called by it. Each node has a self weight; what is drawn for it is the
 * sum over the node and everything below it. */
struct fg_tree;

/* Makes an empty tree; release with fg_tree_free(). *out is set on success
 * only. fg_tree_free(NULL) does nothing. */
int fg_tree_new(struct fg_tree **out);
void fg_tree_free(struct fg_tree *tree);

/* Interns the frame `name` of `size` bytes, any bytes, which are copied. The
 * same name and kind give the same id. -EOVERFLOW: more than 2^32 - 2 frames,
 * or a name of 4 GiB. */
int fg_frame(struct fg_tree *tree, const char *name, size_t size,
	     enum fg_kind kind, uint32_t *out_frame);

/* The child of `parent` for `frame`, made if new. A child's id is greater than
 * its parent's. -EINVAL: no such node or frame. */
int fg_child(struct fg_tree *tree, uint32_t parent, uint32_t frame,
	     uint32_t *out_node);

/* Brings what that call will look at into the cache: for callers who know what
 * they will ask for next. */
void fg_child_soon(const struct fg_tree *tree, uint32_t parent,
		   uint32_t frame);

/* Adds to the self weight of `node`. -EOVERFLOW: the tree's sum would pass
 * UINT64_MAX; nothing is added. -EINVAL: no such node. */
int fg_add(struct fg_tree *tree, uint32_t node, uint64_t weight);

/* Adds to what `node` weighed in an earlier profile. The first call, even with
 * weight 0, makes the tree differential: pictures then show both sides. Widths
 * stay those of fg_add(). Errors as there. */
int fg_add_before(struct fg_tree *tree, uint32_t node, uint64_t weight);

/* Sum of all self weights; number of nodes without the root. */
uint64_t fg_tree_total(const struct fg_tree *tree);
uint32_t fg_tree_n_nodes(const struct fg_tree *tree);

/* New trees from a tree; the caller owns them. Reversed: the last callee first,
 * so that the first level shows self weights. Collapsed: a frame that calls
 * itself directly becomes one. */
int fg_reverse(const struct fg_tree *tree, struct fg_tree **out);
int fg_collapse(const struct fg_tree *tree, struct fg_tree **out);

/* How many numbers end a folded line. A frame's name may end in a number too,
 * so AUTO takes a file for differential only if every line ends in two. */
enum fg_columns { FG_COLUMNS_AUTO, FG_COLUMNS_ONE, FG_COLUMNS_TWO };

#define FG_MAX_BAD_SHOWN 8

/* What fg_read_folded() found; sums over the lines. */
struct fg_read_stats {
	uint64_t n_lines;	/* lines, the blank ones too */
	uint64_t n_stacks;	/* lines used */
	uint64_t n_fractions;	/* counts whose decimals were cut off */
	uint64_t n_bad;		/* lines left out: no count at their end */
	uint64_t bad_line[FG_MAX_BAD_SHOWN];	/* the first of them, from 1 */
	bool differential;	/* two columns */
};

/* Adds the stacks of a folded text (spec/folded.md) to the tree, to the end of
 * `in`. Bad lines are counted and left out. `stats` may be NULL. On -EOVERFLOW
 * the lines before the one that did not fit, and on -ENOMEM any number of
 * lines, have been added. A read error is -errno of the read, or -EIO. */
int fg_read_folded(struct fg_tree *tree, FILE *in, enum fg_columns columns,
		   struct fg_read_stats *stats);

/* Writes the stacks that weigh something as folded text, sorted, the same bytes
 * for the same stacks in any order. Names are made safe for the format
 * (spec/folded.md). Flushes; -errno when `out` could not take it all. */
int fg_write_folded(const struct fg_tree *tree, FILE *out);

/* Colours: rows of a table. fg_palette_at(0) is the default; NULL past the end,
 * and from fg_palette_find() for a name that is not there. */
struct fg_palette;
const struct fg_palette *fg_palette_at(size_t i);
const struct fg_palette *fg_palette_find(const char *name);
const char *fg_palette_name(const struct fg_palette *palette);
const char *fg_palette_summary(const struct fg_palette *palette);

/* The strings are UTF-8, owned by the caller; NULL takes the default. */
struct fg_options {
	const char *title;		/* "Flame graph" */
	const char *subtitle;		/* before the totals; none */
	const char *unit;		/* what weights count: "samples" */
	const struct fg_palette *palette;
	double width_px;		/* of the picture, 300 to 100000 */
	double min_width_px;		/* narrower frames are folded; 0: none */
	bool icicle;			/* root on top */
	bool no_script;			/* a still picture */
};

/* Sets the defaults: 1200 px wide, 0.1 px at least, everything else 0. */
void fg_options_init(struct fg_options *options);

/* Draws the tree; `options` may be NULL. Frames narrower than min_width_px are
 * folded, for each parent, into one "[n narrow frames]" box with their sum. A
 * tree that weighs nothing gives a picture which says "no samples". The bytes
 * depend on the stacks and the options alone, not on the order of the calls.
 * -EINVAL: a width out of range. Flushes; -errno when `out` failed. */
int fg_write_svg(const struct fg_tree *tree, const struct fg_options *options,
		 FILE *out);

#endif
