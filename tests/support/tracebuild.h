/* Builds small traces from readable tables of C, through the writer.
 *
 * A frame is named "function", "function+0x12" (bytes behind its start) or
 * "image@0x1234" (an address that may have no symbol). The last frame of the
 * whole stack is where the sample was, the others are return addresses: 4 bytes
 * behind the start of the function where nothing else is said. */
#ifndef TESTS_TRACEBUILD_H
#define TESTS_TRACEBUILD_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tb_image {
	const char *name;      /* for frames and symbols of this table */
	enum tf_image_kind kind;
	const char *path;
	const char *build_id;  /* its bytes as text, NULL: none */
	uint64_t generation;
};

struct tb_symbol {
	const char *image;
	const char *name;      /* "" : looked up, has none */
	uint64_t start, size;
	const char *linkage;   /* NULL: the same */
};

struct tb_thread {
	int tid, pid;
	const char *comm;
	uint64_t time;
};

struct tb_process {
	int pid;
	uint64_t time;
	const char *cgroup;    /* NULL: not known */
	uint64_t ns_pid, pid_ns;
};

struct tb_event {
	const char *name, *unit;
	uint32_t type;
	uint64_t config, frequency, period;
	bool callchain;
};

struct tb_sample {
	uint64_t time;
	uint32_t cpu;
	uint32_t thread, event; /* by position in the tables */
	uint64_t period;
	const char *user;       /* frames from the root, ';' between them */
	const char *kernel;     /* the same, NULL: the sample was in user mode */
	uint32_t flags;         /* further enum tf_sample_flag */
	uint32_t times;         /* that many rows, 1 ns apart; 0: one */
};

struct tb_loss {
	uint64_t time, count;
	enum tf_loss_kind kind;
	int event;              /* -1: none */
	int cpu;                /* -1: not known */
};

struct tb_mark {
	uint64_t time;
	enum tf_mark_source source;
	uint32_t pid;
	const char *text;
	uint32_t epoch;         /* that it is written in */
};

struct tb_series {
	const char *name, *unit;
	enum tf_series_kind kind;
	double scale;           /* 0: 1 */
	enum tf_series_source source;
	int event;              /* + 1; 0: none */
	int cpu;                /* + 1; 0: none */
	int pid;
	const char *device, *part; /* NULL: of none */
	uint64_t client;
	uint32_t capacity;      /* 0: 1 */
	uint32_t run;
	const char *label;
};

struct tb_reading {
	uint64_t time;
	uint32_t series;        /* by position in the table */
	int64_t value;
	uint64_t enabled, running;
	enum tf_counter_state state;
	uint32_t epoch;         /* that it is written in */
	uint64_t took;
};

struct tb_clock { uint64_t monotonic, realtime, boottime; };
struct tb_fact { const char *key, *value; };

struct tb_epoch {
	const struct tb_sample *samples;
	size_t n;
};

struct tb_trace {
	const struct tb_image *images;
	size_t n_images;
	const struct tb_symbol *symbols; /* written in the first epoch that
					  * uses their image */
	size_t n_symbols;
	const struct tb_thread *threads;
	size_t n_threads;
	const struct tb_process *processes; /* all are in each epoch */
	size_t n_processes;
	const struct tb_event *events;   /* all are in each epoch */
	size_t n_events;
	const struct tb_epoch *epochs;
	size_t n_epochs;
	const struct tb_loss *losses;    /* at the end of the last epoch */
	size_t n_losses;
	const struct tb_mark *marks;
	size_t n_marks;
	const struct tb_series *series;  /* those of an epoch's readings are in
					  * it; a file without has no such table */
	size_t n_series;
	const struct tb_reading *readings;
	size_t n_readings;
	const struct tb_clock *clocks;
	size_t n_clocks;
	const struct tb_fact *facts;
	size_t n_facts;
	uint64_t start_unix_ns;
	uint8_t id;            /* tells files apart that are read together */
	size_t part_samples; /* rows of a part of samples; 0: all in one */
	bool unclosed;       /* no index, no END */
};

/* Appends the file to `out`, which is initialized. */
int tb_build(const struct tb_trace *t, struct buf *out, struct err *err);
int tb_write(const struct tb_trace *t, const char *path, struct err *err);

#endif
