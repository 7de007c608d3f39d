#include "record/import/import.h"

#include <stdio.h>
#include <string.h>

/* What tells an importer that it is meant. */
#define HEAD_SIZE ((size_t)64 << 10)
#define SHOWN_BYTES 16

const struct rec_importer *const rec_importers[] = {
	&rec_import_perf_data,
	&rec_import_trace_dat,
	&rec_import_perf_script,
	&rec_import_ftrace_text,
	&rec_import_folded, /* anything with numbers at the ends of lines */
	NULL,
};

static const struct rec_importer *find(struct span head)
{
	for (size_t i = 0; rec_importers[i]; i++)
		if (rec_importers[i]->is(head))
			return rec_importers[i];
	return NULL;
}

static bool is_plain(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~')
			return false;
	return true;
}

/* Its first bytes, of a text no more than a line. */
static struct span beginning(struct span head)
{
	const uint8_t *lf = memchr(head.p, '\n', head.n);

	if (lf && lf > head.p && is_plain(span_of(head.p, (size_t)(lf - head.p))))
		head.n = (size_t)(lf - head.p);
	if (head.n > SHOWN_BYTES)
		head.n = SHOWN_BYTES;
	return head;
}

/* As they are typed or in hexadecimal. */
static void show(char *to, size_t size, struct span head)
{
	struct span first = beginning(head);
	size_t at = 0;

	if (is_plain(first)) {
		snprintf(to, size, "'%.*s'", (int)first.n,
			 (const char *)first.p);
		return;
	}
	for (size_t i = 0; i < first.n && at < size; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%02x",
				       i ? " " : "", first.p[i]);
}

/* What makes a text none. */
static void show_zero(char *to, size_t size, struct span head)
{
	const uint8_t *zero = memchr(head.p, 0, head.n);
	struct span first = beginning(head);

	*to = '\0';
	if (zero && zero >= first.p + first.n && is_plain(first))
		snprintf(to, size, ", but has a byte of zero at offset %td, "
			 "as no text has", zero - head.p);
}

static int unknown(const struct rec_input *in, struct span head,
		   struct err *err)
{
	char begin[4 * SHOWN_BYTES], zero[80], known[256] = "";

	if (!head.n) {
		err_set(err, ERR_FORMAT, "'%s' is empty", rec_input_name(in));
		return REC_IMPORT_DAMAGED;
	}
	show(begin, sizeof(begin), head);
	for (size_t i = 0; rec_importers[i]; i++) {
		size_t at = strlen(known);

		snprintf(known + at, sizeof(known) - at, "%s%s",
			 i ? ", " : "", rec_importers[i]->name);
	}
	show_zero(zero, sizeof(zero), head);
	err_set(err, ERR_UNSUPPORTED, "'%s' is nothing that can be imported: "
		"it begins with %s%s (known: %s%s)", rec_input_name(in), begin,
		zero, known, memchr(head.p, ';', head.n) && !*zero ?
		", whose lines end with a count" : "");
	return REC_IMPORT_UNKNOWN;
}

/* `incomplete`: why something is missing, NULL where nothing is. */
static int finish(struct rec_intake *to, const struct rec_import_job *job,
		  const char *incomplete, const char *why, struct err *err)
{
	if (incomplete) {
		log_warn(job->log, "%s", incomplete);
		rec_intake_fact(to, "incomplete", "%s", incomplete);
	}
	return rec_intake_finish(to, why, err);
}

static bool is_damage(int rc)
{
	return rc == ERR_FORMAT || rc == ERR_LIMIT || rc == ERR_NEWER ||
	       rc == ERR_UNSUPPORTED;
}

/* What is wrong with the input is told with its name, once. */
static void name_input(const struct rec_input *in, int rc, struct err *err)
{
	if ((rc == 1 || is_damage(rc)) &&
	    !strstr(err->text, rec_input_name(in)))
		err_in(err, err->code, "'%s'", rec_input_name(in));
}

/* Not all of the input was read: what it seems to lack may be there. */
static int stopped(struct rec_intake *to, const struct rec_input *in,
		   const struct rec_import_job *job, int rc, struct err *err)
{
	char why[sizeof(err->text)];

	if (rc < 0 && !job->stop->in_rows && !is_damage(rc))
		return rc;
	snprintf(why, sizeof(why), "'%.300s': interrupted (%s): what was read "
		 "until then is kept", rec_input_name(in),
		 strsignal(job->stop->by));
	rc = finish(to, job, why, "signal", err);
	return rc < 0 ? rc : REC_IMPORT_STOPPED;
}

/* What the importer misses, or does not know to be missing, may be what the
 * input could not give: that is the cause. */
static int name_cause(const struct rec_input *in, int rc, struct err *err)
{
	struct err cause;

	if ((rc < 0 && !is_damage(rc)) || !rec_input_failed(in, &cause))
		return rc;
	if (rc < 0)
		return err_set(err, rc, "%.480s (%.480s)", cause.text,
			       err->text);
	*err = cause;
	return 1;
}

static int ended(struct rec_intake *to, const struct rec_input *in,
		 const struct rec_import_job *job, int rc, struct err *err)
{
	char why[sizeof(err->text)];

	rc = name_cause(in, rc, err);
	name_input(in, rc, err);
	if (rc < 0)
		return is_damage(rc) ? REC_IMPORT_DAMAGED : rc;
	if (rc == 0)
		rc = finish(to, job, NULL, "end of the file", err);
	/* A signal that came behind the end costs names. */
	if (rc <= 0)
		return rc == 0 && job->stop && job->stop->by ?
			       REC_IMPORT_STOPPED : rc;
	snprintf(why, sizeof(why), "%s", err->text);
	return finish(to, job, why, why, err);
}

static int run(const struct rec_importer *importer, struct rec_input *in,
	       const struct rec_import_job *job, struct err *err)
{
	struct rec_intake_config cfg = {
		.output = job->output,
		.input = job->input,
		.log = job->log,
		.stop = job->stop,
	};
	struct rec_intake *to = NULL;
	int rc;

	if (!job->options.quiet)
		log_info(job->log, "importing '%s' (%s)", rec_input_name(in),
			 importer->name);
	rc = rec_intake_new(&to, &cfg, err);
	if (rc == 0) {
		rec_intake_fact(to, "import.format", "%s", importer->name);
		rc = importer->run(in, to, &job->options, err);
		rc = job->stop && job->stop->by ?
			     stopped(to, in, job, rc, err) :
			     ended(to, in, job, rc, err);
	}
	rec_intake_free(to);
	return rc;
}

static int import(struct rec_input *in, const struct rec_import_job *job,
		  struct err *err)
{
	const struct rec_importer *importer;
	struct span head;
	int rc = rec_input_peek(in, HEAD_SIZE, &head, err);

	if (rc < 0)
		return is_damage(rc) ? REC_IMPORT_DAMAGED : rc;
	importer = find(head);
	if (importer)
		return run(importer, in, job, err);
	rc = unknown(in, head, err);
	return job->stop && job->stop->by ? REC_IMPORT_STOPPED : rc;
}

int rec_import(const struct rec_import_job *job, struct err *err)
{
	struct rec_input *in = NULL;
	int rc = rec_input_open_until(&in, job->input, job->stop, err);

	if (rc == 0)
		rc = import(in, job, err);
	rec_input_close(in);
	if (job->stop)
		rec_stop_release(job->stop);
	return rc;
}
