#include "record/stack/frames.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_SIZE (REC_KNOWN * sizeof(struct rec_known))

int rec_frames_init(struct rec_frames *f, struct rec_defs *defs,
		    struct rec_names *names, struct err *err)
{
	*f = (struct rec_frames){ .defs = defs, .names = names };
	f->known = mem_table(KNOWN_SIZE);
	return f->known ? 0 : err_nomem(err);
}

void rec_frames_fini(struct rec_frames *f)
{
	free(f->known);
	*f = (struct rec_frames){ 0 };
}

void rec_frames_forget(struct rec_frames *f)
{
	memset(f->known, 0, KNOWN_SIZE);
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
