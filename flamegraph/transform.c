/* Trees made from trees. */
#include "transform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Carries both weights of `from` over to `to` in another tree. */
static int move_weights(const struct fg_tree *t, size_t from,
			struct fg_tree *dst, uint32_t to)
{
	int rc = fg_add(dst, to, t->nodes[from].self);

	if (!rc && t->before)
		rc = fg_add_before(dst, to, t->before[from]);
	return rc;
}

static int copy_frames(const struct fg_tree *t, struct fg_tree *dst)
{
	int rc = 0;
	uint32_t same;

	for (uint32_t i = 0; !rc && i < t->n_frames; i++)
		rc = fg_frame(dst, tree_name(t, i), t->frames[i].size,
			      t->frames[i].kind, &same);
	return rc;
}

static int put_reversed(const struct fg_tree *t, size_t node,
			struct fg_tree *dst)
{
	uint32_t to = FG_ROOT;
	int rc = 0;

	for (size_t i = node; !rc && i != FG_ROOT; i = t->nodes[i].parent)
		rc = fg_child(dst, to, t->nodes[i].frame, &to);
	return rc ? rc : move_weights(t, node, dst, to);
}

int fg_reverse(const struct fg_tree *t, struct fg_tree **out)
{
	struct fg_tree *dst;
	int rc = fg_tree_new(&dst);

	if (rc)
		return rc;
	rc = copy_frames(t, dst);
	for (size_t i = 0; !rc && i < t->n_nodes; i++)
		if (t->nodes[i].self || (t->before && t->before[i]))
			rc = put_reversed(t, i, dst);
	if (rc) {
		fg_tree_free(dst);
		return rc;
	}
	*out = dst;
	return 0;
}

/* Parents come first. */
int fg_rebuild(const struct fg_tree *t, const uint32_t *frame_of, bool join,
	       struct fg_tree *dst)
{
	uint32_t *node_of = calloc(t->n_nodes, sizeof(*node_of));
	int rc = node_of ? move_weights(t, FG_ROOT, dst, FG_ROOT) : -ENOMEM;

	for (size_t i = 1; !rc && i < t->n_nodes; i++) {
		uint32_t parent = node_of[t->nodes[i].parent];
		uint32_t frame = frame_of[t->nodes[i].frame];

		if (join && dst->nodes[parent].frame == frame)
			node_of[i] = parent;
		else
			rc = fg_child(dst, parent, frame, &node_of[i]);
		if (!rc)
			rc = move_weights(t, i, dst, node_of[i]);
	}
	free(node_of);
	return rc;
}

int fg_rename_frames(const struct fg_tree *t, fg_rename *rename,
		     struct fg_tree **out, uint32_t **frame_of)
{
	uint32_t *to = calloc(t->n_frames + 1, sizeof(*to));
	struct fg_tree *dst = NULL;
	int rc = to ? fg_tree_new(&dst) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < t->n_frames; i++)
		rc = rename(t, i, dst, &to[i]);
	if (rc) {
		free(to);
		fg_tree_free(dst);
		return rc;
	}
	*out = dst;
	*frame_of = to;
	return 0;
}

static int same_name(const struct fg_tree *t, uint32_t frame,
		     struct fg_tree *dst, uint32_t *out)
{
	return fg_frame(dst, tree_name(t, frame), t->frames[frame].size,
			t->frames[frame].kind, out);
}

int fg_collapse(const struct fg_tree *t, struct fg_tree **out)
{
	uint32_t *frame_of = NULL;
	struct fg_tree *dst = NULL;
	int rc = fg_rename_frames(t, same_name, &dst, &frame_of);

	if (!rc)
		rc = fg_rebuild(t, frame_of, true, dst);
	free(frame_of);
	if (rc) {
		fg_tree_free(dst);
		return rc;
	}
	*out = dst;
	return 0;
}
