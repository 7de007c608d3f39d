#include "record/symbol/notes.h"

#include <elf.h>
#include <string.h>

static size_t padded(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

struct span rec_notes_build_id(struct span notes)
{
	uint32_t name_size, size, type;

	while (span_u32(&notes, &name_size) && span_u32(&notes, &size) &&
	       span_u32(&notes, &type)) {
		struct span name, body;

		if (!span_take(&notes, padded(name_size), &name) ||
		    !span_take(&notes, padded(size), &body))
			break;
		body.n = size;
		if (type == NT_GNU_BUILD_ID && name_size == sizeof("GNU") &&
		    !memcmp(name.p, "GNU", sizeof("GNU")))
			return body;
	}
	return (struct span){ 0 };
}
