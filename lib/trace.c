#include "lib/private.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static_assert((int)CT_CLOSED == TF_CLOSED && (int)CT_UNCLOSED == TF_UNCLOSED &&
		      (int)CT_CUT == TF_CUT && (int)CT_FOLLOWED == TF_FOLLOWED,
	      "endings are the same");

const char *ct_version(void)
{
	return CT_VERSION;
}

static void fill_info(struct ct_trace *t)
{
	const struct tf_file_header *h = tf_reader_header(t->reader);

	t->info = (struct ct_info){
		.major = h->major,
		.minor = h->minor,
		.start_unix_ns = h->start_unix_ns,
		.size = tf_reader_size(t->reader),
		.end = tf_reader_end(t->reader),
		.ending = (uint32_t)tf_reader_ending(t->reader),
		.another_follows = tf_reader_another_follows(t->reader),
	};
	static_assert(sizeof(t->info.file_id) == sizeof(h->file_id),
		      "ids are as long");
	memcpy(t->info.file_id, h->file_id, sizeof(h->file_id));
}

static int fill_gaps(struct ct_trace *t, struct err *err)
{
	const struct tf_gap *gaps;

	t->n_gaps = tf_reader_gaps(t->reader, &gaps);
	t->gaps = calloc(t->n_gaps + 1, sizeof(*t->gaps));
	if (!t->gaps)
		return err_nomem(err);
	for (size_t i = 0; i < t->n_gaps; i++)
		t->gaps[i] = (struct ct_gap){ .offset = gaps[i].offset,
					      .size = gaps[i].size,
					      .why = gaps[i].why };
	return 0;
}

static struct ct_column column_of(const struct tf_column *c)
{
	return (struct ct_column){
		.id = c->id,
		.type = (uint32_t)c->type,
		.list = c->list,
		.name = c->name,
		.unit = c->unit,
		.ref_table = c->ref_table,
		.role = (uint32_t)c->role,
		.privacy = (uint32_t)c->privacy,
	};
}

static void fill_table(struct ct_table_here *to, const struct tf_table *t,
		       struct ct_column *columns)
{
	to->table = t;
	to->columns = columns;
	to->open = (struct ct_table){ .id = t->id,
				      .kind = (uint32_t)t->kind,
				      .name = t->name,
				      .n_columns = t->n_columns };
	for (uint32_t i = 0; i < t->n_columns; i++)
		columns[i] = column_of(&t->columns[i]);
}

static int fill_tables(struct ct_trace *t, struct err *err)
{
	const struct tf_schema *s = tf_reader_schema(t->reader);
	struct ct_column *next;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->tables[i]->n_columns;
	t->n_tables = s->n;
	t->tables = calloc(s->n + 1, sizeof(*t->tables));
	t->columns = calloc(n + 1, sizeof(*t->columns));
	if (!t->tables || !t->columns)
		return err_nomem(err);
	next = t->columns;
	for (size_t i = 0; i < s->n; i++) {
		fill_table(&t->tables[i], s->tables[i], next);
		next += s->tables[i]->n_columns;
	}
	return 0;
}

static void release(struct ct_trace *t)
{
	tf_reader_free(t->reader);
	free(t->gaps);
	free(t->tables);
	free(t->columns);
	free(t);
}

/* `source` is taken over only where this goes well. */
static int open_source(struct ct_trace **out, struct tf_source *source,
		       struct err *err)
{
	struct ct_trace *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_nomem(err);
	rc = tf_reader_open(&t->reader, source, err);
	if (rc == 0)
		rc = fill_gaps(t, err);
	if (rc == 0)
		rc = fill_tables(t, err);
	if (rc) {
		release(t);
		return rc;
	}
	fill_info(t);
	t->source = source;
	*out = t;
	return 0;
}

static int open_or_close(struct ct_trace **out, struct tf_source *source,
			 struct err *err)
{
	int rc = open_source(out, source, err);

	if (rc)
		tf_source_close(source);
	return rc;
}

static int open_fd(struct ct_trace **out, int fd, const char *name,
		   struct err *err)
{
	struct tf_source *source;
	int rc = tf_source_open_fd(&source, fd, name, tf_reader_check_front,
				   err);

	return rc ? rc : open_or_close(out, source, err);
}

int ct_open(struct ct_trace **out, const char *path, struct ct_error *error)
{
	struct err err = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? err_sys(&err, errno, "cannot open '%s'", path) :
			  open_fd(out, fd, path, &err);

	if (fd >= 0)
		close(fd);
	return rc ? ct_fail(error, rc, &err) : 0;
}

int ct_open_fd(struct ct_trace **out, int fd, struct ct_error *error)
{
	struct err err = { 0 };
	char name[40];
	int rc;

	snprintf(name, sizeof(name), "descriptor %d", fd);
	rc = open_fd(out, fd, name, &err);
	return rc ? ct_fail(error, rc, &err) : 0;
}

int ct_open_memory(struct ct_trace **out, const void *bytes, size_t size,
		   struct ct_error *error)
{
	struct err err = { 0 };
	struct tf_source *source;
	int rc = tf_source_memory(&source, span_of(bytes, size), &err);

	if (rc == 0)
		rc = open_or_close(out, source, &err);
	return rc ? ct_fail(error, rc, &err) : 0;
}

int ct_open_io(struct ct_trace **out, const struct ct_io *io,
	       struct ct_error *error)
{
	struct err err = { 0 };
	struct tf_source *source;
	int rc;

	if (!io->read)
		return ct_misuse(error, "no function to read with");
	rc = ct_source_new(&source, io, &err);
	if (rc == 0)
		rc = open_or_close(out, source, &err);
	if (rc)
		return ct_fail(error, rc, &err);
	ct_source_keep(source);
	return 0;
}

void ct_close(struct ct_trace *trace)
{
	struct tf_source *source;

	if (!trace)
		return;
	source = trace->source;
	release(trace);
	tf_source_close(source);
}

const struct ct_info *ct_trace_info(const struct ct_trace *trace)
{
	return &trace->info;
}

size_t ct_trace_gaps(const struct ct_trace *trace)
{
	return trace->n_gaps;
}

const struct ct_gap *ct_trace_gap(const struct ct_trace *trace, size_t i)
{
	return i < trace->n_gaps ? &trace->gaps[i] : NULL;
}
