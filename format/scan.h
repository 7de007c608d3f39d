/* Finds the chunks of a file by hopping from header to header, and behind
 * damage by searching for the next sound one. */
#ifndef FORMAT_SCAN_H
#define FORMAT_SCAN_H

#include "format/index.h"
#include "format/io.h"
#include "format/reader.h"

struct tf_scan {
	struct tf_index chunks;
	struct tf_gap *gaps;
	size_t n_gaps, gaps_cap;
	enum tf_ending ending;
	uint64_t end;  /* of the trace in the file */
};

void tf_scan_fini(struct tf_scan *s); /* a zeroed one is fine */

/* Fills a zeroed scan from the first chunk, at `begin`. Damage is no failure.*/
int tf_scan_run(struct tf_scan *s, struct tf_source *source,
		const uint8_t file_id[TF_FILE_ID_SIZE], uint64_t begin,
		struct err *err);

#endif
