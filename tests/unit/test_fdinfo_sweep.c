/* Who has files of a GPU, in trees of /proc made by hand; who opens a node is told
 * by the kernel of this machine, of files that stand for nodes. */
#include "record/counter/fdinfo/sweep.h"

#include "format/base/mem.h"
#include "tests/support/drmtree.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define S 1000000000ull
#define MS 1000000ull

struct machine {
	struct filetree tree;
	struct rec_drm_sweep s;
	uint64_t now;
	char seen[512];
	size_t n;
};

static int set_up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	filetree_init(&m->tree);
	filetree_text(&m->tree, "/proc/uptime", "1 1\n");
	filetree_text(&m->tree, "/dev/dri/renderD128", "");
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *m = *state;

	if (m->s.names)
		rec_drm_sweep_close(&m->s);
	filetree_fini(&m->tree);
	free(m);
	return 0;
}

static bool note(void *ctx, pid_t pid, int fd, const char *node)
{
	struct machine *m = ctx;

	(void)node;
	m->n += (size_t)snprintf(m->seen + m->n, sizeof(m->seen) - m->n,
				 "%s/%d ", pid == getpid() ? "self" : "other",
				 fd);
	return true;
}

/* -- By what the kernel tells ----------------------------------------------- */

/* Nothing is paid for but what must be. */
static void begin(struct machine *m, const pid_t *only, size_t n_only)
{
	struct err err = { 0 };

	assert_int_equal(rec_drm_sweep_open(&m->s, m->tree.root, only, n_only,
					    note, m, &err), 0);
	m->now = m->s.ticked_ns;
	m->s.cost_ns = 1000 * S;
	m->s.for_all_ns = m->s.for_new_ns = 0;
}

static void use(const struct machine *m, const char *path, int flags)
{
	char full[128];
	int fd;

	snprintf(full, sizeof(full), "%s%s", m->tree.root, path);
	fd = open(full, flags | O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
}

static void use_by_child(const struct machine *m)
{
	pid_t pid = fork();
	int status = 1;

	assert_true(pid >= 0);
	if (!pid) {
		use(m, "/dev/dri/renderD128", 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The next reading, 10 ms later: what it found. */
static const char *reading(struct machine *m)
{
	m->n = 0;
	m->seen[0] = 0;
	m->now += 10 * MS;
	assert_false(rec_drm_sweep_tick(&m->s, m->now));
	return m->seen;
}

/* As if the numbers of the tree's processes were those of this machine. */
static void begin_with_numbers(struct machine *m, const pid_t *only,
			       size_t n_only)
{
	char self[16];

	snprintf(self, sizeof(self), "%d", (int)getpid());
	drmtree_link(&m->tree, "/proc/self", self);
	begin(m, only, n_only);
	use_by_child(m);
	(void)reading(m);
	if (!m->s.opens.who || m->s.heard)
		skip(); /* no fanotify here, or no right to hear who it is */
	m->s.n_openers = 0;
}

static void who_opened_a_node_is_looked_at_with_the_next_reading(void **state)
{
	struct machine *m = *state;

	begin_with_numbers(m, NULL, 0);
	drmtree_other(&m->tree, getpid(), 7, "/dev/dri/renderD128");
	drmtree_other(&m->tree, 1, 7, "/dev/dri/renderD128");
	assert_string_equal(reading(m), "");
	use(m, "/dev/dri/renderD128", 0);
	assert_string_equal(reading(m), "self/7 ");
	/* What it has, it had not before the reading before. */
	assert_true(m->s.watched_ns == m->now - 10 * MS);
	assert_string_equal(reading(m), "");
	assert_false(m->s.opened);
}

static void who_opened_the_folder_opened_no_node(void **state)
{
	struct machine *m = *state;

	begin_with_numbers(m, NULL, 0);
	drmtree_other(&m->tree, getpid(), 7, "/dev/dri/renderD128");
	use(m, "/dev/dri", O_DIRECTORY);
	assert_string_equal(reading(m), "");
	assert_int_equal(m->s.n_openers, 0);
}

/* One of two may come to have its number a moment later. */
static void who_has_less_than_it_opened_is_looked_at_once_more(void **state)
{
	struct machine *m = *state;

	begin_with_numbers(m, NULL, 0);
	filetree_text(&m->tree, "/dev/dri/card0", "");
	(void)reading(m);
	(void)reading(m);
	drmtree_other(&m->tree, getpid(), 7, "/dev/dri/renderD128");
	use(m, "/dev/dri/renderD128", 0);
	use(m, "/dev/dri/card0", 0);
	assert_string_equal(reading(m), "self/7 ");
	assert_string_equal(reading(m), "self/7 ");
	assert_string_equal(reading(m), "");
}

/* It may have handed it on: all are looked at as soon as that is paid for. */
static void who_has_none_any_more_makes_others_be_looked_at(void **state)
{
	struct machine *m = *state;

	begin_with_numbers(m, NULL, 0);
	drmtree_other(&m->tree, 1, 7, "/dev/dri/renderD128");
	use_by_child(m);
	assert_string_equal(reading(m), "");
	assert_string_equal(reading(m), "");
	assert_true(m->s.opened);
	m->s.for_all_ns = (int64_t)m->s.cost_ns;
	m->now += S;
	assert_true(rec_drm_sweep_tick(&m->s, m->now));
	assert_string_equal(m->seen, "other/7 ");
}

static void of_a_few_only_these_are_looked_at(void **state)
{
	struct machine *m = *state;
	const pid_t only = getpid();

	begin_with_numbers(m, &only, 1);
	drmtree_other(&m->tree, getpid(), 7, "/dev/dri/renderD128");
	use_by_child(m);
	assert_string_equal(reading(m), "");
	use(m, "/dev/dri/renderD128", 0);
	assert_string_equal(reading(m), "self/7 ");
	/* It may be older, where others are not looked at. */
	assert_int_equal(m->s.watched_ns, 0);
}

static void what_is_not_paid_for_comes_later(void **state)
{
	struct machine *m = *state;

	begin_with_numbers(m, NULL, 0);
	drmtree_other(&m->tree, getpid(), 7, "/dev/dri/renderD128");
	/* 10 ms earn 0.1 ms. */
	m->s.for_openers_ns = -(int64_t)MS;
	use(m, "/dev/dri/renderD128", 0);
	assert_string_equal(reading(m), "");
	m->s.for_openers_ns = 0;
	assert_string_equal(reading(m), "self/7 ");
}

/* In another one's /proc numbers of processes mean nothing: then, as without
 * fanotify, those are looked at that are new. */
static void without_numbers_new_ones_are_looked_at_at_once(void **state)
{
	struct machine *m = *state;

	begin(m, NULL, 0);
	assert_false(m->s.opens.who);
	drmtree_other(&m->tree, 1, 7, "/dev/dri/renderD128");
	assert_string_equal(reading(m), "");
	use(m, "/dev/dri/renderD128", 0);
	m->s.for_new_ns = (int64_t)S;
	assert_string_equal(reading(m), "other/7 ");
	assert_string_equal(reading(m), "");
	use(m, "/dev/dri/renderD128", 0);
	m->s.for_new_ns = -(int64_t)S;
	assert_string_equal(reading(m), "");
}

/* -- By made-up costs and times --------------------------------------------- */

struct seen {
	char text[512];
	size_t n;
};

static bool note_all(void *ctx, pid_t pid, int fd, const char *node)
{
	struct seen *s = ctx;

	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n,
				 "%d/%d:%s ", (int)pid, fd, node);
	return true;
}

static int open_all(struct rec_drm_sweep *s, const struct machine *m,
		    struct seen *seen, struct err *err)
{
	return rec_drm_sweep_open(s, m->tree.root, NULL, 0, note_all, seen,
				  err);
}

static void holds(const struct machine *m, int pid, int fd)
{
	drmtree_file(&m->tree, pid, fd, "renderD128", "");
}

static void files_are_found_by_their_links(void **state)
{
	struct machine *m = *state;
	struct rec_drm_sweep s;
	struct err err = { 0 };
	struct seen seen = { .n = 0 };
	const pid_t only[] = { 300, 20 };

	holds(m, 20, 3);
	holds(m, 300, 44);
	drmtree_other(&m->tree, 20, 0, "/dev/null");
	drmtree_other(&m->tree, 20, 1, "socket:[77]");
	drmtree_other(&m->tree, 20, 2, "/dev/input/event3");
	drmtree_other(&m->tree, 9, 5, "/dev/accel/accel0");
	drmtree_other(&m->tree, 9, 6, "/home/dev/dri/card0");
	assert_int_equal(open_all(&s, m, &seen, &err), 0);
	assert_string_equal(seen.text, "9/5:accel0 20/3:renderD128 "
			    "300/44:renderD128 ");
	assert_int_equal(s.denied, 0);
	rec_drm_sweep_close(&s);
	seen = (struct seen){ .n = 0 };
	assert_int_equal(rec_drm_sweep_open(&s, m->tree.root, only, 2, note_all,
					    &seen, &err), 0);
	assert_string_equal(seen.text, "20/3:renderD128 300/44:renderD128 ");
	rec_drm_sweep_close(&s);
}

/* At made-up times: a second has to pass between two looks. */
static void new_processes_are_looked_at_twice(void **state)
{
	struct machine *m = *state;
	struct rec_drm_sweep s;
	struct err err = { 0 };
	struct seen seen = { .n = 0 };
	uint64_t now;

	assert_int_equal(open_all(&s, m, &seen, &err), 0);
	now = s.ticked_ns;
	s.cost_ns = 1000 * S; /* a look at all is too dear */
	s.for_all_ns = 0;
	holds(m, 20, 3);
	assert_false(rec_drm_sweep_tick(&s, now + S - 1));
	for (unsigned i = 1; i < 5; i++) {
		s.for_new_ns = S;
		assert_true(rec_drm_sweep_tick(&s, now + i * S));
	}
	assert_string_equal(seen.text, "20/3:renderD128 20/3:renderD128 ");
	rec_drm_sweep_close(&s);
}

/* What the kernel says of the latest number of a process. */
static void latest_is(const struct machine *m, const char *pid)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "0.10 0.10 0.10 1/99 %s\n", pid);

	filetree_bytes(&m->tree, "/proc/loadavg", line, (size_t)n);
}

static void where_no_process_began_none_are_listed(void **state)
{
	struct machine *m = *state;
	struct rec_drm_sweep s;
	struct err err = { 0 };
	struct seen seen = { .n = 0 };
	char self[16];
	uint64_t now;

	snprintf(self, sizeof(self), "%d", (int)getpid());
	drmtree_link(&m->tree, "/proc/self", self);
	latest_is(m, "19");
	assert_int_equal(open_all(&s, m, &seen, &err), 0);
	now = s.ticked_ns;
	s.cost_ns = 1000 * S;
	s.for_all_ns = 0;
	s.for_new_ns = S;
	/* It cannot be there before the kernel gave its number. */
	holds(m, 20, 3);
	assert_true(rec_drm_sweep_tick(&s, now + S));
	assert_string_equal(seen.text, "");
	latest_is(m, "20");
	for (unsigned i = 2; i < 5; i++) {
		s.for_new_ns = S;
		assert_true(rec_drm_sweep_tick(&s, now + i * S));
	}
	assert_string_equal(seen.text, "20/3:renderD128 20/3:renderD128 ");
	rec_drm_sweep_close(&s);
}

static void an_opened_node_is_looked_for_at_once(void **state)
{
	struct machine *m = *state;
	struct rec_drm_sweep s;
	struct err err = { 0 };
	struct seen seen = { .n = 0 };
	char path[128];
	uint64_t now;
	int fd;

	drmtree_other(&m->tree, 20, 3, "/dev/null");
	assert_int_equal(open_all(&s, m, &seen, &err), 0);
	now = s.ticked_ns;
	s.cost_ns = S;
	s.for_all_ns = S; /* for one of them, not for two */
	holds(m, 20, 4);
	assert_true(rec_drm_sweep_tick(&s, now + 1 * S));
	(void)rec_drm_sweep_tick(&s, now + 2 * S);
	/* The tree was written to, too: only what comes now counts. */
	seen = (struct seen){ .n = 0 };
	s.cost_ns = S;
	s.for_all_ns = S;
	assert_true(rec_drm_sweep_tick(&s, now + 3 * S));
	assert_string_equal(seen.text, "");
	snprintf(path, sizeof(path), "%s/dev/dri/card0", m->tree.root);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	assert_true(rec_drm_sweep_tick(&s, now + 4 * S));
	assert_string_equal(seen.text, "20/4:renderD128 ");
	assert_true(s.all_ns && s.watched_ns);
	rec_drm_sweep_close(&s);
}

static void a_look_at_all_is_paid_for_by_time(void **state)
{
	struct machine *m = *state;
	struct rec_drm_sweep s;
	struct err err = { 0 };
	struct seen seen = { .n = 0 };
	uint64_t now;
	unsigned n = 1;

	holds(m, 20, 4);
	assert_int_equal(open_all(&s, m, &seen, &err), 0);
	seen = (struct seen){ .n = 0 };
	now = s.ticked_ns;
	s.cost_ns = 20 * S / 1000; /* 20 ms: 10 s at 0.2 % */
	s.for_all_ns = 20 * S / 1000;
	rec_drm_opens_close(&s.opens);
	while (n < 100 && !seen.n)
		(void)rec_drm_sweep_tick(&s, now + n++ * S);
	assert_int_equal(n - 1, 10);
	rec_drm_sweep_close(&s);
}

int main(void)
{
#define ROW(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ROW(files_are_found_by_their_links),
		ROW(new_processes_are_looked_at_twice),
		ROW(where_no_process_began_none_are_listed),
		ROW(an_opened_node_is_looked_for_at_once),
		ROW(a_look_at_all_is_paid_for_by_time),
		ROW(who_opened_a_node_is_looked_at_with_the_next_reading),
		ROW(who_opened_the_folder_opened_no_node),
		ROW(who_has_less_than_it_opened_is_looked_at_once_more),
		ROW(who_has_none_any_more_makes_others_be_looked_at),
		ROW(of_a_few_only_these_are_looked_at),
		ROW(what_is_not_paid_for_comes_later),
		ROW(without_numbers_new_ones_are_looked_at_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
