#include "record/state/cgroups.h"

/* Machines have a few thousand, of a hundred bytes. */
#define SIZE_MAX_KEPT ((size_t)32 << 20)

void rec_cgroups_fini(struct rec_cgroups *c)
{
	intern_fini(&c->paths);
	map64_fini(&c->ids);
}

bool rec_cgroups_put(struct rec_cgroups *c, uint64_t id, struct span path)
{
	uint32_t number, *at;
	bool fresh;

	if (intern_size(&c->paths) > SIZE_MAX_KEPT)
		return true;
	if (!intern_put(&c->paths, path.p, path.n, &number, NULL))
		return false;
	at = map64_put(&c->ids, id, number, &fresh);
	if (at)
		*at = number;
	return at != NULL;
}

struct span rec_cgroups_path(const struct rec_cgroups *c, uint64_t id)
{
	uint32_t number;

	if (!map64_get(&c->ids, id, &number))
		return span_of("", 0);
	return intern_get(&c->paths, number);
}
