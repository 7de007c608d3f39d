/* An intake that is filled by a test, and the trace that comes of it. */
#ifndef TESTS_INTAKEBACK_H
#define TESTS_INTAKEBACK_H

#include "analyze/trace.h"
#include "format/base/buf.h"
#include "format/base/log.h"
#include "record/import/intake.h"
#include "tests/support/rowsback.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IB_NONE UINT64_MAX /* no address, no offset */

struct intakeback {
	char path[64];
	struct log log;
	struct rec_intake *in;
	struct buf file;
	struct an_trace *trace;
};

/* Anything that goes wrong fails the test, here and below. */
void ib_begin(struct intakeback *f, bool nameless);
/* Closes the trace and opens it again, for reading. */
void ib_turn(struct intakeback *f);
/* The same without a look at each reference, which takes the square of their
 * number. */
void ib_turn_large(struct intakeback *f);
void ib_end(struct intakeback *f);

struct span ib_text(const char *s);

/* -- What goes in ---------------------------------------------------------- */

size_t ib_event(struct intakeback *f, const char *name);

/* test:NAME with one field, `int count` at offset 8 of 12 bytes. */
extern const char ib_format[];
size_t ib_tracepoint(struct intakeback *f, const char *name);

/* A sample of period 10 on CPU 1. */
struct rec_record ib_sample(int32_t pid, int32_t tid, uint64_t time,
			    uint16_t misc, uint64_t ip);
void ib_put(struct intakeback *f, size_t event, struct rec_record r);
void ib_put_chain(struct intakeback *f, size_t event, struct rec_record r,
		  const uint64_t *words, size_t n);

void ib_tell(struct intakeback *f, struct rec_record r);
struct rec_record ib_comm(int32_t pid, int32_t tid, uint64_t time,
			  const char *name, bool exec);
/* pid -1: of the kernel. */
struct rec_record ib_mapped(int32_t pid, uint64_t time, uint64_t start,
			    uint64_t size, uint64_t offset, const char *path);
/* The pid namespace of a process, by its inode. */
struct rec_record ib_namespaces(int32_t pid, uint64_t time, uint64_t inode);
struct rec_record ib_cgroup(uint64_t id, const char *path);

/* An image whose name begins with "[k" is the kernel's. */
struct rec_named_frame ib_named(const char *image, const char *symbol,
				uint64_t address, uint64_t offset);
/* Of thread 5. */
void ib_put_named(struct intakeback *f, size_t event, uint64_t time,
		  const struct rec_named_frame *frames, size_t n);

/* -- What comes out -------------------------------------------------------- */

void ib_rows(struct intakeback *f, struct rowsback *rows, uint32_t table);

/* The innermost frame first: "PATH:ADDRESS=FUNCTION+OFFSET …", "|" between the
 * kernel's part, the innermost frame in it, and that of user space. */
#define IB_STACK 1024
const char *ib_stack(const struct intakeback *f,
		     const struct rowsback_row *row, char to[IB_STACK]);
const char *ib_comm_of(const struct intakeback *f,
		       const struct rowsback_row *row);
uint64_t ib_lost(const struct intakeback *f, enum tf_loss_kind kind);

/* Turns, compares the stacks of all samples, and ends. */
void ib_check_stacks(struct intakeback *f, const char *const *want, size_t n);

#endif
