/* Where kernel code is: the kernel itself, its modules, BPF programs. */
#ifndef RECORD_STATE_KERNEL_H
#define RECORD_STATE_KERNEL_H

#include "format/base/err.h"
#include "record/perf/decode.h"
#include "record/state/area.h"
#include "record/state/build_ids.h"
#include "record/state/images.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_kernel_area {
	uint64_t start, end;
	uint32_t image;
};

struct rec_kernel {
	uint64_t text;  /* address of _text; 0: not shown to us */
	uint64_t start, end; /* of a foreign kernel, as its recording tells; of
			      * this machine's: 0 */
	uint32_t image; /* index of the kernel's image */
	struct rec_kernel_area *areas; /* modules and BPF, the newest last */
	size_t n;
	size_t cap;
	uint64_t serial; /* as that of struct rec_mm */
	uint64_t serials; /* given out so far, to it and to address spaces */
};

/* Reads kallsyms (only up to _text), modules and build-ids under `root`. What
 * cannot be read is left out: the kernel is then named by nothing. */
int rec_kernel_init(struct rec_kernel *k, struct rec_images *images,
		    const char *root, struct err *err);
void rec_kernel_fini(struct rec_kernel *k);

/* A mapping that a recording made elsewhere tells: of the kernel itself, whose
 * offset is the address of _text there, or of a module. */
int rec_kernel_map(struct rec_kernel *k, struct rec_images *images,
		   const struct rec_mmap *m, const struct rec_build_ids *ids,
		   struct err *err);

/* The build-id of the kernel has become known: it is another image from now
 * on. */
int rec_kernel_identify(struct rec_kernel *k, struct rec_images *images,
			const struct rec_build_ids *ids, struct err *err);

/* A BPF program or trampoline came or went. */
int rec_kernel_ksymbol(struct rec_kernel *k, struct rec_images *images,
		       const struct rec_ksymbol *s, struct err *err);

/* The image of a kernel address and the address in it. */
uint32_t rec_kernel_find(const struct rec_kernel *k, uint64_t ip,
			 uint64_t *address);

/* The same for all addresses around `ip` of which the answer is of one kind. */
struct rec_area rec_kernel_area(const struct rec_kernel *k, uint64_t ip);

#endif
