/* Names for addresses, by a separate process: rec hands over images (with an
 * open descriptor) and addresses as they are first touched, and takes answers
 * when they come. The other side parses ELF files and kallsyms, which other
 * users may have written: it runs without privileges and under limits. */
#ifndef RECORD_SYMBOL_SYMBOLS_H
#define RECORD_SYMBOL_SYMBOLS_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_symbols;

struct rec_symbols_config {
	const char *root;  /* prefix of /proc and /sys, "" for the real ones */
	size_t max_queued; /* bytes of requests waiting to be sent; beyond, the
			    * oldest are dropped and counted. 0: 8 MiB */
	const struct log *log;
};

/* Starts the process. Afterwards the recorder's own descriptors are closed in
 * it, it has no privileges (setuid/setgid to an unused id where root, no new
 * privileges), and limited memory and CPU. */
int rec_symbols_start(struct rec_symbols **out,
		      const struct rec_symbols_config *cfg, struct err *err);

struct rec_symbol_image {
	uint32_t key;             /* rec's number for it */
	uint8_t kind;             /* enum tf_image_kind */
	const char *path;         /* as mapped; for messages and modules */
	const uint8_t *build_id;  /* or NULL: not known */
	size_t build_id_size;
};

/* Introduces an image before its first address. `fd` is the open file or -1;
 * it is always taken over, also on failure. Kernel and module images need no
 * descriptor: rec_symbols_start() opened kallsyms and modules. */
int rec_symbols_image(struct rec_symbols *s,
		      const struct rec_symbol_image *image, int fd,
		      struct err *err);

/* Asks for the function around `address` (by the image's kind, see
 * format/catalog.h). Never blocks. Ask once per address. */
int rec_symbols_want(struct rec_symbols *s, uint32_t key, uint64_t address,
		     struct err *err);

/* What was answered may be asked for again: each function is reported once more
 * where an address in it comes. */
void rec_symbols_forget(struct rec_symbols *s);

/* Addresses and images that are on their way there, or their answers back. */
uint64_t rec_symbols_pending(const struct rec_symbols *s);

struct rec_symbol {
	uint32_t key;
	uint64_t start, size;     /* in the image; where nothing was found:
				   * start = the address, size = 1 */
	struct span name;         /* demangled; empty: nothing found */
	struct span linkage;      /* empty: the same as name */
};

/* Sends what waits and takes the answers that came, without blocking. Each
 * function of an image is reported once. A build-id found by the process in
 * an image that came without one is reported through `image`. */
struct rec_symbols_events {
	void (*symbol)(void *ctx, const struct rec_symbol *s);
	void (*build_id)(void *ctx, uint32_t key, struct span build_id);
	/* An image that cannot be used, and why: "build-id differs". */
	void (*trouble)(void *ctx, uint32_t key, const char *why);
	void *ctx;
};
int rec_symbols_poll(struct rec_symbols *s,
		     const struct rec_symbols_events *on, struct err *err);

int rec_symbols_fd(const struct rec_symbols *s); /* readable: answers wait */
pid_t rec_symbols_pid(const struct rec_symbols *s); /* of the process */
bool rec_symbols_wants_write(const struct rec_symbols *s);

/* Waits until all is answered, at most timeout_ns; 1: time ran out. */
int rec_symbols_drain(struct rec_symbols *s,
		      const struct rec_symbols_events *on, uint64_t timeout_ns,
		      struct err *err);

uint64_t rec_symbols_unanswered(const struct rec_symbols *s);
uint64_t rec_symbols_dropped(const struct rec_symbols *s);

/* Ends the process. NULL is fine. */
void rec_symbols_free(struct rec_symbols *s);

#endif
