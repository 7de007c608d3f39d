/* Addresses one behind another that lie in one image, also one behind another. */
#ifndef RECORD_STATE_AREA_H
#define RECORD_STATE_AREA_H

#include <stdint.h>

struct rec_area {
	uint64_t start, size; /* size 0: it holds for `start` alone */
	uint64_t add;         /* to an address: its address in the image */
	uint32_t image;       /* index in struct rec_images */
};

#endif
