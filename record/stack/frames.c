#include "record/stack/frames.h"

#include "format/base/mem.h"

#include <string.h>

#define KNOWN_SIZE (REC_KNOWN * sizeof(struct rec_known))

int rec_frames_init(struct rec_frames *f, struct rec_defs *defs,
		    struct rec_names *names, struct err *err)
{
	*f = (struct rec_frames){
		.defs = defs,
		.names = names,
		.known = mem_table(KNOWN_SIZE),
	};
	return f->known ? 0 : err_nomem(err);
}

void rec_frames_alone(struct rec_frames *f)
{
	if (f->known)
		mem_table_free(f->known, KNOWN_SIZE);
	f->known = NULL;
}

void rec_frames_fini(struct rec_frames *f)
{
	rec_frames_alone(f);
	*f = (struct rec_frames){ 0 };
}

void rec_frames_forget(struct rec_frames *f)
{
	if (f->known)
		memset(f->known, 0, KNOWN_SIZE);
}

static void keep(struct rec_frames *f, const struct rec_spot *at, uint32_t id)
{
	struct rec_known *pair = rec_frames_pair(f, at);

	/* Of two that share a place, the one that was learnt first goes. */
	pair[1] = pair[0];
	pair[0] = (struct rec_known){ at->address, rec_spot_where(at), id + 1 };
}

uint32_t rec_frames_learn(struct rec_frames *f, const struct rec_side *of,
			  const struct rec_spot *at)
{
	struct rec_covering c = rec_areas_covering(of, at->ip, at->kind);
	bool fresh = false;
	uint32_t id;

	rec_defs_lock(f->defs);
	rec_names_image(f->names, at->image, c.map ? c.mm : NULL, c.map);
	id = rec_defs_frame(f->defs, at->image, at->address, at->kind, &fresh);
	if (fresh)
		rec_names_frame(f->names, at->image, at->address, at->kind);
	rec_defs_unlock(f->defs);
	if (f->known)
		keep(f, at, id);
	return id;
}
