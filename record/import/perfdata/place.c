#include "record/import/perfdata/place.h"

#include <inttypes.h>
#include <stdio.h>

void rec_pd_place_text(char to[REC_PD_PLACE_TEXT], uint64_t at)
{
	uint64_t file = at >> REC_PD_PLACE_FILE;
	uint64_t offset = at & ((UINT64_C(1) << REC_PD_PLACE_FILE) - 1);

	if (file)
		snprintf(to, REC_PD_PLACE_TEXT, "data.%" PRIu64 ": record at "
			 "offset %" PRIu64, file - 1, offset);
	else
		snprintf(to, REC_PD_PLACE_TEXT, "record at offset %" PRIu64,
			 offset);
}
