#include "record/stack/frames.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

int rec_frames_init(struct rec_frames *f, struct rec_defs *defs,
		    struct rec_names *names, struct err *err)
{
	*f = (struct rec_frames){ .defs = defs, .names = names };
	return rec_frames_widen(f, REC_KNOWN, err);
}

int rec_frames_widen(struct rec_frames *f, size_t n, struct err *err)
{
	struct rec_known *known = mem_table(n * sizeof(*known));

	if (!known)
		return err_nomem(err);
	free(f->known);
	f->known = known;
	f->n_known = n;
	return 0;
}

void rec_frames_fini(struct rec_frames *f)
{
	free(f->known);
	*f = (struct rec_frames){ 0 };
}

void rec_frames_forget(struct rec_frames *f)
{
	memset(f->known, 0, f->n_known * sizeof(*f->known));
}

uint32_t rec_frames_learn(struct rec_frames *f, const struct rec_side *of,
			  const struct rec_spot *at)
{
	struct rec_known *pair = rec_frames_pair(f, at);
	struct rec_covering c = rec_areas_covering(of, at->ip, at->kind);
	bool fresh = false;
	uint32_t id;

	rec_defs_lock(f->defs);
	rec_names_image(f->names, at->image, c.map ? c.mm : NULL, c.map);
	id = rec_defs_frame(f->defs, at->image, at->address, at->kind, &fresh);
	if (fresh)
		rec_names_frame(f->names, at->image, at->address, at->kind);
	rec_defs_unlock(f->defs);
	/* Of two that share a place, the one that was learnt first goes. */
	pair[1] = pair[0];
	pair[0] = (struct rec_known){ at->address, rec_spot_where(at), id + 1 };
	return id;
}
