/* How a frame is spelled in folded text: name, kind and suffix. */
#ifndef FG_FRAME_TEXT_H
#define FG_FRAME_TEXT_H

#include "tree.h"

/* The suffix of a kind, "" where it has none. */
const char *fg_kind_suffix(enum fg_kind kind);

/* Interns the frame spelled by the `size` bytes at `s`, which hold no ';'. */
int fg_frame_spelled(struct fg_tree *tree, const char *s, size_t size,
		     uint32_t *out);

/* Interns in `dst` what a reader of the folded text would make of `frame` of
 * `t`; an fg_rename. */
int fg_frame_safe(const struct fg_tree *t, uint32_t frame, struct fg_tree *dst,
		  uint32_t *out);

#endif
