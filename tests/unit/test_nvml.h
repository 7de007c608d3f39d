/* A machine with GPUs of NVIDIA, by a library that stands in for theirs, and
 * what was read of it. */
#ifndef TESTS_TEST_NVML_H
#define TESTS_TEST_NVML_H

#include "record/counter/source.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000u

struct machine {
	struct filetree tree;
	struct rec_readings r;
	struct rec_counter_opening how;
	void *state;
	struct err err;
};

/* The library of that age, beside the folder of this program. */
static inline void library(int age)
{
	char exe[512], path[600];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(n > 0);
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	snprintf(path, sizeof(path), "%s/../support/nvml_%d.so", exe, age);
	assert_int_equal(setenv("COLTRACE_NVML", path, 1), 0);
}

static inline int set_up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	filetree_init(&m->tree);
	m->how.root = m->tree.root;
	m->how.interval_ns = 1000 * MS;
	library(4);
	*state = m;
	return 0;
}

static inline void shut(struct machine *m)
{
	if (m->state)
		rec_counter_nvml.close(m->state);
	m->state = NULL;
	rec_readings_fini(&m->r);
}

static inline int tear_down(void **state)
{
	struct machine *m = *state;

	shut(m);
	filetree_fini(&m->tree);
	free(m);
	return 0;
}

static inline int try_open(struct machine *m, const char *script)
{
	shut(m);
	setenv("COLTRACE_NVML_SCRIPT", script, 1);
	assert_int_equal(rec_readings_init(&m->r, &m->err), 0);
	return rec_counter_nvml.open(&m->state, &m->how, &m->r, &m->err);
}

static inline void opens(struct machine *m, const char *script)
{
	if (try_open(m, script))
		fail_msg("%s", m->err.text);
}

static inline void reads(struct machine *m, int times)
{
	while (times--)
		rec_counter_nvml.read(m->state, &m->r);
}

/* The number of a series, counted from 0; -1: there is none. Of several the last
 * one. `device` NULL: any. */
static inline int series_of(const struct machine *m, const char *device,
			    const char *name, const char *part, uint32_t pid)
{
	for (size_t i = m->r.n_series; i > 0; i--) {
		const struct rec_series *s = &m->r.series[i - 1];

		if (!strcmp(s->name, name) && !strcmp(s->part, part) &&
		    s->pid == pid &&
		    (!device || !strcmp(s->device, device)))
			return (int)i - 1;
	}
	return -1;
}

static inline size_t rows_of(const struct machine *m, int series)
{
	size_t n = 0;

	for (size_t i = 0; i < m->r.n; i++)
		n += m->r.rows[i].series == (uint32_t)series;
	return n;
}

static inline const struct rec_reading *row(const struct machine *m, int series,
					    size_t nth)
{
	for (size_t i = 0; i < m->r.n; i++)
		if (m->r.rows[i].series == (uint32_t)series && !nth--)
			return &m->r.rows[i].r;
	fail_msg("series %d has no such row", series);
	return NULL;
}

/* Its rows are these: values, "failed" or "gone", with blanks between. */
static inline void says(const struct machine *m, const char *device,
			const char *name, const char *part, uint32_t pid,
			const char *want)
{
	int id = series_of(m, device, name, part, pid);
	char text[512] = "";

	for (size_t i = 0; i < m->r.n; i++) {
		const struct rec_reading *r = &m->r.rows[i].r;
		size_t n = strlen(text);

		if (m->r.rows[i].series != (uint32_t)id)
			continue;
		if (n && n < sizeof(text) - 1)
			text[n++] = ' ', text[n] = 0;
		if (r->state == TF_COUNTER_READ)
			snprintf(text + n, sizeof(text) - n, "%lld",
				 (long long)r->value);
		else
			snprintf(text + n, sizeof(text) - n, "%s",
				 r->state == TF_COUNTER_GONE   ? "gone" :
				 r->state == TF_COUNTER_FAILED ? "failed" :
								 "none");
	}
	assert_string_equal(text, want);
}

/* Why that is missing; NULL: nobody said so. */
static inline const char *why(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->r.n_missing; i++)
		if (!strcmp(m->r.missing[i].name, name))
			return m->r.missing[i].why;
	return NULL;
}

#endif
