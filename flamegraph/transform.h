/* Rebuilding a tree under other frames. */
#ifndef FG_TRANSFORM_H
#define FG_TRANSFORM_H

#include "tree.h"

/* Interns in `dst` what `frame` of `t` is to be called there. */
typedef int fg_rename(const struct fg_tree *t, uint32_t frame,
		      struct fg_tree *dst, uint32_t *out);

/* A new tree with every frame renamed; nodes that become alike are merged. With
 * `join` a child that has its parent's frame is merged into the parent. */
int fg_remap(const struct fg_tree *t, fg_rename *rename, bool join,
	     struct fg_tree **out);

#endif
