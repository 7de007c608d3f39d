/* What every importer fills: a trace made of somebody else's recording. Nothing
 * of this machine gets into it: no /proc, no kallsyms; files only where their
 * build-id is the recorded one.
 *
 * Things come in order of time, as they did when they were recorded; what is
 * older than the row before is taken, and counted as late. */
#ifndef RECORD_IMPORT_INTAKE_H
#define RECORD_IMPORT_INTAKE_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/span.h"
#include "format/catalog.h"
#include "record/perf/decode.h"
#include "record/perf/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_intake;
struct rec_stop;

struct rec_intake_config {
	const char *output;      /* path of the trace, "-": standard output */
	const char *input;       /* what it is made of; fact import.source */
	const struct log *log;
	struct rec_stop *stop;   /* ends it: no more rows are taken then, and
				  * nobody waits for names; NULL: nothing does*/
	bool nameless;           /* nobody is asked for names: for tests */
};

int rec_intake_new(struct rec_intake **out, const struct rec_intake_config *cfg,
		   struct err *err);
void rec_intake_free(struct rec_intake *in); /* NULL is fine */

/* Closes the trace. `why`: how the recording ended ("end of the file", "it is
 * cut short at …"), fact ended_by. Without any row or event the output is not
 * left behind. */
int rec_intake_finish(struct rec_intake *in, const char *why, struct err *err);

/* -- What was recorded, and where ------------------------------------------ */

/* Facts as spec/tables.md names them (hostname, release, arch, cpus, command …)
 * and import.format. A key of "note.…" is a remark at the head of reports. */
void rec_intake_fact(struct rec_intake *in, const char *key, const char *fmt,
		     ...) __attribute__((format(printf, 3, 4)));

/* A further event, at any time; *e is copied. With `system` and `tracepoint`
 * and the text of its format file it gets a table of its own, whose rows take
 * their payload from rec_sample.raw; without the text, the rows of `sample`. An
 * event of the same name, and format, is the same one. */
int rec_intake_event(struct rec_intake *in, const struct rec_event *e,
		     struct span format, size_t *index, struct err *err);

/* The build-id of what is mapped by this path, from now on. `kind` as
 * rec_image_kind() would say, or the kernel's for its own image. */
int rec_intake_build_id(struct rec_intake *in, enum tf_image_kind kind,
			struct span path, struct span build_id,
			struct err *err);

/* The name of a thread since before the recording, where no record tells. */
int rec_intake_comm(struct rec_intake *in, int32_t pid, int32_t tid,
		    struct span comm, struct err *err);

/* The file's clock and the others at one moment, ns; 0: not known. */
void rec_intake_clock(struct rec_intake *in, uint64_t monotonic,
		      uint64_t realtime, uint64_t boottime);

/* /proc/kallsyms of the recorded kernel, before the first row: names its
 * addresses and those of its modules, also where payloads hold them. One that
 * shows no addresses, or not where the kernel is, is a remark. */
int rec_intake_kallsyms(struct rec_intake *in, struct span text,
			struct err *err);

/* -- What happened --------------------------------------------------------- */

/* A side-band record (mappings of the kernel and its modules are those with pid
 * -1), a switch, a LOST. */
int rec_intake_record(struct rec_intake *in, const struct rec_record *r,
		      struct err *err);

/* A sample of event `event`; r->sample has what its kind of event has: chain,
 * raw, period. `chained`: the event asked for chains. */
int rec_intake_sample(struct rec_intake *in, size_t event,
		      const struct rec_record *r, bool chained,
		      struct err *err);

/* The registers and the stack of user space that a sample carries (user_regs,
 * user_stack), once the sample itself was given. `mask`: which registers; kept
 * to be unwound later. */
int rec_intake_dump(struct rec_intake *in, size_t event,
		    const struct rec_record *r, uint64_t mask,
		    struct err *err);

/* A frame of a text that names functions. */
struct rec_named_frame {
	struct span image;     /* as it is shown: a path, "[kernel.kallsyms]";
				* empty: not told */
	struct span symbol;    /* empty: unknown */
	uint64_t address;      /* with has_address */
	uint64_t offset;       /* of the address in the symbol */
	bool has_address, has_offset;
	bool kernel;
};

/* The same with names instead of r->sample.chain, the innermost frame first;
 * r->sample.raw may be there. The innermost one is where the sample was. A
 * function lies where it was seen first, whatever other processes' frames say;
 * of an address without an offset it is the beginning. */
int rec_intake_named(struct rec_intake *in, size_t event,
		     const struct rec_record *r,
		     const struct rec_named_frame *frames, size_t n,
		     struct err *err);

/* A line of trace_marker or the like. */
int rec_intake_mark(struct rec_intake *in, const struct rec_ids *ids,
		    struct span text, struct err *err);

/* Rows that losses of one kind have at most. What is lost beyond is added up, and
 * counts as lost nobody knows when. */
#define REC_INTAKE_LOSS_ROWS 16384u

/* `event` -1: of none, `cpu` -1: of none. `time`: when it was noticed, of the
 * first thing behind it on that CPU; without a CPU, of the first one behind it in
 * what comes in order of time. It may be one that comes later. 0: not known when,
 * it may have been at any time. */
void rec_intake_lost(struct rec_intake *in, enum tf_loss_kind kind, int event,
		     int cpu, uint64_t time, uint64_t count);

#endif
