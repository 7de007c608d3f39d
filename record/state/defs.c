#include "record/state/defs.h"

#include "format/base/buf.h"
#include "format/base/time.h"
#include "record/proc/process.h"
#include "record/proc/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^20 slots are three quarters full at 786 k nodes: 16 MiB, and the next
 * doubling would hold 48 MiB for a moment. */
#define MAX_NODES 700000u
#define MAX_SIZE ((size_t)32 << 20)
#define MAX_EPOCH_NS (300ull * NSEC_PER_SEC)

/* A command line longer than this is cut. */
#define MAX_COMMAND ((size_t)4096)

static struct tf_builder *rows(struct rec_defs *d, uint32_t table)
{
	return rec_sink_rows(d->sink, table);
}

static void commit(struct rec_defs *d, struct tf_builder *b)
{
	if (!tf_builder_commit(b))
		d->failed = true;
}

static uint32_t epoch_mark(const struct rec_defs *d)
{
	return rec_sink_epoch(d->sink) + 1;
}

/* Row 0 of the string table is the empty string, of the stack table the empty
 * stack, of the event table nothing in particular. */
static void define_zeros(struct rec_defs *d)
{
	struct tf_builder *b = rows(d, TF_TABLE_STACK);

	(void)rec_defs_string(d, "", 0);
	tf_builder_set(b, TF_STACK_PARENT, 0);
	tf_builder_set(b, TF_STACK_FRAME, 0);
	commit(d, b);
	d->n_nodes = 1;
}

int rec_defs_init(struct rec_defs *d, struct rec_sink *sink,
		  struct rec_images *images, const char *root, size_t n_events,
		  uint64_t now_ns, struct err *err)
{
	*d = (struct rec_defs){
		.sink = sink,
		.images = images,
		.root = root,
		.n_events = n_events,
		.epoch_since = now_ns,
		.own_ns = rec_process_own_ns(root),
	};
	buf_init(&d->text, (size_t)8 << 20);
	d->events = calloc(n_events ? n_events : 1, sizeof(*d->events));
	if (!d->events)
		return err_nomem(err);
	define_zeros(d);
	return d->failed ? err_nomem(err) : 0;
}

int rec_defs_more_events(struct rec_defs *d, size_t n_events, struct err *err)
{
	void *events;

	if (n_events <= d->n_events)
		return 0;
	events = realloc(d->events, n_events * sizeof(*d->events));
	if (!events)
		return err_nomem(err);
	d->events = events;
	memset(d->events + d->n_events, 0,
	       (n_events - d->n_events) * sizeof(*d->events));
	d->n_events = n_events;
	return 0;
}

void rec_defs_fini(struct rec_defs *d)
{
	intern_fini(&d->strings);
	rec_nodes_fini(&d->nodes);
	map64_fini(&d->keys);
	free(d->events);
	buf_fini(&d->text);
	*d = (struct rec_defs){ 0 };
}

uint32_t rec_defs_string(struct rec_defs *d, const void *p, size_t n)
{
	struct tf_builder *b = rows(d, TF_TABLE_STRING);
	bool fresh = false;
	uint32_t id = 0;

	if (n > TF_MAX_STRING)
		n = TF_MAX_STRING;
	if (!intern_put(&d->strings, p, n, &id, &fresh)) {
		d->failed = true;
		return 0;
	}
	if (fresh) {
		tf_builder_bytes(b, TF_STRING_BYTES, p, n);
		commit(d, b);
	}
	return id;
}

static uint32_t cstring(struct rec_defs *d, const char *text)
{
	return rec_defs_string(d, text, strlen(text));
}

uint32_t rec_defs_image(struct rec_defs *d, uint32_t image)
{
	struct tf_builder *b = rows(d, TF_TABLE_IMAGE);
	struct rec_image *im = &d->images->items[image];
	struct rec_row *row = &im->row[d->shard];

	if (row->epoch == epoch_mark(d))
		return row->id;
	row->epoch = epoch_mark(d);
	row->id = rec_sink_next_id(d->sink, TF_TABLE_IMAGE);
	tf_builder_set(b, TF_IMAGE_KIND, im->kind);
	tf_builder_set(b, TF_IMAGE_PATH, cstring(d, im->path));
	tf_builder_bytes(b, TF_IMAGE_BUILD_ID, im->build_id, im->build_id_size);
	tf_builder_set(b, TF_IMAGE_GENERATION, im->generation);
	commit(d, b);
	return row->id;
}

/* Row + 1; 0 of none. */
static uint32_t define_tracepoint(struct rec_defs *d, struct rec_tracepoint *t)
{
	struct tf_builder *b = rows(d, TF_TABLE_TRACEPOINT);
	struct rec_row *row;

	if (!t)
		return 0;
	row = &t->row[d->shard];
	if (row->epoch == epoch_mark(d))
		return row->id + 1;
	row->epoch = epoch_mark(d);
	row->id = rec_sink_next_id(d->sink, TF_TABLE_TRACEPOINT);
	tf_builder_set(b, TF_TRACEPOINT_SYSTEM, cstring(d, t->system));
	tf_builder_set(b, TF_TRACEPOINT_NAME, cstring(d, t->name));
	tf_builder_set(b, TF_TRACEPOINT_ID, t->id);
	tf_builder_bytes(b, TF_TRACEPOINT_FORMAT, t->text, t->text_size);
	commit(d, b);
	return row->id + 1;
}

/* The row of an event, or of one key of it. */
struct event_row {
	const struct rec_event *e;
	const char *name;
	uint32_t table, tracepoint, key, of;
};

static void write_event(struct rec_defs *d, const struct event_row *row)
{
	struct tf_builder *b = rows(d, TF_TABLE_EVENT);
	const struct rec_event *e = row->e;

	tf_builder_set(b, TF_EVENT_NAME, cstring(d, row->name));
	tf_builder_set(b, TF_EVENT_UNIT, cstring(d, e->unit));
	tf_builder_set(b, TF_EVENT_TYPE, e->attr.type);
	tf_builder_set(b, TF_EVENT_CONFIG, e->attr.config);
	tf_builder_set(b, TF_EVENT_FREQUENCY,
		       e->attr.freq ? e->attr.sample_freq : 0);
	tf_builder_set(b, TF_EVENT_PERIOD,
		       e->attr.freq ? 0 : e->attr.sample_period);
	tf_builder_set(b, TF_EVENT_CALLCHAIN,
		       (e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0);
	tf_builder_bytes(b, TF_EVENT_ATTR, &e->attr, sizeof(e->attr));
	tf_builder_set(b, TF_EVENT_TABLE, row->table);
	tf_builder_set(b, TF_EVENT_TRACEPOINT, row->tracepoint);
	tf_builder_set(b, TF_EVENT_KEY, row->key);
	tf_builder_set(b, TF_EVENT_OF, row->of);
	commit(d, b);
}

static struct rec_tracepoint *tracepoint_of(const struct rec_defs *d,
					    size_t index)
{
	return d->tracepoints ? rec_tracepoints_of(d->tracepoints, index) :
				NULL;
}

static void define_event(struct rec_defs *d, size_t index,
			 const struct rec_event *e)
{
	struct rec_tracepoint *t;
	struct event_row row;

	d->events[index].epoch = epoch_mark(d);
	d->events[index].id = rec_sink_next_id(d->sink, TF_TABLE_EVENT);
	t = tracepoint_of(d, index);
	row = (struct event_row){
		.e = e,
		.name = e->name,
		.table = t ? t->table.id : 0,
		.tracepoint = define_tracepoint(d, t),
		.of = d->events[index].id,
	};
	write_event(d, &row);
}

uint32_t rec_defs_event(struct rec_defs *d, size_t index,
			const struct rec_event *e)
{
	if (d->events[index].epoch != epoch_mark(d))
		define_event(d, index, e);
	return d->events[index].id;
}

void rec_defs_event_key(struct rec_defs *d, size_t index,
			const struct rec_event *e, uint32_t key)
{
	struct rec_tracepoint *of = tracepoint_of(d, index), *t;
	bool fresh = false;
	char name[256];

	if (!map64_put(&d->keys, map64_pair((uint32_t)index, key), 0, &fresh)) {
		d->failed = true;
		return;
	}
	if (!fresh || !of)
		return;
	rec_defs_lock(d);
	t = rec_tracepoints_by_key(d->tracepoints, e, index, key);
	rec_defs_unlock(d);
	if (t)
		snprintf(name, sizeof(name), "%s:%s", t->system, t->name);
	else
		snprintf(name, sizeof(name), "syscalls:%s_%" PRIu32,
			 e->tracepoint, key);
	write_event(d, &(struct event_row){
		.e = e,
		.name = name,
		.table = of->table.id,
		.tracepoint = define_tracepoint(d, t),
		.key = key + 1,
		.of = rec_defs_event(d, index, e),
	});
}

void rec_defs_mapping(struct rec_defs *d, const struct rec_mm *mm,
		      const struct rec_mapping *m)
{
	struct tf_builder *b;

	if (mm->row[d->shard].epoch != epoch_mark(d))
		return;
	if (!rec_sink_reserve(d->sink))
		return; /* the mapping only helps to symbolize again later */
	b = rows(d, TF_TABLE_MAPPING);
	tf_builder_set(b, TF_MAPPING_PID, (uint64_t)mm->pid);
	tf_builder_set(b, TF_MAPPING_TIME, m->from);
	tf_builder_set(b, TF_MAPPING_START, m->start);
	tf_builder_set(b, TF_MAPPING_SIZE, m->end - m->start);
	tf_builder_set(b, TF_MAPPING_OFFSET, m->offset);
	tf_builder_set(b, TF_MAPPING_IMAGE, rec_defs_image(d, m->image));
	commit(d, b);
}

/* false: it is gone, or none. */
static bool command_of(struct rec_defs *d, int32_t pid, uint32_t *id)
{
	struct buf *b = &d->text;

	buf_clear(b);
	if (pid <= 0 || rec_procfs_read(b, NULL, d->root, "/proc/%d/cmdline",
					(int)pid) < 0)
		return false;
	*id = rec_defs_string(d, b->p,
			      b->n < MAX_COMMAND ? b->n : MAX_COMMAND);
	return true;
}

/* Of a kernel thread, which has no arguments either, nothing. */
static uint32_t place_of(struct rec_defs *d, int32_t pid, uint32_t command,
			 struct rec_process *out)
{
	if (!command && rec_process_is_kernel(d->root, pid))
		return 0;
	rec_process_read(out, d->root, pid, d->own_ns, &d->text);
	if (!out->cgroup.n)
		return 0;
	return rec_defs_string(d, out->cgroup.p, out->cgroup.n);
}

/* The same where records tell of it. */
static uint32_t told_place(struct rec_defs *d, const struct rec_mm *mm,
			   struct rec_process *out)
{
	struct span path;

	out->pid_ns = mm->pid_ns;
	if (!d->cgroups || !mm->cgroup)
		return 0;
	path = rec_cgroups_path(d->cgroups, mm->cgroup);
	return path.n ? rec_defs_string(d, path.p, path.n) : 0;
}

static void define_process(struct rec_defs *d, struct rec_mm *mm)
{
	struct rec_process place = { 0 };
	uint32_t command = 0, cgroup = 0;
	struct tf_builder *b;

	if (mm->row[d->shard].epoch == epoch_mark(d))
		return;
	mm->row[d->shard].epoch = epoch_mark(d);
	if (command_of(d, mm->pid, &command))
		cgroup = place_of(d, mm->pid, command, &place);
	else
		cgroup = told_place(d, mm, &place);
	b = rows(d, TF_TABLE_PROCESS);
	tf_builder_set(b, TF_PROCESS_PID, (uint64_t)mm->pid);
	tf_builder_set(b, TF_PROCESS_PARENT, (uint64_t)mm->parent);
	tf_builder_set(b, TF_PROCESS_TIME, mm->from);
	tf_builder_set(b, TF_PROCESS_COMMAND, command);
	tf_builder_set(b, TF_PROCESS_NS_PID, place.ns_pid);
	tf_builder_set(b, TF_PROCESS_PID_NS, place.pid_ns);
	tf_builder_set(b, TF_PROCESS_CGROUP, cgroup);
	commit(d, b);
	for (size_t i = 0; i < mm->n; i++)
		rec_defs_mapping(d, mm, &mm->maps[i]);
}

static void define_thread(struct rec_defs *d, struct rec_thread *t)
{
	struct rec_row *row = &t->row[d->shard];
	struct tf_builder *b;
	uint32_t comm;

	comm = cstring(d, t->comm);
	b = rows(d, TF_TABLE_THREAD);
	row->epoch = epoch_mark(d);
	row->id = rec_sink_next_id(d->sink, TF_TABLE_THREAD);
	tf_builder_set(b, TF_THREAD_TID, (uint64_t)t->tid);
	tf_builder_set(b, TF_THREAD_PID, (uint64_t)t->pid);
	tf_builder_set(b, TF_THREAD_TIME, t->from);
	tf_builder_set(b, TF_THREAD_COMM, comm);
	commit(d, b);
}

static void define_both(struct rec_defs *d, struct rec_thread *t)
{
	const uint32_t mark = epoch_mark(d);

	rec_defs_lock(d);
	if (t->mm->row[d->shard].epoch != mark)
		define_process(d, t->mm);
	if (t->row[d->shard].epoch != mark)
		define_thread(d, t);
	rec_defs_unlock(d);
}

uint32_t rec_defs_thread(struct rec_defs *d, struct rec_thread *t)
{
	const uint32_t mark = epoch_mark(d);

	if (t->mm->row[d->shard].epoch != mark ||
	    t->row[d->shard].epoch != mark)
		define_both(d, t);
	return t->row[d->shard].id;
}

uint32_t rec_defs_frame(struct rec_defs *d, uint32_t image, uint64_t address,
			enum tf_frame_kind kind, bool *fresh)
{
	struct rec_image *im = &d->images->items[image];
	uint32_t id = rec_sink_next_id(d->sink, TF_TABLE_FRAME);
	uint32_t *known = map64_put(&im->frames[d->shard][kind], address, id,
				    fresh);
	struct tf_builder *b;

	if (!known) {
		d->failed = true;
		*fresh = false;
		return 0;
	}
	if (!*fresh)
		return *known;
	b = rows(d, TF_TABLE_FRAME);
	tf_builder_set(b, TF_FRAME_IMAGE, rec_defs_image(d, image));
	tf_builder_set(b, TF_FRAME_ADDRESS, address);
	tf_builder_set(b, TF_FRAME_KIND, kind);
	commit(d, b);
	return id;
}

bool rec_defs_known_frame(const struct rec_defs *d, uint32_t image,
			  uint64_t address, enum tf_frame_kind kind,
			  uint32_t *id)
{
	const struct rec_image *im = &d->images->items[image];

	return map64_get(&im->frames[d->shard][kind], address, id);
}

void rec_defs_prefetch_frame(const struct rec_defs *d, uint32_t image,
			     uint64_t address, enum tf_frame_kind kind)
{
	const struct rec_image *im = &d->images->items[image];

	map64_prefetch(&im->frames[d->shard][kind], address);
}

uint32_t rec_defs_node(struct rec_defs *d, struct rec_path_hash path,
		       uint32_t parent, uint32_t frame)
{
	bool fresh = false;
	uint32_t node;
	struct tf_builder *b;

	if (!rec_nodes_put(&d->nodes, path, d->n_nodes, &node, &fresh)) {
		d->failed = true;
		return parent;
	}
	if (!fresh)
		return node;
	b = rows(d, TF_TABLE_STACK);
	tf_builder_set(b, TF_STACK_PARENT, parent);
	tf_builder_set(b, TF_STACK_FRAME, frame);
	commit(d, b);
	return d->n_nodes++;
}

size_t rec_defs_size(const struct rec_defs *d)
{
	return intern_size(&d->strings) + rec_nodes_size(&d->nodes) +
	       rec_images_size(d->images, d->shard);
}

bool rec_defs_due(const struct rec_defs *d, uint64_t now_ns)
{
	return d->n_nodes >= MAX_NODES || rec_defs_size(d) >= MAX_SIZE ||
	       now_ns - d->epoch_since >= MAX_EPOCH_NS;
}

static void begin_epoch(struct rec_defs *d, uint64_t now_ns)
{
	intern_fini(&d->strings);
	/* Fresh memory costs more than emptying what there is. */
	rec_nodes_clear(&d->nodes);
	map64_clear(&d->keys);
	rec_images_new_epoch(d->images, d->shard);
	d->epoch_since = now_ns;
	define_zeros(d);
}

bool rec_defs_new_epoch(struct rec_defs *d, uint64_t now_ns)
{
	if (!rec_sink_new_epoch(d->sink))
		return false;
	begin_epoch(d, now_ns);
	return true;
}

bool rec_defs_new_segment(struct rec_defs *d, uint64_t now_ns)
{
	if (!rec_sink_new_segment(d->sink))
		return false;
	for (; d; d = d->next)
		begin_epoch(d, now_ns);
	return true;
}
