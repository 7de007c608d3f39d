#include "record/state/build_ids.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

void rec_build_ids_fini(struct rec_build_ids *b)
{
	intern_fini(&b->paths);
	free(b->items);
	*b = (struct rec_build_ids){ 0 };
}

static bool is_zero(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i])
			return false;
	return true;
}

/* Files of old say 20 bytes whatever the size: what is left is zero. There are
 * ids of 8 (fast hashes), 16 (MD5, UUID) and 20 bytes (SHA-1). */
static size_t size_of(struct span id)
{
	static const uint8_t sizes[] = { 0, 8, 16 };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (id.n >= sizes[i] && is_zero(span_of(id.p + sizes[i],
							id.n - sizes[i])))
			return sizes[i];
	return id.n;
}

int rec_build_ids_put(struct rec_build_ids *b, struct span path, struct span id,
		      struct err *err)
{
	struct rec_told_id told = { .size = 0 };
	uint32_t at;

	id.n = id.n ? size_of(id) : 0;
	if (id.n > sizeof(told.bytes))
		return err_set(err, ERR_LIMIT, "a build-id of %zu bytes", id.n);
	if (!mem_grow(&b->items, &b->cap, b->n + 1, sizeof(*b->items)) ||
	    !intern_put(&b->paths, path.p, path.n, &at, NULL))
		return err_nomem(err);
	if (id.n)
		memcpy(told.bytes, id.p, id.n);
	told.size = (uint8_t)id.n;
	b->items[at] = told;
	b->n = b->paths.n;
	return 0;
}

void rec_build_ids_fill(const struct rec_build_ids *b, struct span path,
			struct rec_image *image)
{
	uint32_t at;

	if (image->build_id_size ||
	    !intern_find(&b->paths, path.p, path.n, &at))
		return;
	memcpy(image->build_id, b->items[at].bytes, sizeof(image->build_id));
	image->build_id_size = b->items[at].size;
}
