/* Appends chunks to a trace file: header, schema, data, index, END. Belongs to
 * one thread. Nothing written is ever changed. */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "format/builder.h"
#include "format/io.h"
#include "format/layout.h"
#include "format/schema.h"

struct tf_writer;

struct tf_file_info {
	uint8_t file_id[TF_FILE_ID_SIZE]; /* random */
	uint64_t start_unix_ns;
};

/* Writes the file header and the catalog's schema. `sink` must outlive it. */
int tf_writer_new(struct tf_writer **out, struct tf_sink *sink,
		  const struct tf_file_info *info, struct err *err);

/* The same with these tables instead of the catalog's, which must outlive it. */
int tf_writer_new_with(struct tf_writer **out, struct tf_sink *sink,
		       const struct tf_file_info *info,
		       const struct tf_table *const *tables, size_t n,
		       struct err *err);

/* How hard chunks from now on are pressed; a recorder's habit at first.
 * ERR_USAGE: there is no such level. */
int tf_writer_set_level(struct tf_writer *w, int level, struct err *err);

/* Announces further tables (tracepoints), which must outlive the writer; rows
 * are written only of tables that were announced by the same pointer. Where it
 * fails, tables before the one that was refused count as announced. */
int tf_writer_add_tables(struct tf_writer *w,
			 const struct tf_table *const *tables, size_t n,
			 struct err *err);

/* One DATA chunk from the rows of `parts`, in this order; definitions that are
 * used must come first or in an earlier chunk. Empty builders are left out.
 * Base rows are counted here, per table and epoch. A failed append is cut back
 * to the last whole chunk; the writer then accepts only tf_writer_end(). */
int tf_writer_data(struct tf_writer *w, uint32_t epoch,
		   struct tf_builder *const *parts, size_t n, struct err *err);

/* Index and END. Where they do not fit, the file stays valid without them: a
 * missing index is no failure, a missing END is, and the file is then sound but
 * not closed. Nothing can be written afterwards. */
int tf_writer_end(struct tf_writer *w, struct err *err);

/* Bytes of whole chunks so far, header included. */
uint64_t tf_writer_size(const struct tf_writer *w);

void tf_writer_free(struct tf_writer *w); /* writes nothing; NULL is fine */

#endif
