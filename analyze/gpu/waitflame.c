#include "analyze/gpu/waitflame.h"

#include "analyze/flame.h"
#include "analyze/profile.h"

#include "format/catalog.h"

#define MAX_FRAMES (2 * TF_MAX_STACK_DEPTH + 1)

static enum fg_kind kind_of(const struct an_trace *t, const struct an_frame *f)
{
	if (f->kernel)
		return FG_KERNEL;
	switch (an_image_of(t, f->image)->kind) {
	case TF_IMAGE_SPECIAL:
	case TF_IMAGE_UNKNOWN:
		return FG_SPECIAL;
	case TF_IMAGE_ANON:
		return FG_JIT;
	default:
		return FG_USER;
	}
}

static int add_frame(struct fg_tree *tree, struct span name, enum fg_kind kind,
		     uint32_t *node)
{
	uint32_t frame;
	int rc = fg_frame(tree, (const char *)name.p, name.n, kind, &frame);

	return rc ? rc : fg_child(tree, *node, frame, node);
}

static int add_group(struct fg_tree *tree, const struct an_gpu *g,
		     const struct an_wait_group *w, uint32_t *frames)
{
	const struct an_wait *first = &g->fences.waits[w->first];
	const struct an_place place = { .ip = first->ip, .flags = first->flags,
					.kstack = w->kstack,
					.ustack = w->ustack };
	uint32_t node = 0;
	size_t n = 0;
	int rc = add_frame(tree, an_string(g->t, an_thread_of(g->t,
							w->thread)->comm),
			   FG_PROCESS, &node);

	if (w->kstack || w->ustack)
		n = an_place_frames(g->t, &place, frames, MAX_FRAMES);
	while (n && !rc) {
		uint32_t frame = frames[--n];

		rc = add_frame(tree, an_frame_name(g->t, frame),
			       kind_of(g->t, an_frame_of(g->t, frame)), &node);
	}
	return rc ? rc : fg_add(tree, node, w->total_ns);
}

int an_wait_tree(struct fg_tree **out, const struct an_gpu *g,
		 const struct an_wait_groups *groups, struct err *err)
{
	uint32_t frames[MAX_FRAMES];
	struct fg_tree *tree;
	int rc = fg_tree_new(&tree);

	if (rc)
		return an_flame_err(rc, err, "flame graph");
	for (size_t i = 0; i < groups->n && !rc; i++)
		rc = add_group(tree, g, &groups->v[i], frames);
	if (rc) {
		fg_tree_free(tree);
		return an_flame_err(rc, err, "flame graph");
	}
	*out = tree;
	return 0;
}
