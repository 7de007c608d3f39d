/* A line of a stack, as perf script prints it: "addr sym+0xoff (dso)" and what
 * is left of that without some of the fields. */
#ifndef RECORD_IMPORT_TEXT_FRAME_H
#define RECORD_IMPORT_TEXT_FRAME_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_text_frame {
	struct span image;   /* as it stands there; empty: not told, or
			      * "[unknown]" */
	struct span symbol;  /* without the offset; empty: not told or unknown */
	uint64_t address, offset;
	bool has_address, has_offset;
	bool inlined;        /* into the frame behind it, whose image it has */
};

/* Spans point into the line. false: it is none. */
bool rec_text_frame(struct span line, struct rec_text_frame *out);

/* Whether it is the place in a source file that may follow a frame: "a.c:12",
 * "ld.so[1a2b]" after two blanks. */
bool rec_text_is_source_line(struct span line);

/* Whether a frame lies in the kernel, as far as its image tells: what has none is
 * unknown, wherever it lies. The address is that of BPF programs. */
bool rec_text_in_kernel(struct span image, uint64_t address, bool has_address);

#endif
