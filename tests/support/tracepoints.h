/* Builds traces of tracepoints from readable tables of C, through the writer;
 * tracebuild.h is for stacks. Every epoch has all definitions. */
#ifndef TESTS_TRACEPOINTS_H
#define TESTS_TRACEPOINTS_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_field {
	const char *name;
	enum tf_type type; /* TF_REF: of a string */
	bool list;
};

struct tp_tracepoint {
	const char *system, *name;
	uint64_t id;
	const char *format;
	const struct tp_field *fields;
	size_t n;          /* 0: it has no table */
};

struct tp_event {
	const char *name;
	int tracepoint;    /* position; -1: none, its rows are in `sample` */
	int table;         /* position of the tracepoint that has its table */
	uint64_t key;
	int of;            /* position of the event; of its own where key is 0*/
};

struct tp_value { /* of a field; what fits its type is taken */
	uint64_t v;
	const char *text;  /* of a string or of bytes */
	size_t n;          /* of bytes, of items */
	const uint64_t *items;
};

struct tp_thread { int tid, pid; const char *comm; };

struct tp_row {
	uint64_t time;
	uint32_t cpu, thread, event;
	const struct tp_value *values; /* one a field */
	uint32_t epoch;
};

struct tp_switch {
	uint64_t time;
	uint32_t cpu, thread, flags;
	uint64_t other;    /* tid + 1 */
};

/* Rows that found the ring full; all are of the last epoch. */
struct tp_loss { uint64_t time; uint32_t event; uint64_t count; };

struct tp_symbol { const char *name; uint64_t start, size; }; /* of the kernel*/
struct tp_fact { const char *key, *value; };

struct tp_trace {
	const struct tp_tracepoint *tracepoints;
	size_t n_tracepoints;
	const struct tp_event *events;
	size_t n_events;
	const struct tp_thread *threads;
	size_t n_threads;
	const struct tp_row *rows;         /* epochs rise */
	size_t n_rows;
	const struct tp_switch *switches;  /* of the last epoch */
	size_t n_switches;
	const struct tp_loss *losses;
	size_t n_losses;
	const struct tp_symbol *symbols;   /* rows were at the first one */
	size_t n_symbols;
	const struct tp_fact *facts;
	size_t n_facts;
	size_t chunk_rows; /* a chunk for so many rows; 0: one for all */
	uint64_t start_unix_ns;
};

/* Appends the file to `out`, which is initialized. */
int tp_build(const struct tp_trace *t, struct buf *out, struct err *err);
int tp_write(const struct tp_trace *t, const char *path, struct err *err);

#endif
