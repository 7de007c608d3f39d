#include "analyze/trace.h"

#include "analyze/ending.h"
#include "analyze/foreign.h"
#include "analyze/lacks.h"
#include "analyze/load.h"
#include "analyze/recall.h"
#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/meter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Real files spend more than a byte on a definition (1.5 measured on stack
 * nodes, the smallest ones), so a file that announces many more than this is
 * made to exhaust memory. */
#define ROWS_PER_BYTE 4
#define ROWS_ALWAYS (1u << 20)

/* Damage beyond this many places is only counted. */
#define MAX_WARNINGS 10

static const char unknown_name[] = "[unknown]";
static const char lost_name[] = "[lost]";

static void warn_of_ending(const struct an_trace *t)
{
	char text[AN_ENDING_TEXT];

	if (!t->log)
		return;
	switch (tf_reader_ending(t->reader)) {
	case TF_CLOSED:
		break;
	case TF_UNCLOSED:
		log_warn(t->log, "%s: not closed: its recorder was killed or "
			 "still runs; the last rows may be missing", t->path);
		break;
	case TF_CUT:
		log_warn(t->log, "%s: ends in an unfinished chunk: its recorder"
			 " was killed or the file was cut; the last rows are "
			 "missing", t->path);
		break;
	case TF_FOLLOWED:
		an_ending_text(text, t->reader);
		log_warn(t->log, "%s: %s", t->path, text);
		break;
	}
}

static void warn_of_incomplete(const struct an_trace *t)
{
	const char *why = an_trace_incomplete(t);

	if (t->log && why)
		log_warn(t->log, "%s: the recording is incomplete: %s", t->path,
			 why);
}

static void note_gaps(struct an_trace *t)
{
	const struct tf_gap *gaps;
	size_t n = tf_reader_gaps(t->reader, &gaps);

	for (size_t i = 0; i < n; i++) {
		struct err what;

		err_set(&what, ERR_FORMAT, "%s: %" PRIu64 " bytes at offset %"
			PRIu64 " are no sound chunk: %s", t->path,
			gaps[i].size, gaps[i].offset, gaps[i].why);
		an_trace_note_damage(t, &what);
	}
}

static void note_unread(struct an_trace *t)
{
	const size_t *chunks;
	size_t n = tf_reader_unread(t->reader, &chunks);

	for (size_t i = 0; i < n; i++) {
		struct err what;

		err_set(&what, ERR_FORMAT, "%s: chunk %zu at offset %" PRIu64
			": a schema is damaged: tables that only it tells of "
			"cannot be read", t->path, chunks[i],
			tf_reader_chunk(t->reader, chunks[i])->offset);
		an_trace_note_damage(t, &what);
	}
}

static int load_from(struct an_trace **out, struct tf_source *source,
		     bool names_only, const struct an_opening *how,
		     struct err *err)
{
	struct an_trace *t = calloc(1, sizeof(*t));
	int rc;

	if (!t) {
		tf_source_close(source);
		return err_nomem(err);
	}
	t->log = how->log;
	t->decoders = how->threads;
	t->ids_bound = how->ids ? how->ids : AN_RECALL_IDS;
	t->names_only = names_only;
	t->source = source;
	t->path = strdup(source->name);
	rc = t->path ? 0 : err_nomem(err);
	if (!rc)
		rc = tf_meter_new(&t->source, source, err);
	if (!rc)
		rc = tf_reader_open(&t->reader, t->source, err);
	if (rc)
		goto fail;
	warn_of_ending(t);
	note_gaps(t);
	note_unread(t);
	rc = an_load(t, how->selection, err);
	if (rc)
		goto fail;
	an_lacks_say(t);
	warn_of_incomplete(t);
	*out = t;
	return 0;
fail:
	an_trace_close(t);
	return rc;
}

int an_trace_from_as(struct an_trace **out, struct tf_source *source,
		     const struct an_opening *how, struct err *err)
{
	return load_from(out, source, false, how, err);
}

int an_trace_from(struct an_trace **out, struct tf_source *source,
		  const struct log *log, struct err *err)
{
	return an_trace_from_as(out, source,
				&(struct an_opening){ .log = log }, err);
}

int an_trace_open_names(struct an_trace **out, const char *path,
			const struct log *log, struct err *err)
{
	struct tf_source *source;
	int rc = an_source_open(&source, path, log, err);

	return rc ? rc : load_from(out, source, true,
				   &(struct an_opening){ .log = NULL }, err);
}

int an_trace_open_as(struct an_trace **out, const char *path,
		     const struct an_opening *how, struct err *err)
{
	struct tf_source *source;
	int rc = an_source_open(&source, path, how->log, err);

	return rc ? rc : an_trace_from_as(out, source, how, err);
}

int an_trace_open(struct an_trace **out, const char *path,
		  const struct log *log, struct err *err)
{
	return an_trace_open_as(out, path, &(struct an_opening){ .log = log },
				err);
}

void an_trace_close(struct an_trace *t)
{
	if (!t)
		return;
	intern_fini(&t->damage);
	intern_fini(&t->strings);
	intern_fini(&t->image_keys);
	intern_fini(&t->thread_keys);
	intern_fini(&t->event_keys);
	intern_fini(&t->tracepoint_keys);
	intern_fini(&t->series_keys);
	intern_fini(&t->contents);
	arena_fini(&t->bytes);
	an_epochs_fini(&t->epochs);
	an_slice_fini(&t->slice);
	an_index_fini(&t->frame_index);
	map64_fini(&t->node_index);
	map64_fini(&t->fact_index);
	map64_fini(&t->splits);
	free(t->images.v);
	free(t->content.v);
	free(t->symbols.v);
	free(t->frames.v);
	free(t->nodes.v);
	free(t->depth.v);
	free(t->processes.v);
	free(t->threads.v);
	free(t->events.v);
	free(t->tracepoints.v);
	free(t->losses.v);
	free(t->marks.v);
	free(t->series.v);
	free(t->clocks.v);
	free(t->facts.v);
	free(t->lacks.v);
	free(t->unread.v);
	tf_reader_free(t->reader);
	tf_source_close(t->source);
	free(t->path);
	free(t->joined);
	free(t->breaks.v);
	free(t);
}

const struct tf_reader *an_trace_reader(const struct an_trace *t)
{
	return t->reader;
}

const char *an_trace_path(const struct an_trace *t)
{
	return t->path;
}

uint64_t an_trace_bytes_read(const struct an_trace *t)
{
	return tf_meter_bytes(t->source);
}

const char *an_trace_joined(const struct an_trace *t)
{
	return t->joined;
}

size_t an_n_breaks(const struct an_trace *t)
{
	return t->breaks.n;
}

const struct an_break *an_break_of(const struct an_trace *t, size_t i)
{
	return &t->breaks.v[i];
}

bool an_trace_breaks_in(const struct an_trace *t, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < t->breaks.n; i++)
		if (t->breaks.v[i].from < to && t->breaks.v[i].to > from)
			return true;
	return false;
}

uint64_t an_trace_damage(const struct an_trace *t)
{
	return t->damage.n;
}

void an_trace_note_damage(struct an_trace *t, const struct err *what)
{
	bool is_new = true;
	uint32_t id;

	if (!intern_put(&t->damage, what->text, strlen(what->text), &id,
			&is_new) || !is_new || !t->log)
		return;
	if (id < MAX_WARNINGS)
		log_warn(t->log, "%s; skipped", what->text);
	else if (id == MAX_WARNINGS)
		log_warn(t->log, "%s: more damage is skipped without a message "
			 "(try: analyze check)", t->path);
}

/* A caller that wants no text still has the damage counted. */
int an_trace_survive(struct an_trace *t, int rc, struct err *err)
{
	struct err none;

	if (rc == ERR_NOMEM || rc == ERR_IO)
		return rc;
	if (!err)
		err_set(&none, rc, "%s: a part is damaged", t->path);
	an_trace_note_damage(t, err ? err : &none);
	return 0;
}

uint64_t an_trace_rows_limit(const struct an_trace *t)
{
	uint64_t n;

	if (ckd_mul(&n, tf_reader_size(t->reader), (uint64_t)ROWS_PER_BYTE) ||
	    ckd_add(&n, n, (uint64_t)ROWS_ALWAYS))
		return UINT64_MAX;
	return n;
}

struct span an_string(const struct an_trace *t, uint32_t id)
{
	return id < t->strings.n ? intern_get(&t->strings, id) :
				   span_of(lost_name, strlen(lost_name));
}

const char *an_text(const struct an_trace *t, uint32_t id)
{
	return (const char *)an_string(t, id).p;
}

static const struct an_image lost_image = { .path = AN_NONE, .dso = AN_NONE };
static const struct an_symbol lost_symbol = { .image = AN_NONE,
					      .name = AN_NONE };
static const struct an_frame lost_frame = { .image = AN_NONE,
					    .symbol = AN_NONE,
					    .in_kernel = AN_NONE };
static const struct an_node lost_node = { .frame = AN_NONE };
static const struct an_process lost_process = { .pid = -1 };
static const struct an_thread lost_thread = { .tid = -1, .pid = -1,
					      .comm = AN_NONE,
					      .process = AN_NONE };
static const struct an_event lost_event = { .name = AN_NONE,
					    .table = AN_NONE,
					    .tracepoint = AN_NONE,
					    .of = AN_NONE };
static const struct an_tracepoint lost_tracepoint = { .system = AN_NONE,
						      .name = AN_NONE };
static const struct an_loss lost_loss = { .event = AN_NONE, .cpu = -1 };
static const struct an_mark lost_mark = { .text = AN_NONE };
static const struct an_series lost_series = { .name = AN_NONE,
					      .unit = AN_NONE,
					      .device = AN_NONE,
					      .part = AN_NONE,
					      .label = AN_NONE,
					      .event = AN_NONE,
					      .cpu = -1,
					      .capacity = 1 };
static const struct an_clock lost_clock;
static const struct an_fact lost_fact = { AN_NONE, AN_NONE };

#define TABLE(name, plural, type)                                              \
	size_t an_n_##plural(const struct an_trace *t)                         \
	{                                                                      \
		return t->plural.n;                                            \
	}                                                                      \
	const struct type *an_##name##_of(const struct an_trace *t,            \
					  uint32_t id)                         \
	{                                                                      \
		return id < t->plural.n ? &t->plural.v[id] : &lost_##name;     \
	}
TABLE(image, images, an_image)
TABLE(symbol, symbols, an_symbol)
TABLE(frame, frames, an_frame)
TABLE(node, nodes, an_node)
TABLE(process, processes, an_process)
TABLE(thread, threads, an_thread)
TABLE(event, events, an_event)
TABLE(tracepoint, tracepoints, an_tracepoint)
TABLE(loss, losses, an_loss)
TABLE(mark, marks, an_mark)
TABLE(series, series, an_series)
TABLE(clock, clocks, an_clock)
TABLE(fact, facts, an_fact)

const char *an_fact(const struct an_trace *t, const char *key)
{
	uint32_t id;

	if (!intern_find(&t->strings, key, strlen(key), &id))
		return NULL;
	for (size_t i = t->facts.n; i > 0; i--)
		if (t->facts.v[i - 1].key == id)
			return an_text(t, t->facts.v[i - 1].value);
	return NULL;
}

const char *an_trace_incomplete(const struct an_trace *t)
{
	const char *why = an_fact(t, "incomplete");

	return why && *why ? why : NULL;
}

uint32_t an_event_split(const struct an_trace *t, uint32_t event,
			uint64_t value)
{
	uint32_t id;

	if (value <= UINT32_MAX &&
	    map64_get(&t->splits, map64_pair(event, (uint32_t)value), &id))
		return id;
	return event;
}

uint32_t an_frame_in_kernel(const struct an_trace *t, uint32_t frame)
{
	return an_frame_of(t, frame)->in_kernel;
}

bool an_frame_is_twin(const struct an_trace *t, uint32_t frame)
{
	return frame >= t->first_twin;
}

struct span an_frame_name(const struct an_trace *t, uint32_t frame)
{
	const struct an_frame *f = an_frame_of(t, frame);
	const struct an_image *image = an_image_of(t, f->image);

	if (frame >= t->frames.n)
		return span_of(lost_name, strlen(lost_name));
	if (image->kind == TF_IMAGE_SPECIAL)
		return an_string(t, image->path);
	if (f->symbol != AN_NONE)
		return an_string(t, an_symbol_of(t, f->symbol)->name);
	return span_of(unknown_name, strlen(unknown_name));
}

const uint32_t *an_trace_ids(const struct an_trace *t, uint32_t epoch,
			     enum an_space space, size_t *n)
{
	const struct an_epoch *e = an_epochs_find(&t->epochs, epoch);

	*n = e ? e->ids[space].n : 0;
	return e ? e->ids[space].v : NULL;
}
