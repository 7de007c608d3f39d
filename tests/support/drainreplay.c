/* How many events a second the drain takes from the rings of a machine with
 * many CPUs: `drainreplay [RINGS] [MIB]` fills RINGS rings of MIB each with
 * records of sched:sched_switch as the kernel writes them (128 bytes) and drains
 * them with 1, 2, 4 and 8 shards into a file that is thrown away. Each line:
 * shards, events; wall ns an event; CPU ns an event of all threads, and of the
 * drain (of the first shard, as if all were like it). */
#include "record/drain/drain.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/perf/perf_state.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 200, RECORD = 128, RAW = 68, FD = 7 };

static const char format[] =
	"name: sched_switch\nID: 372\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

struct replay {
	size_t n_rings, ring_size;
	int *files;          /* behind the rings */
	struct rec_perf perf;
	struct rec_event event;
	struct rec_layout layout;
	struct rec_perf_fd fd;
	struct rec_tracepoints tracepoints;
	struct rec_tracepoint *table[1], *of_event[1];
};

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "drainreplay: %s: %s\n", what, err ? err->text : "");
	exit(1);
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	memcpy(p, &v, n);
}

/* Of thread `from` leaving CPU `cpu` to thread `to`. */
static void write_record(uint8_t *r, uint64_t time, unsigned cpu,
			 unsigned from, unsigned to)
{
	uint8_t *raw = r + 60;

	memset(r, 0, RECORD);
	put(r, PERF_RECORD_SAMPLE, 4);
	put(r + 4, PERF_RECORD_MISC_KERNEL, 2);
	put(r + 6, RECORD, 2);
	put(r + 8, FD, 8);
	put(r + 16, 0xffffffff81000100, 8);
	put(r + 24, 1000 + from, 4);
	put(r + 28, 1000 + from, 4);
	put(r + 32, time, 8);
	put(r + 40, cpu, 4);
	put(r + 48, 1, 8);
	put(r + 56, RAW, 4);
	put(raw, 372, 2);
	put(raw + 4, 1000 + from, 4);
	snprintf((char *)raw + 8, 16, "thread-%u", from);
	put(raw + 24, 1000 + from, 4);
	put(raw + 28, 120, 4);
	put(raw + 32, from % 3 ? 1 : 0, 8);
	snprintf((char *)raw + 40, 16, "thread-%u", to);
	put(raw + 56, 1000 + to, 4);
	put(raw + 60, 120, 4);
}

static void fill(struct replay *p, size_t ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *m = mmap(NULL, page + p->ring_size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, p->files[ring], 0);
	struct perf_event_mmap_page *control = (void *)m;
	uint64_t time = 1000000 + ring, random = 88172645463325252u + ring;
	unsigned from = (unsigned)ring % THREADS;

	if (m == MAP_FAILED)
		die("mmap", NULL);
	for (size_t at = 0; at + RECORD <= p->ring_size; at += RECORD) {
		unsigned to;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		to = (unsigned)(random % THREADS);
		time += 4000 + random % 8000;
		write_record(m + page + at, time, (unsigned)ring, from, to);
		from = to;
	}
	control->data_head = p->ring_size;
	munmap(m, page + p->ring_size);
}

static int file_of_ring(size_t size)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		die("memfd", NULL);
	return fd;
}

static void make(struct replay *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct err err = { 0 };
	bool fresh;

	p->layout = (struct rec_layout){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_RAW,
		.sample_id_all = true,
	};
	p->event.name = (char[]){ "sched:sched_switch" };
	p->event.unit = "";
	p->event.attr.type = PERF_TYPE_TRACEPOINT;
	p->perf.events = &p->event;
	p->perf.n_events = 1;
	p->perf.layouts = &p->layout;
	p->perf.fds = &p->fd;
	if (!map64_put(&p->perf.ids, FD, 0, &fresh))
		die("memory", NULL);
	p->perf.rings.n = p->n_rings;
	p->perf.rings.items = calloc(p->n_rings, sizeof(*p->perf.rings.items));
	p->files = calloc(p->n_rings, sizeof(*p->files));
	if (!p->perf.rings.items || !p->files)
		die("memory", NULL);
	for (size_t i = 0; i < p->n_rings; i++)
		p->files[i] = file_of_ring(page + p->ring_size);
	if (rec_tracepoint_new(&p->table[0], "sched", "sched_switch",
			       span_of(format, strlen(format)),
			       TF_TABLE_DYNAMIC, &err))
		die("format", &err);
	p->of_event[0] = p->table[0];
	p->tracepoints = (struct rec_tracepoints){
		.root = "", .of_event = p->of_event, .n_events = 1 };
}

static void map_rings(struct replay *p)
{
	struct err err = { 0 };

	for (size_t i = 0; i < p->n_rings; i++) {
		struct rec_cpu_rings *r = &p->perf.rings.items[i];

		fill(p, i);
		r->cpu = (int)i;
		if (rec_ring_new(&r->ring[REC_RING_SAMPLES], p->files[i],
				 p->ring_size, &err))
			die("ring", &err);
	}
}

static void unmap_rings(struct replay *p)
{
	for (size_t i = 0; i < p->n_rings; i++)
		rec_ring_free(p->perf.rings.items[i].ring[REC_RING_SAMPLES]);
}

static int swallow(struct tf_sink *s, const struct iovec *v, int n,
		   struct err *err)
{
	(void)s;
	(void)v;
	(void)n;
	(void)err;
	return 0;
}

static int cut(struct tf_sink *s, uint64_t size, struct err *err)
{
	(void)s;
	(void)size;
	(void)err;
	return 0;
}

/* A recorder that writes nowhere, of a machine whose threads are known. */
struct recorder {
	struct tf_sink nowhere;
	struct rec_losses losses;
	struct rec_names names;
	struct rec_drain drain;
	struct rec_stacks stacks;
	struct rec_world world;
	struct rec_sink *sink;
	struct rec_defs defs;
};

static void start(struct replay *p, struct recorder *r, unsigned shards)
{
	static const struct tf_file_info info = { .start_unix_ns = 1 };
	const struct tf_table *tables[] = { &p->table[0]->table };
	struct err err = { 0 };

	r->nowhere = (struct tf_sink){ swallow, cut, NULL, "nowhere" };
	if (rec_world_init(&r->world, "", &err) ||
	    rec_sink_new(&r->sink, &r->nowhere, &info, &err) ||
	    rec_sink_add_tables(r->sink, tables, 1, &err) ||
	    rec_defs_init(&r->defs, r->sink, &r->world.images, "/nowhere", 1,
			  0, &err))
		die("start", &err);
	r->defs.tracepoints = &p->tracepoints;
	r->names.defs = &r->defs;
	r->world.root = "/nowhere";
	for (int i = 0; i < THREADS; i++)
		if (!rec_threads_add(&r->world.threads, 1000 + i, 1000 + i,
				     span_of("thread", 6), r->world.no_mm, 0))
			die("memory", NULL);
	if (rec_stacks_init(&r->stacks, &r->defs, &r->world.kernel, &r->names,
			    127, &err))
		die("stacks", &err);
	r->drain.from = (struct rec_sources){
		.perf = &p->perf, .world = &r->world, .losses = &r->losses,
		.tracepoints = &p->tracepoints, .own_pid = -1,
		.kernel_counts_loss = true };
	if (rec_drain_init(&r->drain, &r->defs, &r->stacks, shards, &err))
		die("drain", &err);
}

static void stop(struct recorder *r)
{
	rec_drain_fini(&r->drain);
	rec_stacks_fini(&r->stacks);
	rec_defs_fini(&r->defs);
	rec_sink_free(r->sink);
	rec_world_fini(&r->world);
	rec_losses_fini(&r->losses);
	free(r);
}

/* Everything that the rings hold, to the file. Returns the rows. */
static uint64_t empty_rings(struct replay *p, struct recorder *r)
{
	uint64_t all = p->n_rings * (p->ring_size / RECORD), n;

	do {
		rec_crew_run(&r->drain.crew, r->drain.shards,
			     r->drain.n_shards, UINT64_MAX);
		n = rec_drain_totals(&r->drain).samples;
		if (n < all)
			(void)rec_sink_reserve_wait(r->sink);
	} while (n < all);
	return n;
}

static void drain(struct replay *p, unsigned shards)
{
	struct recorder *r = calloc(1, sizeof(*r));
	uint64_t wall, all, own, n;
	struct err err = { 0 };

	if (!r)
		die("memory", NULL);
	memset(p->table[0]->row, 0, sizeof(p->table[0]->row));
	map_rings(p);
	start(p, r, shards);
	wall = time_now_ns(CLOCK_MONOTONIC);
	all = time_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	own = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
	n = empty_rings(p, r);
	own = time_now_ns(CLOCK_THREAD_CPUTIME_ID) - own;
	if (rec_sink_close(r->sink, &err))
		die("close", &err);
	wall = time_now_ns(CLOCK_MONOTONIC) - wall;
	all = time_now_ns(CLOCK_PROCESS_CPUTIME_ID) - all;
	printf("%u %" PRIu64 " %.1f %.1f %.1f\n", shards, n,
	       (double)wall / (double)n, (double)all / (double)n,
	       (double)own * shards / (double)n);
	stop(r);
	unmap_rings(p);
}

int main(int argc, char **argv)
{
	struct replay *p = calloc(1, sizeof(*p));
	size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;

	if (!p)
		return 1;
	p->n_rings = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	p->ring_size = mib << 20;
	make(p);
	puts("# shards events wall_ns cpu_ns drain_ns (each an event)");
	for (unsigned shards = 1; shards <= REC_SHARDS_MAX; shards *= 2)
		drain(p, shards);
	rec_tracepoint_free(p->table[0]);
	map64_fini(&p->perf.ids);
	free(p->perf.rings.items);
	free(p->files);
	free(p);
	return 0;
}
