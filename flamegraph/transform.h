/* Rebuilding a tree under other frames. */
#ifndef FG_TRANSFORM_H
#define FG_TRANSFORM_H

#include "tree.h"

/* Interns in `dst` what `frame` of `t` is to be called there. */
typedef int fg_rename(const struct fg_tree *t, uint32_t frame,
		      struct fg_tree *dst, uint32_t *out);

/* A new tree with the renamed frames and no nodes; (*frame_of)[i] is what frame
 * i became there. The caller frees both. */
int fg_rename_frames(const struct fg_tree *t, fg_rename *rename,
		     struct fg_tree **out, uint32_t **frame_of);

/* Makes the nodes of `t` in such a tree; those that become alike are merged.
 * With `join` a child that has its parent's frame is merged into the parent. */
int fg_rebuild(const struct fg_tree *t, const uint32_t *frame_of, bool join,
	       struct fg_tree *dst);

#endif
