/* What the parts of the intake share. */
#ifndef RECORD_IMPORT_INTAKE_STATE_H
#define RECORD_IMPORT_INTAKE_STATE_H

#include "record/drain/rows.h"
#include "record/import/claims.h"
#include "record/import/intake.h"
#include "record/loss.h"
#include "record/output.h"
#include "record/sink/sink.h"
#include "record/stack/stacks.h"
#include "record/state/world.h"
#include "record/symbol/foreign.h"
#include "record/symbol/names.h"
#include "record/symbol/own.h"
#include "record/tracepoint/payload.h"
#include "record/tracepoint/tracepoints.h"

#define REC_INTAKE_MAX_STACK 127 /* PERF_MAX_STACK_DEPTH */

/* A text's image, in each generation that it has so far. */
struct rec_named_image {
	enum tf_image_kind kind;
	uint32_t known[REC_CLAIM_GENERATIONS]; /* index in images + 1 */
};

/* Losses that wait for their rows: those with a time, and kinds of those without
 * by event and CPU. */
#define REC_INTAKE_MANY_LOSSES 256u
/* A loss of which it is known when it was noticed. */
struct rec_dated_loss {
	enum tf_loss_kind kind;
	int event, cpu;      /* -1: none */
	uint64_t time;
	uint64_t count;      /* 0: not known */
};

struct rec_dated_losses {
	struct rec_dated_loss *items; /* whose rows are not yet written */
	size_t n, cap;
	size_t rows[TF_LOSS_SYMBOLS + 1]; /* by kind, of all */
};

/* A sample whose row waits: where it was is on its way into the cache. The n-th
 * one is at n % REC_PLACINGS. */
struct rec_waiting {
	struct rec_record record;
	struct rec_taken taken; /* its record is the one above */
	struct rec_placing placing;
};

struct rec_intake {
	const struct log *log;
	const char *source;
	struct rec_stop *stop;
	struct rec_output output;
	struct rec_sink *sink;
	struct rec_build_ids build_ids;
	struct rec_world world;
	struct rec_defs defs;
	struct rec_foreign foreign;
	struct rec_own own;  /* names that the recording itself holds */
	struct rec_names names;
	struct rec_stacks stacks;
	struct rec_losses losses; /* without a time */
	struct rec_dated_losses dated;
	uint64_t undated;    /* events that were lost nobody knows when */
	struct rec_tracepoints tracepoints;
	struct rec_payload payload;
	struct buf scratch;

	struct intern event_keys; /* what tells events apart → events */
	struct rec_event *events;
	size_t n_events, events_cap;
	size_t n_told;       /* events that have their first row */
	size_t n_tables;     /* tables that were announced */

	/* Of texts. */
	struct intern image_texts; /* kind and path → named_images */
	struct rec_named_image *named_images;
	size_t n_named_images, named_images_cap;
	struct rec_claims claims;
	uint64_t first_generation; /* of what is claimed now */
	uint32_t *frames;    /* of the stack at hand */
	size_t frames_cap;

	struct rec_waiting waiting[REC_PLACINGS];
	unsigned begun, looked, ended; /* samples; they wrap */

	uint64_t newest;     /* time of a row so far */
	uint64_t settled;    /* the newest when it was last tidied up */
	uint64_t rows;
	uint64_t epoch_rows; /* in this epoch */
	uint64_t untidied;   /* rows and records since */
	unsigned untaken;    /* how often names were left for later */
	uint64_t lost, lost_samples; /* LOST and LOST_SAMPLES tell the same */
};

/* Room for a row of each table, `more` of definitions beyond what a record has,
 * and a row of the tracepoint's table (NULL: none). Waits for the writer. */
int rec_intake_room(struct rec_intake *in, size_t more,
		    const struct rec_tracepoint *t, struct err *err);

/* A row of `ids` is about to be written: its time counts. */
void rec_intake_time(struct rec_intake *in, const struct rec_ids *ids,
		     int event);

/* Writes the row that waits, if one does: before anything else becomes a row or
 * changes the world. */
int rec_intake_settle(struct rec_intake *in, struct err *err);

/* Now and then: epochs, names, what nobody can mean any more. */
int rec_intake_tidy(struct rec_intake *in, struct err *err);

/* Tables and rows of events that are new. */
int rec_intake_announce(struct rec_intake *in, struct err *err);

/* Writes rows of what was lost if there are more than so many of them. */
void rec_intake_write_losses(struct rec_intake *in, size_t if_more);

/* The failure of memory or of the writer, if there was one. */
int rec_intake_check(struct rec_intake *in, struct err *err);

/* A record that becomes a row of event `event`: completes its ids, finds its
 * thread, makes room for it and for `more` definitions. *t points to *r. */
int rec_intake_take(struct rec_intake *in, size_t event, struct rec_record *r,
		    size_t more, struct rec_taken *t, struct err *err);
/* Writes the row, once t->place is set. */
void rec_intake_put(struct rec_intake *in, const struct rec_taken *t);

/* The same ids where all are known: of a thread of which no process is told it is
 * its own. */
struct rec_ids rec_intake_ids(const struct rec_intake *in,
			      const struct rec_ids *ids);

/* For rec_losses_write(). */
const struct rec_event *rec_intake_event_of(void *ctx, int event);

#endif
