/* Builds traces of tracepoints from lines of text, through the writer:
 *
 *	thread TID PID COMM
 *	fact KEY VALUE
 *	loss TIME CPU COUNT [KIND]        of no event in particular
 *	TIME CPU TID SYSTEM:EVENT FIELD=VALUE ... [| FUNCTION;...;FUNCTION]
 *
 * Times are in ns. A VALUE that is a number is one, any other is a text; the
 * first row of an event says which its fields are. The functions are of the
 * kernel, from the root. A row may have FLAGS of the record as its first field,
 * "flags=8". Wrong lines end the test program. */
#ifndef TESTS_UNIT_TEST_GPU_BUILD_H
#define TESTS_UNIT_TEST_GPU_BUILD_H

#include "analyze/trace.h"
#include "format/base/intern.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GB_EVENTS 64u
#define GB_FIELDS 24u
#ifndef GB_ROWS
#define GB_ROWS 4096u
#endif

enum gb_part {
	GB_STRING, GB_IMAGE, GB_THREAD, GB_TRACEPOINT, GB_EVENT, GB_FRAME,
	GB_STACK, GB_SYMBOL, GB_FACT, GB_LOSS, GB_CATALOG,
};

struct gb_event {
	char name[96];
	char fields[GB_FIELDS][48];
	bool text[GB_FIELDS];
	unsigned n;
	struct tf_column columns[GB_FIELDS + 11];
	struct tf_table table;
};

struct gb {
	struct tf_writer *w;
	struct tf_builder *b[GB_CATALOG + GB_EVENTS];
	struct gb_event *events;
	size_t n_events;
	struct intern strings, functions, stacks, threads;
	uint32_t rows;
	struct err err;
};

static void gb_must(struct gb *b, bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s: %s\n", what, b->err.text);
	abort();
}

static void gb_put(struct gb *b, size_t part, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tf_builder_set(b->b[part], (unsigned)i, v[i]);
	gb_must(b, tf_builder_commit(b->b[part]), "commit");
}
#define GB_PUT(b, part, ...)                                                   \
	gb_put(b, part, (const uint64_t[]){ __VA_ARGS__ },                     \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint32_t gb_string(struct gb *b, const char *text)
{
	bool is_new;
	uint32_t id;

	gb_must(b, intern_put(&b->strings, text, strlen(text), &id, &is_new),
		"string");
	if (is_new) {
		tf_builder_bytes(b->b[GB_STRING], 0, text, strlen(text));
		gb_must(b, tf_builder_commit(b->b[GB_STRING]), "string");
	}
	return id;
}

/* Each function is 0x100 bytes long; its frame is the one of that number. */
static uint32_t gb_function(struct gb *b, const char *name)
{
	bool is_new;
	uint32_t id;

	gb_must(b, intern_put(&b->functions, name, strlen(name), &id, &is_new),
		"function");
	if (is_new) {
		GB_PUT(b, GB_FRAME, 0, id * 0x100 + 4, TF_FRAME_RETURN);
		GB_PUT(b, GB_SYMBOL, 0, id * 0x100, 0x100, gb_string(b, name),
		       gb_string(b, ""));
	}
	return id;
}

static uint32_t gb_stack(struct gb *b, char *functions)
{
	uint32_t node = 0;
	char *save;

	for (char *f = strtok_r(functions, ";", &save); f;
	     f = strtok_r(NULL, ";", &save)) {
		uint32_t key[2] = { node, gb_function(b, f) };
		bool is_new;

		gb_must(b, intern_put(&b->stacks, key, sizeof(key), &node,
				      &is_new), "stack");
		if (is_new)
			GB_PUT(b, GB_STACK, key[0], key[1]);
	}
	return node;
}

static uint32_t gb_thread(struct gb *b, int tid, int pid, const char *comm)
{
	bool is_new;
	uint32_t id;

	gb_must(b, intern_put(&b->threads, &tid, sizeof(tid), &id, &is_new),
		"thread");
	if (is_new)
		GB_PUT(b, GB_THREAD, (uint64_t)tid, (uint64_t)pid, 0,
		       gb_string(b, comm));
	return id;
}

static void gb_columns(struct gb_event *e, uint32_t id)
{
	const struct tf_table *sample = tf_catalog_table(TF_TABLE_SAMPLE);
	uint32_t n = sample->n_columns;

	memcpy(e->columns, sample->columns, n * sizeof(*e->columns));
	for (uint32_t i = 0; i < 2 + e->n; i++)
		e->columns[n++] = (struct tf_column){
			.id = i < 2 ? TF_PAYLOAD_FLAGS + i :
				      TF_PAYLOAD_FIRST + i - 2,
			.name = i == 0 ? "common_flags" :
				i == 1 ? "common_preempt_count" :
					 e->fields[i - 2],
			.type = i >= 2 && e->text[i - 2] ? TF_REF : TF_U64,
			.unit = "",
			.ref_table = i >= 2 && e->text[i - 2] ?
					     TF_TABLE_STRING : 0,
			.privacy = TF_PRIVACY_NUMBER,
		};
	e->table = (struct tf_table){ id, e->name, TF_KIND_EVENT, e->columns,
				      n };
}

static bool gb_is_number(const char *value)
{
	char *end;

	strtoull(value, &end, 0);
	return end != value && !*end;
}

/* The words behind the event's name say what fields it has. */
static void gb_new_event(struct gb *b, const char *name, char *const *words,
			 size_t n)
{
	struct gb_event *e = &b->events[b->n_events];
	const struct tf_table *table = &e->table;
	size_t at = GB_CATALOG + b->n_events;
	char system[96];

	gb_must(b, b->n_events < GB_EVENTS, "too many events");
	snprintf(e->name, sizeof(e->name), "%s", name);
	for (size_t i = 0; i < n; i++) {
		size_t size = strcspn(words[i], "=");

		if (strncmp(words[i], "flags=", 6) == 0)
			continue;
		gb_must(b, e->n < GB_FIELDS && words[i][size] == '=', words[i]);
		snprintf(e->fields[e->n], sizeof(e->fields[0]), "%.*s",
			 (int)size, words[i]);
		e->text[e->n++] = !gb_is_number(words[i] + size + 1);
	}
	gb_columns(e, TF_TABLE_DYNAMIC + (uint32_t)b->n_events);
	gb_must(b, !tf_writer_add_tables(b->w, &table, 1, &b->err) &&
		!tf_builder_new(&b->b[at], table, GB_ROWS, &b->err), "table");
	snprintf(system, sizeof(system), "%.*s", (int)strcspn(name, ":"), name);
	tf_builder_bytes(b->b[GB_TRACEPOINT], TF_TRACEPOINT_FORMAT, "", 0);
	tf_builder_set(b->b[GB_TRACEPOINT], TF_TRACEPOINT_SYSTEM,
		       gb_string(b, system));
	tf_builder_set(b->b[GB_TRACEPOINT], TF_TRACEPOINT_NAME,
		       gb_string(b, strchr(name, ':') + 1));
	tf_builder_set(b->b[GB_TRACEPOINT], TF_TRACEPOINT_ID, at);
	gb_must(b, tf_builder_commit(b->b[GB_TRACEPOINT]), "tracepoint");
	tf_builder_bytes(b->b[GB_EVENT], TF_EVENT_ATTR, "", 0);
	GB_PUT(b, GB_EVENT, gb_string(b, name), gb_string(b, ""), 2, at, 0, 1,
	       1, 0, e->table.id, b->n_events + 1, 0, b->n_events);
	b->n_events++;
}

static void gb_flush(struct gb *b)
{
	size_t n = GB_CATALOG + b->n_events;

	gb_must(b, !tf_writer_data(b->w, 0, b->b, n, &b->err), "data");
	for (size_t i = 0; i < n; i++)
		tf_builder_clear(b->b[i]);
	b->rows = 0;
}

static void gb_value(struct gb *b, struct tf_builder *to, unsigned column,
		     bool text, const char *value)
{
	uint64_t v = *value == '-' ? (uint64_t)strtoll(value, NULL, 0) :
				     strtoull(value, NULL, 0);

	tf_builder_set(to, column, text ? gb_string(b, value) : v);
}

static void gb_row(struct gb *b, char *const *words, size_t n, char *stack)
{
	const char *name = words[3];
	int tid = atoi(words[2]);
	struct tf_builder *to;
	unsigned column = TF_PAYLOAD_POSITION;
	size_t e = 0;
	uint64_t flags = 0;

	while (e < b->n_events && strcmp(b->events[e].name, name) != 0)
		e++;
	if (e == b->n_events)
		gb_new_event(b, name, words + 4, n - 4);
	to = b->b[GB_CATALOG + e];
	for (size_t i = 4; i < n; i++) {
		const char *value = strchr(words[i], '=') + 1;

		if (strncmp(words[i], "flags=", 6) == 0) {
			flags = strtoull(value, NULL, 0);
			continue;
		}
		gb_value(b, to, column,
			 b->events[e].text[column - TF_PAYLOAD_POSITION],
			 value);
		column++;
	}
	gb_must(b, column == b->events[e].n + TF_PAYLOAD_POSITION, name);
	/* The leaf is in the stack. */
	GB_PUT(b, GB_CATALOG + e, strtoull(words[0], NULL, 0),
	       strtoull(words[1], NULL, 0),
	       gb_thread(b, tid, tid, tid ? "[none]" : "swapper"), e, 1, 0,
	       stack ? gb_stack(b, stack) : 0, 0,
	       TF_SAMPLE_KERNEL | TF_SAMPLE_IP_IN_STACK, flags, 0);
	if (++b->rows == GB_ROWS)
		gb_flush(b);
}

static void gb_line(struct gb *b, char *line)
{
	char *stack = strstr(line, " | "), *words[GB_FIELDS + 8], *save;
	size_t n = 0;

	if (stack) {
		*stack = 0;
		stack += 3;
	}
	for (char *w = strtok_r(line, " \t", &save); w && n < ARRAY_LEN(words);
	     w = strtok_r(NULL, " \t", &save))
		words[n++] = w;
	if (!n || *words[0] == '#')
		return;
	if (strcmp(words[0], "thread") == 0 && n == 4)
		gb_thread(b, atoi(words[1]), atoi(words[2]), words[3]);
	else if (strcmp(words[0], "fact") == 0 && n == 3)
		GB_PUT(b, GB_FACT, gb_string(b, words[1]),
		       gb_string(b, words[2]));
	else if (strcmp(words[0], "loss") == 0 && (n == 4 || n == 5))
		GB_PUT(b, GB_LOSS, strtoull(words[1], NULL, 0),
		       n > 4 ? strtoull(words[4], NULL, 0) : TF_LOSS_RING, 0,
		       strtoull(words[2], NULL, 0) + 1,
		       strtoull(words[3], NULL, 0));
	else
		gb_must(b, n >= 4, words[0]), gb_row(b, words, n, stack);
}

static void gb_begin(struct gb *b, struct tf_sink *sink)
{
	static const uint32_t catalog[GB_CATALOG] = {
		TF_TABLE_STRING, TF_TABLE_IMAGE, TF_TABLE_THREAD,
		TF_TABLE_TRACEPOINT, TF_TABLE_EVENT, TF_TABLE_FRAME,
		TF_TABLE_STACK, TF_TABLE_SYMBOL, TF_TABLE_FACT, TF_TABLE_LOSS,
	};
	struct tf_file_info info = { .file_id = { 'g', 'p', 'u' } };
	uint32_t empty[2] = { 0, UINT32_MAX }, id;

	b->events = calloc(GB_EVENTS, sizeof(*b->events));
	gb_must(b, b->events && !tf_writer_new(&b->w, sink, &info, &b->err),
		"writer");
	for (size_t i = 0; i < GB_CATALOG; i++)
		gb_must(b, !tf_builder_new(&b->b[i],
					   tf_catalog_table(catalog[i]),
					   4 * GB_ROWS, &b->err), "builder");
	gb_string(b, "");
	tf_builder_bytes(b->b[GB_IMAGE], TF_IMAGE_BUILD_ID, "", 0);
	GB_PUT(b, GB_IMAGE, TF_IMAGE_KERNEL, gb_string(b, "kernel"), 0, 0);
	gb_must(b, intern_put(&b->stacks, empty, sizeof(empty), &id, NULL),
		"stack");
	gb_function(b, "the_leaf");
	GB_PUT(b, GB_STACK, 0, 0);
}

static void gb_end(struct gb *b)
{
	gb_flush(b);
	gb_must(b, !tf_writer_end(b->w, &b->err), "end");
	tf_writer_free(b->w);
	for (size_t i = 0; i < GB_CATALOG + b->n_events; i++)
		tf_builder_free(b->b[i]);
	intern_fini(&b->strings);
	intern_fini(&b->functions);
	intern_fini(&b->stacks);
	intern_fini(&b->threads);
	free(b->events);
}

/* Appends the file to `out`, which is initialized. `lines` is changed. */
static void gb_build(struct buf *out, char *lines)
{
	struct gb b = { 0 };
	struct tf_sink *sink;
	char *save;

	gb_must(&b, !tf_sink_memory(&sink, out, &b.err), "sink");
	gb_begin(&b, sink);
	for (char *l = strtok_r(lines, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		gb_line(&b, l);
	gb_end(&b);
	gb_must(&b, !tf_sink_close(sink, &b.err), "close");
}

/* Opened for analysis. The bytes live as long as the trace. */
struct gb_trace {
	struct buf bytes;
	struct an_trace *trace;
	struct log log;
};

static inline void gb_open(struct gb_trace *g, const char *lines)
{
	char *copy = strdup(lines);
	struct tf_source *source;
	struct gb b = { 0 };

	*g = (struct gb_trace){ .log = { .to = stderr, .prog = "test" } };
	buf_init(&g->bytes, 0);
	gb_must(&b, copy != NULL, "memory");
	gb_build(&g->bytes, copy);
	free(copy);
	gb_must(&b, !tf_source_memory(&source,
				      span_of(g->bytes.p, g->bytes.n), &b.err) &&
		!an_trace_from(&g->trace, source, &g->log, &b.err), "open");
}

/* Lines that are put together piece by piece. */
static inline void gb_say(struct buf *lines, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static inline void gb_say(struct buf *lines, const char *fmt, ...)
{
	char line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (lines->n)
		lines->n--; /* the zero */
	buf_printf(lines, "%s\n", line);
	buf_u8(lines, 0);
}

static inline void gb_close(struct gb_trace *g)
{
	an_trace_close(g->trace);
	buf_fini(&g->bytes);
}

#endif
