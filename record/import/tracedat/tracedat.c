/* Imports what trace-cmd record wrote: trace.dat of versions 6 and 7. */
#include "record/import/importer.h"
#include "record/import/tracedat/facts.h"
#include "record/import/tracedat/give.h"
#include "record/import/tracedat/merge.h"

#include <inttypes.h>

struct import {
	struct rec_intake *to;
	struct rec_dat_file file;
	struct rec_dat_meta meta;
	struct rec_dat_formats formats;
	struct rec_dat_merge merge;
	struct rec_dat_give give;
};

static void fini(struct import *im)
{
	rec_dat_give_fini(&im->give);
	rec_dat_merge_fini(&im->merge);
	rec_dat_formats_fini(&im->formats);
	rec_dat_meta_fini(&im->meta, &im->file);
	rec_dat_file_close(&im->file);
}

static struct span part_of(const struct import *im,
			   enum rec_dat_part_kind kind)
{
	return span_of(im->meta.parts[kind].p, im->meta.parts[kind].n);
}

/* Those up to a place that makes no sense are there. */
static int read_formats(struct import *im, struct err *err)
{
	struct span ftrace = part_of(im, REC_DAT_FTRACE);
	struct span events = part_of(im, REC_DAT_EVENTS);
	bool big = im->file.big;
	struct err why;
	int rc = 0;

	if (ftrace.n)
		rc = rec_dat_formats_add_ftrace(&im->formats, ftrace, big,
						&why);
	rec_dat_meta_note(&im->meta, &rc, &why);
	if (rc == 0 && events.n)
		rc = rec_dat_formats_add_systems(&im->formats, events, big,
						 &why);
	rec_dat_meta_note(&im->meta, &rc, &why);
	return rc < 0 ? err_set(err, rc, "%s", why.text) : 0;
}

static int read_tellings(struct import *im, struct rec_input *in,
			 struct err *err)
{
	uint64_t size;
	int fd, rc;

	rc = rec_input_file(in, &fd, &size, err);
	if (rc == 0)
		rc = rec_dat_file_open(&im->file, fd, size, err);
	if (rc == 0)
		rc = rec_dat_meta_read(&im->meta, &im->file, err);
	return rc == 0 ? read_formats(im, err) : rc;
}

/* Something to be read; a latency tracer's file holds text instead. */
static int check_records(const struct rec_dat_meta *m, struct err *err)
{
	bool text = m->latency != 0;

	for (size_t i = 0; i < m->options.n_buffers; i++) {
		if (m->options.buffers[i].n)
			return 0;
		text |= m->options.buffers[i].text;
	}
	return err_set(err, ERR_UNSUPPORTED, "it holds no records, %s", text ?
		       "but the text of a latency tracer (try: trace-cmd "
		       "report)" : "and no CPU that has any");
}

/* What is missing is so because of what was damaged before. */
static int find_records(struct import *im, struct err *err)
{
	int rc = check_records(&im->meta, err);

	if (rc == 0)
		rc = rec_dat_merge_init(&im->merge, &im->file, &im->meta,
					&im->formats, err);
	if ((rc == ERR_FORMAT || rc == ERR_UNSUPPORTED) && im->meta.damaged)
		return err_set(err, im->meta.damage.code, "%s",
			       im->meta.damage.text);
	return rc;
}

static int begin(struct import *im, struct err *err)
{
	int rc = find_records(im, err);

	if (rc == 0)
		rc = rec_dat_facts(im->to, &im->file, &im->meta, err);
	return rc == 0 ? rec_dat_give_init(&im->give, im->to, &im->file,
					   &im->meta, err) : rc;
}

static int give_rows(struct import *im, struct err *err)
{
	struct rec_dat_row row;
	uint64_t first = 0;
	bool any = false;
	int rc;

	while ((rc = rec_dat_merge_next(&im->merge, &row, err)) == 0) {
		if (!any)
			first = row.time;
		any = true;
		rc = rec_dat_give_row(&im->give, &row, err);
		if (rc < 0)
			return rc;
	}
	if (rc == 1)
		rec_dat_facts_clock(im->to, &im->meta, first);
	return rc < 0 ? rc : 0;
}

static void finish_streams(struct import *im, const struct err **damage,
			   unsigned *n)
{
	for (size_t i = 0; i < im->merge.n; i++) {
		struct rec_dat_stream *s = &im->merge.streams[i];

		if (s->lost)
			rec_dat_give_lost(&im->give, s->cpu, s->page.time,
					  s->n_lost);
		if (s->hurt)
			rec_dat_give_senseless(&im->give, (int)s->cpu,
					       im->give.last, 0);
		if (s->damaged && !*damage)
			*damage = &s->damage;
		*n += s->damaged;
	}
}

/* All that happened on them is missing. */
static bool lacks_cpus(const struct rec_dat_meta *m)
{
	const struct rec_dat_options *o = &m->options;

	return m->damaged && o->n_buffers && o->buffers[0].n < o->cpus;
}

/* 1: something was damaged, *err tells of the first thing. */
static int end(struct import *im, struct err *err)
{
	const struct err *damage = im->meta.damaged ? &im->meta.damage : NULL;
	unsigned n = im->meta.damaged;

	finish_streams(im, &damage, &n);
	if (lacks_cpus(&im->meta))
		rec_dat_give_senseless(&im->give, -1, 0, 0);
	rec_dat_give_rest(&im->give);
	rec_dat_facts_end(&im->give, &im->formats);
	if (!damage)
		return 0;
	if (n > 1)
		(void)err_set(err, ERR_FORMAT, "%s (and %u more)",
			      damage->text, n - 1);
	else
		(void)err_set(err, ERR_FORMAT, "%s", damage->text);
	return 1;
}

static int run(struct rec_input *in, struct rec_intake *to,
	       const struct rec_import_options *options, struct err *err)
{
	struct import im = { .to = to };
	int rc;

	(void)options;
	rc = read_tellings(&im, in, err);
	if (rc == 0)
		rc = begin(&im, err);
	if (rc == 0)
		rc = give_rows(&im, err);
	if (rc == 0)
		rc = end(&im, err);
	fini(&im);
	return rc;
}

const struct rec_importer rec_import_trace_dat = {
	.name = "trace.dat",
	.summary = "what trace-cmd record wrote, versions 6 and 7",
	.is = rec_dat_is,
	.run = run,
};
