/* A trace as analysis sees it: the definitions of all epochs joined by content
 * into one id space, with names. Opens nothing but the trace. */
#ifndef ANALYZE_TRACE_H
#define ANALYZE_TRACE_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/span.h"
#include "format/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AN_NONE UINT32_MAX /* no such id */

/* String ids are the trace's own, over all epochs; 0 is the empty string. */
struct an_image {
	uint8_t kind;        /* enum tf_image_kind */
	uint32_t path;       /* string */
	uint32_t dso;        /* string: as perf's Shared Object shows it: base
			      * name, [kernel.kallsyms], [module], [vdso],
			      * [unknown] */
	struct span build_id;
	uint64_t generation;
};

struct an_symbol {
	uint32_t image;
	uint32_t name;       /* string; 0: looked up, has none */
	uint32_t linkage;    /* string; 0: same as name */
	uint64_t start, size;
};

/* Whether the call is before the address is not known: nor then its name. */
#define AN_FRAME_UNSURE 255

/* A file may use one frame in both halves of its stacks. Where the image does
 * not tell the half, the frame has a twin: the same place in the kernel. */
struct an_frame {
	uint32_t image;
	uint32_t symbol;     /* AN_NONE: no name known */
	uint64_t address;    /* in the image */
	uint32_t in_kernel;  /* what it is when met in the kernel's half: its
			      * twin, or itself */
	uint8_t kind;        /* enum tf_frame_kind, or AN_FRAME_UNSURE */
	bool kernel;         /* code of the kernel */
};

struct an_node {         /* of the stack tree */
	uint32_t parent;     /* a lower node; node 0 is the empty stack */
	uint32_t frame;
};

struct an_process {
	int32_t pid;
	uint32_t cgroup;     /* string; empty: not known */
	uint64_t time;       /* valid from */
	uint64_t ns_pid;     /* in its own pid namespace, 0: not known */
	uint64_t pid_ns;     /* inode of that, 0: not known */
	uint32_t order;      /* in the file */
	uint32_t source;     /* as of a thread */
};

struct an_thread {
	int32_t tid, pid;
	uint32_t comm;       /* string; ":TID" where it has none */
	uint32_t process;    /* AN_NONE: nothing is known of it */
	uint64_t time;       /* valid from */
	uint32_t source;     /* of a merged trace, + 1; 0: it is of one machine:
			      * process ids are those of one */
};

struct an_event {
	uint32_t name, unit; /* strings */
	uint32_t type;
	uint64_t config, frequency, period;
	bool callchain;
	uint32_t table;      /* that its rows are in; AN_NONE: no such table */
	uint32_t tracepoint; /* AN_NONE: it is none */
	uint64_t key;        /* 0, or k + 1: of the rows of event `of`, those
			      * whose payload column `id` is k */
	uint32_t of;         /* AN_NONE: has no key, or was lost */
	bool split;          /* there are events with a key of its rows */
};

/* The format file of a tracepoint. */
struct an_tracepoint {
	uint32_t system, name; /* strings */
	uint64_t id;         /* the kernel's number of it */
	struct span format;  /* the text; empty: none that could be used */
};

struct an_loss {
	uint64_t time, count;
	uint32_t kind;       /* enum tf_loss_kind */
	uint32_t event;      /* AN_NONE: not of one event */
	int32_t cpu;         /* -1: not known */
};

struct an_mark {
	uint64_t time;
	uint32_t text;       /* string */
	uint32_t source;     /* enum tf_mark_source */
	int32_t pid;         /* who said it, 0: not known */
	uint32_t order;      /* in the file */
};

/* What readings of one thing over time are of: table `series`. Equal ones of
 * several epochs are one; the readings are in counter/counters.h. */
struct an_series {
	uint32_t name, unit; /* strings; the unit is that of value * scale */
	uint32_t device, part, label; /* strings; empty: of none */
	uint8_t kind;        /* enum tf_series_kind; 0: one not known here, so
				that its readings tell nothing */
	uint8_t source;      /* enum tf_series_source; 0: not known */
	double scale;        /* finite */
	uint32_t event;      /* AN_NONE: of none, or lost */
	int32_t cpu;         /* -1: of none, or of all together */
	int32_t pid;         /* 0: of no process, or of all */
	uint64_t client;     /* drm-client-id, 0: of none */
	uint32_t capacity;   /* engines that `part` stands for, at least 1 */
	uint32_t run;        /* of a repeated measurement, from 1; 0: is none */
	uint32_t machine;    /* as the source of a thread */
};

struct an_clock { uint64_t monotonic, realtime, boottime; };
struct an_fact { uint32_t key, value; }; /* strings; the last of a key */

struct an_trace;
struct an_selection_args;

/* How a trace is opened. */
struct an_opening {
	const struct log *log;
	/* What will be selected of it: with a time, definitions that no row of
	 * that time needs are not loaded, nor clock readings beside it. NULL:
	 * anything may be. */
	const struct an_selection_args *selection;
	unsigned threads; /* that decode; 0: the caller's alone */
	size_t ids;       /* of frames and stacks of all epochs that are held in
			   * memory at a time; 0: 16 Mi */
};

/* Opens and loads the definitions. `log`, if any, gets a warning for a file
 * that was not closed, for a recording that is incomplete and for each damaged
 * place, which is skipped and counted; names lost that way show as "[lost]".
 * Release with an_trace_close(). */
int an_trace_open(struct an_trace **out, const char *path,
		  const struct log *log, struct err *err);
int an_trace_open_as(struct an_trace **out, const char *path,
		     const struct an_opening *how, struct err *err);
/* The same for whom names are enough, without frames and stacks, which are the
 * most of what there is to load, and without a warning. With `log` other files
 * are imported, which is said there. */
int an_trace_open_names(struct an_trace **out, const char *path,
			const struct log *log, struct err *err);
void an_trace_close(struct an_trace *t); /* NULL is fine */

/* The same from bytes anywhere; the source belongs to the trace, also when this
 * fails. */
int an_trace_from(struct an_trace **out, struct tf_source *source,
		  const struct log *log, struct err *err);
int an_trace_from_as(struct an_trace **out, struct tf_source *source,
		     const struct an_opening *how, struct err *err);

const struct tf_reader *an_trace_reader(const struct an_trace *t);
const char *an_trace_path(const struct an_trace *t);

/* Of the file so far, in pages, each counted once. */
uint64_t an_trace_bytes_read(const struct an_trace *t);

/* What is to be said of several files that are read as one, a line each; NULL:
 * it is one file. */
const char *an_trace_joined(const struct an_trace *t);

/* Times inside of it that nobody recorded (analyze/breaks.h). */
struct an_break { uint64_t from, to; };
size_t an_n_breaks(const struct an_trace *t);
const struct an_break *an_break_of(const struct an_trace *t, size_t i);
/* Whether one touches [from, to]. */
bool an_trace_breaks_in(const struct an_trace *t, uint64_t from, uint64_t to);

/* Damaged places met so far (chunks, parts, gaps): more than 0 makes the exit
 * status AN_EXIT_DAMAGED. */
uint64_t an_trace_damage(const struct an_trace *t);
void an_trace_note_damage(struct an_trace *t, const struct err *what);

struct span an_string(const struct an_trace *t, uint32_t id);
/* For printf: NUL-terminated; a name with a NUL inside is cut there. */
const char *an_text(const struct an_trace *t, uint32_t id);

#define AN_TABLE(name, plural, type)                                           \
	size_t an_n_##plural(const struct an_trace *t);                        \
	const struct type *an_##name##_of(const struct an_trace *t, uint32_t id);
/* Ids beyond the end are answered with the row for "lost" things. */
AN_TABLE(image, images, an_image)
AN_TABLE(symbol, symbols, an_symbol)
AN_TABLE(frame, frames, an_frame)
AN_TABLE(node, nodes, an_node)
AN_TABLE(process, processes, an_process)
AN_TABLE(thread, threads, an_thread)
AN_TABLE(event, events, an_event)
AN_TABLE(tracepoint, tracepoints, an_tracepoint)
AN_TABLE(loss, losses, an_loss)
AN_TABLE(mark, marks, an_mark)
AN_TABLE(series, series, an_series)
AN_TABLE(clock, clocks, an_clock)
AN_TABLE(fact, facts, an_fact)
#undef AN_TABLE

/* The value of a fact ("command", "version", "arch" …, see spec/tables.md), or
 * NULL. */
const char *an_fact(const struct an_trace *t, const char *key);

/* Why the recording is not all of what was asked for, or NULL. */
const char *an_trace_incomplete(const struct an_trace *t);

/* The frame as it is met in the kernel's half of a stack. */
uint32_t an_frame_in_kernel(const struct an_trace *t, uint32_t frame);
bool an_frame_is_twin(const struct an_trace *t, uint32_t frame);

/* What to show for a frame, as perf does: the symbol's name, or "[unknown]"
 * (the image is then named beside it). Lives as long as the trace. */
struct span an_frame_name(const struct an_trace *t, uint32_t frame);

/* The event with a key that a row of `event` belongs to whose payload column
 * `id` is `value`; `event` itself where there is none. */
uint32_t an_event_split(const struct an_trace *t, uint32_t event,
			uint64_t value);

/* Ids of an epoch to the trace's ids. */
enum an_space {
	AN_SPACE_STRING, AN_SPACE_IMAGE, AN_SPACE_THREAD, AN_SPACE_EVENT,
	AN_SPACE_FRAME, AN_SPACE_STACK, AN_SPACE_TRACEPOINT, AN_SPACE_SERIES,
	AN_N_SPACES,
};
/* *n ids, indexed by the epoch's id; AN_NONE where the definition was lost.
 * NULL, 0: no such epoch. */
const uint32_t *an_trace_ids(const struct an_trace *t, uint32_t epoch,
			     enum an_space space, size_t *n);

#endif
