#include "tests/support/tracebuild.h"

#include "format/base/intern.h"
#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/writer.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 65536u

enum part {
	P_STRING, P_IMAGE, P_PROCESS, P_THREAD, P_EVENT, P_FRAME, P_STACK,
	P_SYMBOL, P_CLOCK, P_FACT, P_LOSS, P_SERIES, P_MARK, P_SAMPLE,
	P_COUNTER, N_PARTS,
};

static const uint32_t tables[N_PARTS] = {
	TF_TABLE_STRING, TF_TABLE_IMAGE, TF_TABLE_PROCESS, TF_TABLE_THREAD,
	TF_TABLE_EVENT, TF_TABLE_FRAME, TF_TABLE_STACK, TF_TABLE_SYMBOL,
	TF_TABLE_CLOCK, TF_TABLE_FACT, TF_TABLE_LOSS, TF_TABLE_SERIES,
	TF_TABLE_MARK, TF_TABLE_SAMPLE, TF_TABLE_COUNTER,
};

/* One epoch while it is made: ids are given out as things are used. */
struct build {
	const struct tb_trace *t;
	struct tf_writer *w;
	uint32_t epoch;
	struct tf_builder *b[N_PARTS];
	uint32_t ids[N_PARTS]; /* rows of the epoch so far */
	struct intern strings, frames;
	struct map64 nodes;
	uint32_t *images, *threads; /* id + 1 in this epoch, 0: not yet */
	uint32_t *events;
	uint32_t *series;           /* as threads */
	bool *named;                /* images whose symbols are written */
	struct err *err;
};

static void set(struct build *b, enum part p, unsigned column, uint64_t v)
{
	tf_builder_set(b->b[p], column, v);
}

static uint32_t commit(struct build *b, enum part p)
{
	if (!tf_builder_commit(b->b[p]))
		abort();
	return b->ids[p]++;
}

static uint32_t string(struct build *b, const char *text)
{
	bool is_new;
	uint32_t id;

	if (!intern_put(&b->strings, text, strlen(text), &id, &is_new))
		abort();
	if (is_new) {
		tf_builder_bytes(b->b[P_STRING], TF_STRING_BYTES, text,
				 strlen(text));
		commit(b, P_STRING);
	}
	return id;
}

static void symbols_of(struct build *b, size_t image, uint32_t id)
{
	if (b->named[image])
		return;
	b->named[image] = true;
	for (size_t i = 0; i < b->t->n_symbols; i++) {
		const struct tb_symbol *s = &b->t->symbols[i];

		if (strcmp(s->image, b->t->images[image].name) != 0)
			continue;
		set(b, P_SYMBOL, TF_SYMBOL_IMAGE, id);
		set(b, P_SYMBOL, TF_SYMBOL_START, s->start);
		set(b, P_SYMBOL, TF_SYMBOL_SIZE, s->size);
		set(b, P_SYMBOL, TF_SYMBOL_NAME, string(b, s->name));
		set(b, P_SYMBOL, TF_SYMBOL_LINKAGE,
		    string(b, s->linkage ? s->linkage : ""));
		commit(b, P_SYMBOL);
	}
}

static uint32_t image(struct build *b, size_t i)
{
	const struct tb_image *im = &b->t->images[i];

	if (b->images[i])
		return b->images[i] - 1;
	set(b, P_IMAGE, TF_IMAGE_KIND, im->kind);
	set(b, P_IMAGE, TF_IMAGE_PATH, string(b, im->path));
	set(b, P_IMAGE, TF_IMAGE_GENERATION, im->generation);
	tf_builder_bytes(b->b[P_IMAGE], TF_IMAGE_BUILD_ID,
			 im->build_id ? im->build_id : "",
			 im->build_id ? strlen(im->build_id) : 0);
	b->images[i] = commit(b, P_IMAGE) + 1;
	symbols_of(b, i, b->images[i] - 1);
	return b->images[i] - 1;
}

static size_t find_image(const struct build *b, const char *name, size_t n)
{
	for (size_t i = 0; i < b->t->n_images; i++)
		if (strlen(b->t->images[i].name) == n &&
		    memcmp(b->t->images[i].name, name, n) == 0)
			return i;
	abort(); /* a mistake in the tables of a test */
}

static const struct tb_symbol *find_symbol(const struct build *b,
					   const char *name, size_t n)
{
	for (size_t i = 0; i < b->t->n_symbols; i++)
		if (strlen(b->t->symbols[i].name) == n &&
		    memcmp(b->t->symbols[i].name, name, n) == 0)
			return &b->t->symbols[i];
	abort();
}

static uint32_t frame_row(struct build *b, size_t im, uint64_t address,
			  enum tf_frame_kind kind)
{
	uint64_t key[3] = { im, address, kind };
	bool is_new;
	uint32_t id;

	if (!intern_put(&b->frames, key, sizeof(key), &id, &is_new))
		abort();
	if (is_new) {
		set(b, P_FRAME, TF_FRAME_IMAGE, image(b, im));
		set(b, P_FRAME, TF_FRAME_ADDRESS, address);
		set(b, P_FRAME, TF_FRAME_KIND, kind);
		commit(b, P_FRAME);
	}
	return id;
}

static uint32_t frame(struct build *b, const char *text, size_t n,
		      enum tf_frame_kind kind)
{
	char word[256];
	const struct tb_symbol *s;
	char *mark;
	uint64_t offset = kind == TF_FRAME_RETURN ? 4 : 0;

	if (n >= sizeof(word))
		abort();
	memcpy(word, text, n);
	word[n] = 0;
	mark = strstr(word, "@0x");
	if (mark)
		return frame_row(b, find_image(b, word, (size_t)(mark - word)),
				 strtoull(mark + 1, NULL, 16), kind);
	mark = strstr(word, "+0x");
	if (mark) {
		offset = strtoull(mark + 1, NULL, 16);
		n = (size_t)(mark - word);
	}
	s = find_symbol(b, word, n);
	return frame_row(b, find_image(b, s->image, strlen(s->image)),
			 s->start + offset, kind);
}

static uint32_t node(struct build *b, uint32_t parent, uint32_t fr)
{
	bool is_new;
	uint32_t *id = map64_put(&b->nodes, map64_pair(parent, fr),
				 b->ids[P_STACK], &is_new);
	uint32_t found;

	if (!id)
		abort();
	found = *id;
	if (is_new) {
		set(b, P_STACK, TF_STACK_PARENT, parent);
		set(b, P_STACK, TF_STACK_FRAME, fr);
		commit(b, P_STACK);
	}
	return found;
}

/* A part of a stack; with *ip its leaf is not a node. */
static uint32_t stack(struct build *b, const char *text, uint32_t *ip)
{
	uint32_t at = 0;

	while (text && *text) {
		size_t n = strcspn(text, ";");
		bool leaf = !text[n] && ip;
		uint32_t fr = frame(b, text, n,
				    leaf ? TF_FRAME_EXACT : TF_FRAME_RETURN);

		if (leaf)
			*ip = fr;
		else
			at = node(b, at, fr);
		text += n + (text[n] != 0);
	}
	return at;
}

static uint32_t thread(struct build *b, uint32_t i)
{
	const struct tb_thread *th = &b->t->threads[i];

	if (b->threads[i])
		return b->threads[i] - 1;
	set(b, P_THREAD, TF_THREAD_TID, (uint64_t)th->tid);
	set(b, P_THREAD, TF_THREAD_PID, (uint64_t)th->pid);
	set(b, P_THREAD, TF_THREAD_TIME, th->time);
	set(b, P_THREAD, TF_THREAD_COMM, string(b, th->comm));
	b->threads[i] = commit(b, P_THREAD) + 1;
	return b->threads[i] - 1;
}

static void process(struct build *b, const struct tb_process *p)
{
	set(b, P_PROCESS, TF_PROCESS_PID, (uint64_t)p->pid);
	set(b, P_PROCESS, TF_PROCESS_PARENT, 0);
	set(b, P_PROCESS, TF_PROCESS_TIME, p->time);
	set(b, P_PROCESS, TF_PROCESS_COMMAND, 0);
	set(b, P_PROCESS, TF_PROCESS_NS_PID, p->ns_pid);
	set(b, P_PROCESS, TF_PROCESS_PID_NS, p->pid_ns);
	set(b, P_PROCESS, TF_PROCESS_CGROUP,
	    string(b, p->cgroup ? p->cgroup : ""));
	commit(b, P_PROCESS);
}

static void event(struct build *b, size_t i)
{
	const struct tb_event *e = &b->t->events[i];

	set(b, P_EVENT, TF_EVENT_NAME, string(b, e->name));
	set(b, P_EVENT, TF_EVENT_UNIT, string(b, e->unit));
	set(b, P_EVENT, TF_EVENT_TYPE, e->type);
	set(b, P_EVENT, TF_EVENT_CONFIG, e->config);
	set(b, P_EVENT, TF_EVENT_FREQUENCY, e->frequency);
	set(b, P_EVENT, TF_EVENT_PERIOD, e->period);
	set(b, P_EVENT, TF_EVENT_CALLCHAIN, e->callchain);
	tf_builder_bytes(b->b[P_EVENT], TF_EVENT_ATTR, "", 0);
	tf_builder_set(b->b[P_EVENT], TF_EVENT_TABLE, 0);
	tf_builder_set(b->b[P_EVENT], TF_EVENT_TRACEPOINT, 0);
	tf_builder_set(b->b[P_EVENT], TF_EVENT_KEY, 0);
	tf_builder_set(b->b[P_EVENT], TF_EVENT_OF,
		       b->b[P_EVENT]->rows);
	b->events[i] = commit(b, P_EVENT);
}

static int flush(struct build *b)
{
	int rc = tf_writer_data(b->w, b->epoch, b->b, N_PARTS, b->err);

	for (int i = 0; i < N_PARTS; i++)
		tf_builder_clear(b->b[i]);
	return rc;
}

static bool is_full(const struct build *b)
{
	size_t max = b->t->part_samples;

	if (max && b->b[P_SAMPLE]->rows >= max)
		return true;
	/* A sample may need as many rows of the others as it has frames. */
	for (int i = 0; i < N_PARTS; i++)
		if (b->b[i]->rows > ROWS / 2)
			return true;
	return false;
}

static int sample(struct build *b, const struct tb_sample *s, uint32_t copy)
{
	uint32_t ip = 0, kstack = 0, ustack;

	ustack = stack(b, s->user, s->kernel ? NULL : &ip);
	if (s->kernel)
		kstack = stack(b, s->kernel, &ip);
	set(b, P_SAMPLE, TF_SAMPLE_TIME, s->time + copy);
	set(b, P_SAMPLE, TF_SAMPLE_CPU, s->cpu);
	set(b, P_SAMPLE, TF_SAMPLE_THREAD, thread(b, s->thread));
	set(b, P_SAMPLE, TF_SAMPLE_EVENT, b->events[s->event]);
	set(b, P_SAMPLE, TF_SAMPLE_PERIOD, s->period);
	set(b, P_SAMPLE, TF_SAMPLE_IP, ip);
	set(b, P_SAMPLE, TF_SAMPLE_KSTACK, kstack);
	set(b, P_SAMPLE, TF_SAMPLE_USTACK, ustack);
	set(b, P_SAMPLE, TF_SAMPLE_FLAGS,
	    s->flags | (s->kernel ? TF_SAMPLE_KERNEL : 0u));
	commit(b, P_SAMPLE);
	return is_full(b) ? flush(b) : 0;
}

static void clocks(struct build *b)
{
	for (size_t i = 0; i < b->t->n_clocks; i++) {
		const struct tb_clock *c = &b->t->clocks[i];

		set(b, P_CLOCK, TF_CLOCK_MONOTONIC, c->monotonic);
		set(b, P_CLOCK, TF_CLOCK_REALTIME, c->realtime);
		set(b, P_CLOCK, TF_CLOCK_BOOTTIME, c->boottime);
		commit(b, P_CLOCK);
	}
}

static void facts(struct build *b)
{
	for (size_t i = 0; i < b->t->n_facts; i++) {
		set(b, P_FACT, TF_FACT_KEY, string(b, b->t->facts[i].key));
		set(b, P_FACT, TF_FACT_VALUE, string(b, b->t->facts[i].value));
		commit(b, P_FACT);
	}
}

static void losses(struct build *b)
{
	for (size_t i = 0; i < b->t->n_losses; i++) {
		const struct tb_loss *l = &b->t->losses[i];

		set(b, P_LOSS, TF_LOSS_TIME, l->time);
		set(b, P_LOSS, TF_LOSS_KIND, l->kind);
		set(b, P_LOSS, TF_LOSS_EVENT,
		    l->event < 0 ? 0 : b->events[l->event] + 1);
		set(b, P_LOSS, TF_LOSS_CPU, (uint64_t)(l->cpu + 1));
		set(b, P_LOSS, TF_LOSS_COUNT, l->count);
		commit(b, P_LOSS);
	}
}

static void marks(struct build *b)
{
	for (size_t i = 0; i < b->t->n_marks; i++) {
		const struct tb_mark *m = &b->t->marks[i];

		if (m->epoch != b->epoch)
			continue;
		set(b, P_MARK, TF_MARK_TIME, m->time);
		set(b, P_MARK, TF_MARK_SOURCE, m->source);
		set(b, P_MARK, TF_MARK_PID, m->pid);
		set(b, P_MARK, TF_MARK_TEXT, string(b, m->text));
		commit(b, P_MARK);
	}
}

static uint32_t series(struct build *b, uint32_t i)
{
	const struct tb_series *s = &b->t->series[i];
	double scale = s->scale != 0 ? s->scale : 1;
	uint64_t bits;

	if (b->series[i])
		return b->series[i] - 1;
	memcpy(&bits, &scale, sizeof(bits));
	set(b, P_SERIES, TF_SERIES_NAME, string(b, s->name));
	set(b, P_SERIES, TF_SERIES_UNIT, string(b, s->unit ? s->unit : ""));
	set(b, P_SERIES, TF_SERIES_KIND, s->kind);
	set(b, P_SERIES, TF_SERIES_SCALE, bits);
	set(b, P_SERIES, TF_SERIES_SOURCE, s->source);
	set(b, P_SERIES, TF_SERIES_EVENT,
	    s->event ? b->events[s->event - 1] + 1 : 0);
	set(b, P_SERIES, TF_SERIES_CPU, (uint64_t)s->cpu);
	set(b, P_SERIES, TF_SERIES_PID, (uint64_t)s->pid);
	set(b, P_SERIES, TF_SERIES_DEVICE,
	    string(b, s->device ? s->device : ""));
	set(b, P_SERIES, TF_SERIES_PART, string(b, s->part ? s->part : ""));
	set(b, P_SERIES, TF_SERIES_CLIENT, s->client);
	set(b, P_SERIES, TF_SERIES_CAPACITY, s->capacity ? s->capacity : 1);
	set(b, P_SERIES, TF_SERIES_RUN, s->run);
	set(b, P_SERIES, TF_SERIES_LABEL, string(b, s->label ? s->label : ""));
	b->series[i] = commit(b, P_SERIES) + 1;
	return b->series[i] - 1;
}

static int readings(struct build *b)
{
	int rc = 0;

	for (size_t i = 0; i < b->t->n_readings && !rc; i++) {
		const struct tb_reading *r = &b->t->readings[i];

		if (r->epoch != b->epoch)
			continue;
		set(b, P_COUNTER, TF_COUNTER_TIME, r->time);
		set(b, P_COUNTER, TF_COUNTER_SERIES, series(b, r->series));
		set(b, P_COUNTER, TF_COUNTER_VALUE, (uint64_t)r->value);
		set(b, P_COUNTER, TF_COUNTER_ENABLED, r->enabled);
		set(b, P_COUNTER, TF_COUNTER_RUNNING, r->running);
		set(b, P_COUNTER, TF_COUNTER_TOOK, r->took);
		set(b, P_COUNTER, TF_COUNTER_STATE, r->state);
		commit(b, P_COUNTER);
		rc = is_full(b) ? flush(b) : 0;
	}
	return rc;
}

/* Row 0 of the strings is the empty one, of the stacks the empty stack. */
static void begin_epoch(struct build *b)
{
	const struct tb_trace *t = b->t;

	intern_fini(&b->strings);
	intern_fini(&b->frames);
	map64_clear(&b->nodes);
	memset(b->ids, 0, sizeof(b->ids));
	memset(b->images, 0, t->n_images * sizeof(*b->images));
	memset(b->threads, 0, t->n_threads * sizeof(*b->threads));
	memset(b->series, 0, t->n_series * sizeof(*b->series));
	string(b, "");
	set(b, P_STACK, TF_STACK_PARENT, 0);
	set(b, P_STACK, TF_STACK_FRAME, 0);
	commit(b, P_STACK);
	for (size_t i = 0; i < t->n_processes; i++)
		process(b, &t->processes[i]);
	for (size_t i = 0; i < t->n_events; i++)
		event(b, i);
	clocks(b);
	facts(b);
}

static int epoch(struct build *b, const struct tb_epoch *e, bool last)
{
	int rc = 0;

	begin_epoch(b);
	for (size_t i = 0; i < e->n && !rc; i++)
		for (uint32_t k = 0; !rc && k < (e->samples[i].times ?
						 e->samples[i].times : 1); k++)
			rc = sample(b, &e->samples[i], k);
	if (!rc)
		rc = readings(b);
	if (!rc)
		marks(b);
	if (last && !rc)
		losses(b);
	return rc ? rc : flush(b);
}

static int init(struct build *b)
{
	const struct tb_trace *t = b->t;

	b->images = calloc(t->n_images + 1, sizeof(*b->images));
	b->threads = calloc(t->n_threads + 1, sizeof(*b->threads));
	b->events = calloc(t->n_events + 1, sizeof(*b->events));
	b->series = calloc(t->n_series + 1, sizeof(*b->series));
	b->named = calloc(t->n_images + 1, sizeof(*b->named));
	if (!b->images || !b->threads || !b->events || !b->series || !b->named)
		return err_nomem(b->err);
	for (int i = 0; i < N_PARTS; i++) {
		int rc = tf_builder_new(&b->b[i], tf_catalog_table(tables[i]),
					ROWS, b->err);

		if (rc)
			return rc;
	}
	return 0;
}

static void fini(struct build *b)
{
	for (int i = 0; i < N_PARTS; i++)
		tf_builder_free(b->b[i]);
	intern_fini(&b->strings);
	intern_fini(&b->frames);
	map64_fini(&b->nodes);
	free(b->images);
	free(b->threads);
	free(b->events);
	free(b->series);
	free(b->named);
}

/* Readings have tables that a file without them does not announce. */
static int announce(struct build *b)
{
	const struct tf_table *const tables_of_readings[] = {
		tf_catalog_table(TF_TABLE_SERIES),
		tf_catalog_table(TF_TABLE_COUNTER),
	};

	if (!b->t->n_readings)
		return 0;
	return tf_writer_add_tables(b->w, tables_of_readings, 2, b->err);
}

static int build(const struct tb_trace *t, struct tf_sink *sink,
		 struct err *err)
{
	struct tf_file_info info = { .file_id = { 'f','i','x','t','u','r','e' },
				     .start_unix_ns = t->start_unix_ns };
	struct build b = { .t = t, .err = err };
	static const struct tb_epoch empty;
	size_t n = t->n_epochs ? t->n_epochs : 1;
	int rc = init(&b);

	info.file_id[TF_FILE_ID_SIZE - 1] = t->id;
	if (!rc)
		rc = tf_writer_new(&b.w, sink, &info, err);
	if (!rc)
		rc = announce(&b);
	for (size_t i = 0; i < n && !rc; i++) {
		b.epoch = (uint32_t)i;
		rc = epoch(&b, t->n_epochs ? &t->epochs[i] : &empty,
			   i + 1 == n);
	}
	if (!rc && !t->unclosed)
		rc = tf_writer_end(b.w, err);
	tf_writer_free(b.w);
	fini(&b);
	return rc;
}

int tb_build(const struct tb_trace *t, struct buf *out, struct err *err)
{
	struct tf_sink *sink;
	int rc = tf_sink_memory(&sink, out, err), closed;

	if (rc)
		return rc;
	rc = build(t, sink, err);
	closed = tf_sink_close(sink, rc ? NULL : err);
	return rc ? rc : closed;
}

int tb_write(const struct tb_trace *t, const char *path, struct err *err)
{
	struct tf_sink *sink;
	int rc = tf_sink_open(&sink, path, err), closed;

	if (rc)
		return rc;
	rc = build(t, sink, err);
	closed = tf_sink_close(sink, rc ? NULL : err);
	return rc ? rc : closed;
}
