/* A client, game/10, that draws and flips: what tests of late display frames are
 * made of. Times are in ns; a display frame is 10 ms long. */
#ifndef TESTS_UNIT_TEST_GPU_CLIENT_H
#define TESTS_UNIT_TEST_GPU_CLIENT_H

#include "analyze/gpu/stall.h"
#include "tests/unit/test_gpu_build.h"

#include <setjmp.h>

#include <cmocka.h>

#define MS 1000000ull
#define START (1000 * MS)

struct fixture {
	struct buf lines;
	struct gb_trace trace;
	struct an_gpu gpu;
};

static inline void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	buf_init(&f->lines, 0);
	gb_say(&f->lines, "thread 0 0 swapper\nthread 10 10 game\n"
	       "thread 11 10 render\nthread 12 12 rival\n"
	       "thread 30 30 kworker/0:1");
}

static inline void open_it(struct fixture *f, uint64_t idle_ns)
{
	struct err err = { 0 };

	gb_open(&f->trace, (const char *)f->lines.p);
	assert_int_equal(an_gpu_make(&f->gpu, f->trace.trace, idle_ns, &err),
			 0);
}

static inline void end(struct fixture *f)
{
	an_gpu_fini(&f->gpu);
	gb_close(&f->trace);
	buf_fini(&f->lines);
}

static inline void vblank(struct fixture *f, uint64_t time, uint32_t seq)
{
	gb_say(&f->lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u "
	       "time=%llu high_prec=1", (unsigned long long)time + 30000, seq,
	       (unsigned long long)time);
}

/* Comes right before the row of its vblank. */
static inline void delivered(struct fixture *f, uint64_t time, uint64_t file,
		      uint32_t seq)
{
	gb_say(&f->lines, "%llu 0 0 drm:drm_vblank_event_delivered "
	       "file=0x%llx crtc=0 seq=%u", (unsigned long long)time + 20000,
	       (unsigned long long)file, seq);
}

static inline void vblanks(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		vblank(f, START + i * 10 * MS, i);
}

#define CALL(f, time, edge, name, more)                                        \
	gb_say(&(f)->lines, "%llu 0 10 syscalls:sys_" edge "_" name more,      \
	       (unsigned long long)(time))
#define SWITCH(f, time, prev, state, next)                                     \
	gb_say(&(f)->lines, "%llu 0 " #prev " sched:sched_switch "             \
	       "prev_pid=" #prev " prev_state=" #state " next_pid=" #next,     \
	       (unsigned long long)(time))
#define WAKING(f, time, by, who)                                               \
	gb_say(&(f)->lines, "%llu 0 " #by " sched:sched_waking pid=" #who,     \
	       (unsigned long long)(time))

/* The delivery of vblank `seq` wakes the game, which sleeps in poll. */
static inline void wake_up(struct fixture *f, uint32_t seq)
{
	uint64_t time = START + seq * 10 * MS;

	delivered(f, time, 0xc0, seq);
	gb_say(&f->lines, "%llu 0 0 sched:sched_waking pid=10",
	       (unsigned long long)time + 25000);
	SWITCH(f, time + 40000, 0, 0, 10);
	CALL(f, time + 50000, "exit", "poll", " ret=1");
}

/* It flips and waits for that to be shown. */
static inline void flip(struct fixture *f, uint64_t time)
{
	CALL(f, time, "enter", "ioctl", " cmd=0xc01864b0");
	CALL(f, time + 100000, "exit", "ioctl", " ret=0");
	CALL(f, time + 110000, "enter", "poll", " nfds=1");
	SWITCH(f, time + 120000, 10, 1, 0);
}

static inline void one_in_time(struct fixture *f, uint32_t seq)
{
	wake_up(f, seq);
	flip(f, START + seq * 10 * MS + 2 * MS);
}

/* The last late one. */
static inline void explain(struct fixture *f, struct an_stall *s, char *text,
		    size_t size)
{
	struct err err = { 0 };
	struct buf said;
	uint32_t found = AN_NONE;

	for (uint32_t i = 0; i < f->gpu.clients.n; i++)
		if (f->gpu.clients.v[i].missed)
			found = i;
	assert_int_not_equal(found, AN_NONE);
	assert_int_equal(an_stall_explain(s, &f->gpu, found, &err), 0);
	buf_init(&said, 0);
	an_stall_text(s, &f->gpu, &said);
	snprintf(text, size, "%.*s", (int)said.n, (const char *)said.p);
	buf_fini(&said);
}

#endif
