/* Rows and call graphs against the slow way: every sample's stack walked by
 * itself, sets kept as arrays. */
#include "analyze/report/calltree.h"
#include "format/base/mem.h"
#include "format/layout.h"
#include "tests/support/tracebuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define N_SAMPLES 400
#define MAX_DEPTH 12
#define MAX_FRAMES (2 * TF_MAX_STACK_DEPTH + 1)

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/bin/app", NULL, 0 },
	{ "lib", TF_IMAGE_ELF, "/lib/lib.so", NULL, 0 },
	{ "kernel", TF_IMAGE_KERNEL, "[kernel.kallsyms]", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "app", "a", 0x100, 0x100, NULL }, { "app", "b", 0x200, 0x100, NULL },
	{ "app", "c", 0x300, 0x100, NULL }, { "lib", "d", 0x100, 0x100, NULL },
	{ "lib", "e", 0x200, 0x100, NULL },
	{ "kernel", "k", 0x100, 0x100, NULL },
	{ "kernel", "l", 0x200, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 1, 1, "one", 0 }, { 2, 1, "two", 0 }, { 3, 1, "one", 0 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 1000, 0, true },
};

struct fixture {
	char text[N_SAMPLES][2][MAX_DEPTH * 8];
	struct tb_sample samples[N_SAMPLES];
	struct tb_epoch epoch;
	char path[64];
	struct an_trace *t;
	struct an_profile profile;
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* Different addresses of one function, and much recursion. */
static void draw_stack(char *to, size_t size, const char *names, uint64_t *seed)
{
	uint32_t n = 1 + draw(seed, MAX_DEPTH - 1);
	size_t at = 0;

	for (uint32_t i = 0; i < n; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%c+0x%x",
				       i ? ";" : "",
				       names[draw(seed, (uint32_t)
						  strlen(names))],
				       4 + draw(seed, 3));
}

static void draw_samples(struct fixture *f)
{
	uint64_t seed = 42;

	for (size_t i = 0; i < N_SAMPLES; i++) {
		bool kernel = draw(&seed, 4) == 0;

		draw_stack(f->text[i][0], sizeof(f->text[i][0]), "abcde",
			   &seed);
		draw_stack(f->text[i][1], sizeof(f->text[i][1]), "kl", &seed);
		f->samples[i] = (struct tb_sample){
			.time = 1000 * i, .thread = draw(&seed, 3),
			.period = 1 + draw(&seed, 100), .user = f->text[i][0],
			.kernel = kernel ? f->text[i][1] : NULL,
			.times = 1 + draw(&seed, 3),
		};
	}
}

static int setup(void **state)
{
	static const struct log log = { NULL, "test", LOG_QUIET };
	struct fixture *f = calloc(1, sizeof(*f));
	struct an_selection sel = { .t_max = UINT64_MAX };
	struct tb_trace trace = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = 1,
		.epochs = &f->epoch, .n_epochs = 1,
	};
	int fd;

	draw_samples(f);
	f->epoch = (struct tb_epoch){ f->samples, N_SAMPLES };
	snprintf(f->path, sizeof(f->path), "/tmp/report-XXXXXX");
	fd = mkstemp(f->path);
	if (fd < 0 || close(fd) || tb_write(&trace, f->path, NULL) ||
	    an_trace_open(&f->t, f->path, &log, NULL) ||
	    an_profile_make(&f->profile, f->t, &sel, NULL))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	an_profile_fini(&f->profile);
	an_trace_close(f->t);
	unlink(f->path);
	free(f);
	return 0;
}

static const struct an_event_profile *event_of(const struct fixture *f)
{
	for (size_t i = 0; i < f->profile.n; i++)
		if (f->profile.events[i].total.samples)
			return &f->profile.events[i];
	return NULL;
}

struct made {
	struct an_sort sort;
	struct an_grouping g;
	struct an_hist h;
};

static void make(struct made *m, const struct fixture *f, const char *sort)
{
	struct an_hist_options o = {
		.weight = AN_WEIGHT_PERIOD, .stacks = true, .by_total = true,
	};

	memset(m, 0, sizeof(*m));
	assert_int_equal(an_sort_parse(&m->sort, sort, NULL), 0);
	assert_int_equal(an_grouping_make(&m->g, f->t, &m->sort, NULL), 0);
	assert_int_equal(an_hist_make(&m->h, f->t, event_of(f), &m->g,
				      &m->sort, &o, NULL), 0);
}

static void drop(struct made *m)
{
	an_hist_fini(&m->h);
	an_grouping_fini(&m->g);
}

static const char *const sorts[] = {
	"comm,dso,sym", "sym", "dso", "comm", "tid,dso", "pid", "pid,sym,comm",
};

/* What a row should weigh, one place after the other. */
static void weigh(const struct fixture *f, const struct made *m,
		  const struct an_entry *e, uint64_t *self, uint64_t *total,
		  uint64_t *samples)
{
	const struct an_event_profile *p = event_of(f);
	uint32_t frames[MAX_FRAMES];

	*self = *total = *samples = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct an_place *at = &p->places[i];
		size_t n = an_place_frames(f->t, at, frames, MAX_FRAMES);
		bool on = false;

		if (an_group_of(&m->g.threads, at->thread) != e->threads)
			continue;
		for (size_t k = 0; k < n; k++)
			on = on || an_group_of(&m->g.rows, frames[k]) == e->row;
		*total += on ? at->sum.period : 0;
		if (an_group_of(&m->g.rows, frames[0]) == e->row) {
			*self += at->sum.period;
			*samples += at->sum.samples;
		}
	}
}

static void rows_weigh_what_their_samples_weigh(void **state)
{
	const struct fixture *f = *state;

	for (size_t s = 0; s < ARRAY_LEN(sorts); s++) {
		struct made m;

		make(&m, f, sorts[s]);
		for (size_t i = 0; i < m.h.n; i++) {
			const struct an_entry *e = &m.h.entries[i];
			uint64_t self, total, samples;

			weigh(f, &m, e, &self, &total, &samples);
			assert_int_equal(e->self, self);
			assert_int_equal(e->total, total);
			assert_int_equal(e->samples, samples);
		}
		drop(&m);
	}
}

static void selves_add_up_and_no_row_is_over_the_whole(void **state)
{
	const struct fixture *f = *state;

	for (size_t s = 0; s < ARRAY_LEN(sorts); s++) {
		uint64_t self = 0, samples = 0;
		struct made m;

		make(&m, f, sorts[s]);
		for (size_t i = 0; i < m.h.n; i++) {
			const struct an_entry *e = &m.h.entries[i];

			self += e->self;
			samples += e->samples;
			assert_true(e->self <= e->total);
			assert_true(e->total <= m.h.total);
		}
		assert_int_equal(self, event_of(f)->total.period);
		assert_int_equal(samples, event_of(f)->total.samples);
		assert_int_equal(m.h.total, event_of(f)->total.period);
		drop(&m);
	}
}

static void rows_are_sorted_by_what_is_asked_for(void **state)
{
	struct made m;

	make(&m, *state, "comm,dso,sym");
	assert_int_equal(m.h.n_sorted, m.h.n);
	for (size_t i = 1; i < m.h.n_sorted; i++)
		assert_true(m.h.entries[m.h.sorted[i - 1]].total >=
			    m.h.entries[m.h.sorted[i]].total);
	drop(&m);
}

/* The part of a stack that the graph of a row shows, as steps, first to last;
 * 0: the row is not on it. */
static size_t chain_of(const struct fixture *f, const struct made *m,
		       const struct an_entry *e, const struct an_place *at,
		       const struct an_calltree_options *o, uint32_t *steps)
{
	uint32_t frames[MAX_FRAMES];
	size_t n = an_place_frames(f->t, at, frames, MAX_FRAMES);
	size_t first = 0, last = 0, found = 0;

	for (size_t k = 0; k < n; k++) /* leaf first */
		if (an_group_of(&m->g.rows, frames[k]) == e->row) {
			first = found++ ? first : k;
			last = k;
		}
	if (!found || (first != 0 && !o->children))
		return 0;
	if (o->order == AN_CALLEE) {
		for (size_t k = first; k < n; k++)
			steps[k - first] = an_group_of(&m->g.steps, frames[k]);
		return n - first;
	}
	n = first == 0 ? n : last + 1;
	for (size_t k = 0; k < n; k++)
		steps[k] = an_group_of(&m->g.steps, frames[n - 1 - k]);
	return n;
}

/* Weight of the stacks of a row that begin with a path. */
static uint64_t weigh_path(const struct fixture *f, const struct made *m,
			   const struct an_entry *e,
			   const struct an_calltree_options *o,
			   const uint32_t *path, size_t n)
{
	const struct an_event_profile *p = event_of(f);
	uint32_t steps[MAX_FRAMES];
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct an_place *at = &p->places[i];

		if (an_group_of(&m->g.threads, at->thread) == e->threads &&
		    chain_of(f, m, e, at, o, steps) >= n &&
		    !memcmp(steps, path, n * sizeof(*path)))
			sum += at->sum.period;
	}
	return sum;
}

/* Every branch of a row's graph: path, weight, and that the first level holds
 * all of the row. */
static void check_graph(const struct fixture *f, struct made *m,
			struct an_calltree *c, uint32_t row,
			const struct an_calltree_options *o)
{
	const struct an_entry *e = &m->h.entries[row];
	uint32_t path[MAX_FRAMES];
	size_t starts[MAX_FRAMES] = { 0 };
	uint64_t top = 0;
	struct an_branch b;

	assert_int_equal(an_calltree_start(c, row, NULL), 0);
	while (an_calltree_next(c, &b, NULL) == 0) {
		size_t at = starts[b.depth - 1];

		assert_true(b.n_steps > 0);
		memcpy(path + at, b.steps, b.n_steps * sizeof(*path));
		starts[b.depth] = at + b.n_steps;
		for (size_t k = 1; k <= b.n_steps; k++)
			assert_int_equal(weigh_path(f, m, e, o, path, at + k),
					 b.weight);
		top += b.depth == 1 ? b.weight : 0;
	}
	assert_int_equal(top, o->children ? e->total : e->self);
}

static void graphs_weigh_what_their_stacks_weigh(void **state)
{
	const struct fixture *f = *state;

	for (unsigned v = 0; v < 8; v++) {
		struct an_calltree_options o = {
			.order = v & 1 ? AN_CALLER : AN_CALLEE,
			.children = v & 2,
		};
		struct an_calltree *c;
		struct made m;

		make(&m, f, v & 4 ? "dso" : "comm,sym");
		assert_int_equal(an_calltree_new(&c, &m.h, f->t, &m.g, &o,
						 NULL), 0);
		for (uint32_t i = 0; i < m.h.n; i++)
			check_graph(f, &m, c, i, &o);
		an_calltree_free(c);
		drop(&m);
	}
}

/* fractal: what is left out is told, so that each branch is accounted for. */
static void a_rest_completes_its_branch(void **state)
{
	struct an_calltree_options o = {
		.order = AN_CALLER, .children = true, .fractal = true,
		.min_percent = 20,
	};
	struct an_calltree *c;
	uint64_t sums[MAX_FRAMES] = { 0 };
	size_t n_rests = 0;
	struct an_branch b;
	struct made m;

	make(&m, *state, "sym");
	assert_int_equal(an_calltree_new(&c, &m.h, ((struct fixture *)*state)->t,
					 &m.g, &o, NULL), 0);
	assert_int_equal(an_calltree_start(c, m.h.sorted[0], NULL), 0);
	while (an_calltree_next(c, &b, NULL) == 0) {
		sums[b.depth] += b.weight;
		sums[b.depth + 1] = 0;
		n_rests += b.n_steps == 0;
		assert_true(b.weight <= b.base);
		if (b.last)
			assert_int_equal(sums[b.depth], b.base);
		if (b.n_steps)
			assert_true(b.weight * 5 >= b.base);
	}
	assert_true(n_rests > 0);
	an_calltree_free(c);
	drop(&m);
}

static void the_limit_is_the_number_of_branches(void **state)
{
	struct an_calltree_options o = {
		.order = AN_CALLEE, .children = true, .limit = 2,
	};
	size_t counts[MAX_FRAMES] = { 0 };
	struct an_calltree *c;
	struct an_branch b;
	struct made m;

	make(&m, *state, "sym");
	assert_int_equal(an_calltree_new(&c, &m.h, ((struct fixture *)*state)->t,
					 &m.g, &o, NULL), 0);
	assert_int_equal(an_calltree_start(c, m.h.sorted[0], NULL), 0);
	while (an_calltree_next(c, &b, NULL) == 0) {
		assert_true(++counts[b.depth] <= 2);
		counts[b.depth + 1] = 0;
	}
	assert_int_equal(counts[1], 1); /* the row's own function */
	an_calltree_free(c);
	drop(&m);
}

static void an_unknown_key_names_the_known_ones(void **state)
{
	struct an_sort s;
	struct err err;

	(void)state;
	assert_int_equal(an_sort_parse(&s, "comm,cpu", &err), ERR_USAGE);
	assert_string_equal(err.text, "unknown sort key 'cpu' (known: comm, "
			    "pid, tid, source, cgroup, pid_ns, dso, "
			    "symbol or sym)");
	assert_int_equal(an_sort_parse(&s, "", &err), ERR_USAGE);
	assert_int_equal(an_sort_parse(&s, "sym,", &err), ERR_USAGE);
	assert_int_equal(an_sort_parse(&s, "sym,symbol,dso", &err), 0);
	assert_int_equal(s.n, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_weigh_what_their_samples_weigh),
		cmocka_unit_test(selves_add_up_and_no_row_is_over_the_whole),
		cmocka_unit_test(rows_are_sorted_by_what_is_asked_for),
		cmocka_unit_test(graphs_weigh_what_their_stacks_weigh),
		cmocka_unit_test(a_rest_completes_its_branch),
		cmocka_unit_test(the_limit_is_the_number_of_branches),
		cmocka_unit_test(an_unknown_key_names_the_known_ones),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
