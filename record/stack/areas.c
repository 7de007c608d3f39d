#include "record/stack/areas.h"

struct rec_covering rec_areas_covering(const struct rec_side *of, uint64_t ip,
				       enum tf_frame_kind kind)
{
	struct rec_covering c = { NULL, of->mm };

	if (!of->mm)
		return c;
	c.map = rec_mm_find(of->mm, ip, of->time);
	if (c.map || kind != TF_FRAME_EXACT || !of->mm->before)
		return c;
	c.map = rec_mm_find(of->mm->before, ip, of->mm->from);
	if (c.map)
		c.mm = of->mm->before;
	return c;
}

static struct rec_area area_of(const struct rec_side *of, uint64_t ip,
			       enum tf_frame_kind kind)
{
	struct rec_area area = { .start = ip, .image = REC_IMAGE_UNKNOWN };
	struct rec_covering c;

	if (!of->mm)
		return rec_kernel_area(of->kernel, ip);
	c = rec_areas_covering(of, ip, kind);
	if (!c.map)
		return area;
	/* Of the old address space only this one. */
	if (c.mm == of->mm) {
		area.start = c.map->start;
		area.size = c.map->end - c.map->start;
	}
	area.image = c.map->image;
	if (of->images->items[c.map->image].kind != TF_IMAGE_ANON)
		area.add = c.map->offset - c.map->start;
	return area;
}

const struct rec_area *rec_areas_find(const struct rec_side *of, uint64_t ip,
				      enum tf_frame_kind kind)
{
	struct rec_areas *a = of->areas;
	bool early = of->mm && of->time < of->mm->changed;

	for (unsigned i = 0; !early && i < REC_AREAS; i++)
		if (ip - a->items[i].start < a->items[i].size)
			return a->now = &a->items[i];
	a->none = area_of(of, ip, kind);
	if (early || !a->none.size)
		return &a->none;
	a->now = &a->items[a->next];
	a->items[a->next] = a->none;
	a->next = (a->next + 1) % REC_AREAS;
	return a->now;
}
