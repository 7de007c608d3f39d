/* What perf record wrote, and simpleperf. */
#include "record/import/importer.h"
#include "record/import/perfdata/describe.h"
#include "record/import/perfdata/folder.h"
#include "record/import/perfdata/header.h"
#include "record/import/perfdata/session.h"

#include <stdio.h>
#include <string.h>

#define HEAD_SIZE 1024u

/* The feature with files and their symbols. */
#define SIMPLEPERF_FILES 128

static int parse_header(struct rec_pd_header *h, int fd, uint64_t size,
			struct err *err)
{
	struct rec_pd_bytes b;
	struct span head;
	int rc = rec_pd_bytes_init(&b, fd, 0, size, HEAD_SIZE, err);

	if (rc)
		return rc;
	rc = rec_pd_bytes_peek(&b, HEAD_SIZE, &head, err);
	if (rc >= 0)
		rc = rec_pd_header_parse(h, head, size, err);
	rec_pd_bytes_fini(&b);
	return rc;
}

static int records(struct rec_pd_described *d, const struct rec_pd_header *h,
		   int fd, const struct rec_pd_folder *folder, struct err *err)
{
	struct rec_pd_session s;
	int rc = rec_pd_session_init(
		&s, d, h, fd, &(struct rec_pd_order_config){ 0 }, err);

	if (rc)
		return rc;
	s.folder = folder->n ? folder : NULL;
	rc = rec_pd_session_run(&s, err);
	/* Not even one record: the fault is all there is. */
	if (rc == 1 && !s.records)
		rc = ERR_FORMAT;
	rec_pd_session_fini(&s);
	return rc;
}

static bool has_tracepoints(const struct rec_pd_described *d)
{
	for (size_t i = 0; i < d->attrs.n; i++)
		if (d->attrs.items[i].attr.type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* What stands behind the records and is not there; "": all is. */
static void put_missing(char *to, size_t size,
			const struct rec_pd_described *d,
			const struct rec_pd_header *h)
{
	*to = '\0';
	if (h->not_closed)
		snprintf(to, size, "perf record did not come to its end: what "
			 "it writes last, as names of events and build-ids, is "
			 "missing");
	else if (d->lost[0])
		snprintf(to, size, "the file is cut short, behind its records "
			 "are missing: %s", d->lost);
	else if (h->cut)
		snprintf(to, size, "the file is cut short");
	if (*to && has_tracepoints(d) && !d->tracing.n)
		snprintf(to + strlen(to), size - strlen(to),
			 "; tracepoints have only numbers, and no fields");
}

/* What of the file around the records is wrong, `rc` and *err are of them. */
static int around(const struct rec_pd_described *d,
		  const struct rec_pd_header *h, int rc, struct err *err)
{
	char missing[480], records[480];

	if (rc < 0)
		return rc;
	put_missing(missing, sizeof(missing), d, h);
	if (rc && *missing) {
		snprintf(records, sizeof(records), "%.470s", err->text);
		return err_set(err, ERR_FORMAT, "%s; %s", records, missing), 1;
	}
	if (*missing)
		return err_set(err, ERR_FORMAT, "%s", missing), 1;
	if (!rc && d->trouble[0])
		return err_set(err, ERR_FORMAT, "%s", d->trouble), 1;
	return rc;
}

static void tell_dialect(struct rec_intake *to, const struct rec_pd_header *h)
{
	if (h->pipe)
		rec_intake_fact(to, "import.mode", "written to a pipe");
	if (h->old)
		rec_intake_fact(to, "import.mode", "file of 2009");
	if (rec_pd_has(h, SIMPLEPERF_FILES))
		rec_intake_fact(to, "note.simpleperf", "names of functions that "
				"simpleperf keeps in its file are not used");
	if (h->foreign)
		rec_intake_fact(to, "import.byte_order", "big-endian");
}

static int find_folder(struct rec_pd_described *d, struct rec_pd_folder *f,
		       const struct rec_input *in, struct err *err)
{
	int fd = rec_input_folder(in), rc;

	if (fd < 0)
		return 0;
	d->folder = true;
	rc = rec_pd_folder_list(f, fd, err);
	if (!rc)
		rec_intake_fact(d->to, "import.mode", "a folder, with %zu files "
				"beside the first one", f->n);
	return rc;
}

static int run(struct rec_input *in, struct rec_intake *to,
	       const struct rec_import_options *options, struct err *err)
{
	struct rec_pd_described d = { .to = to };
	struct rec_pd_folder folder = { 0 };
	struct rec_pd_header h;
	uint64_t size;
	int fd, rc;

	(void)options;
	rc = rec_input_file(in, &fd, &size, err);
	if (!rc)
		rc = parse_header(&h, fd, size, err);
	if (rc)
		return rc;
	tell_dialect(to, &h);
	rc = find_folder(&d, &folder, in, err);
	if (!rc)
		rc = rec_pd_describe(&d, &h, fd, size, err);
	if (!rc)
		rc = around(&d, &h, records(&d, &h, fd, &folder, err), err);
	rec_pd_described_fini(&d);
	rec_pd_folder_fini(&folder);
	return rc;
}

const struct rec_importer rec_import_perf_data = {
	.name = "perf.data",
	.summary = "what perf record wrote, also to a pipe, and simpleperf",
	.is = rec_pd_is,
	.run = run,
};
