#include "format/scan.h"

#include "format/base/mem.h"
#include "format/head.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)64 << 10)

struct walker {
	struct tf_scan *scan;
	struct tf_source *source;
	const uint8_t *file_id;
	uint8_t *window; /* for searching; made when first needed */
	struct err *err;
};

void tf_scan_fini(struct tf_scan *s)
{
	tf_index_fini(&s->chunks);
	free(s->gaps);
	*s = (struct tf_scan){ 0 };
}

static int add_gap(struct walker *w, uint64_t at, uint64_t end,
		   const char *why)
{
	struct tf_scan *s = w->scan;

	if (!mem_grow(&s->gaps, &s->gaps_cap, s->n_gaps + 1, sizeof(*s->gaps)))
		return err_nomem(w->err);
	s->gaps[s->n_gaps++] = (struct tf_gap){ at, end - at, why };
	return 0;
}

/* *why is NULL where a sound header is at `at`, with all of it in the file. */
static int look(struct walker *w, uint64_t at, struct tf_head *h,
		const char **why)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];
	int rc = w->source->read(w->source, bytes, sizeof(bytes), at, w->err);

	if (rc)
		return rc < 0 ? rc : err_set(w->err, ERR_IO,
					     "file shrank while it was read");
	*why = tf_head_take(h, span_of(bytes, sizeof(bytes)), at, w->file_id);
	return 0;
}

/* Looks at every eighth byte of n that begin at `at` for a sound header.
 * *found is where, or at + n. */
static int search_window(struct walker *w, uint64_t at, size_t n,
			 uint64_t *found)
{
	int rc = w->source->read(w->source, w->window, n, at, w->err);

	if (rc)
		return rc < 0 ? rc : err_set(w->err, ERR_IO,
					     "file shrank while it was read");
	for (size_t i = 0; i + TF_SYNC_SIZE <= n; i += TF_ALIGN) {
		const char *why = "";
		struct tf_head h;

		if (memcmp(w->window + i, TF_SYNC, TF_SYNC_SIZE) != 0 ||
		    w->source->size - (at + i) < TF_CHUNK_HEADER_SIZE)
			continue;
		rc = look(w, at + i, &h, &why);
		if (rc)
			return rc;
		if (!why) {
			*found = at + i;
			return 0;
		}
	}
	*found = at + n;
	return 0;
}

/* Fewer bytes than a header has, at least `least` of them: are they the
 * beginning of one that was cut off? */
static int begins(struct walker *w, uint64_t at, size_t least, bool *out)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];
	size_t n = (size_t)(w->source->size - at);
	int rc = w->source->read(w->source, bytes, n, at, w->err);

	if (rc)
		return rc < 0 ? rc : err_set(w->err, ERR_IO,
					     "file shrank while it was read");
	*out = n >= least &&
	       tf_head_begins(span_of(bytes, n), at, w->file_id);
	return 0;
}

/* The place in the last bytes where an unfinished header begins, or the size of
 * the file. */
static int search_end(struct walker *w, uint64_t at, uint64_t *found)
{
	uint64_t size = w->source->size;
	bool is = false;
	int rc = 0;

	if (size - at >= TF_CHUNK_HEADER_SIZE)
		at += (size - at - TF_CHUNK_HEADER_SIZE) / TF_ALIGN * TF_ALIGN +
		      TF_ALIGN;
	for (; at < size && !rc && !is; at += TF_ALIGN) {
		rc = begins(w, at, TF_SYNC_SIZE, &is);
		*found = is ? at : size;
	}
	return rc;
}

/* *found becomes the offset of the next sound header from `at` on, or of an
 * unfinished one at the end, or the size of the file. */
static int search(struct walker *w, uint64_t at, uint64_t *found)
{
	uint64_t from = at, size = w->source->size;

	*found = size;
	if (!w->window)
		w->window = malloc(WINDOW);
	if (!w->window)
		return err_nomem(w->err);
	while (at < size) {
		size_t n = size - at < WINDOW ? (size_t)(size - at) : WINDOW;
		int rc = search_window(w, at, n, found);

		if (rc || *found < at + n)
			return rc;
		at += n;
	}
	return from < size ? search_end(w, from, found) : 0;
}

/* A stray letter behind an END is no chunk that somebody began. */
static size_t least_beginning(const struct tf_index *x)
{
	return x->n && x->chunks[x->n - 1].type == TF_CHUNK_END ?
		       TF_SYNC_SIZE : 1;
}

/* What is at `at` begins no chunk: a gap up to what does. */
static int pass_over(struct walker *w, uint64_t *at, const char *why)
{
	uint64_t next;
	int rc = search(w, *at + TF_ALIGN, &next);

	if (rc == 0)
		rc = add_gap(w, *at, next, why);
	*at = next;
	return rc;
}

/* Fewer bytes than a header: a beginning that was cut off, or something
 * else. */
static int end_in_bytes(struct walker *w, uint64_t *at)
{
	bool is = false;
	int rc = begins(w, *at, least_beginning(&w->scan->chunks), &is);

	if (rc)
		return rc;
	if (!is)
		return pass_over(w, at, "bytes that begin no chunk");
	w->scan->ending = TF_CUT;
	return 1;
}

/* Takes the chunk or the gap at *at and moves on; 1: nothing can follow. */
static int step(struct walker *w, uint64_t *at)
{
	uint64_t left = w->source->size - *at;
	struct tf_chunk_info info;
	struct tf_head h;
	const char *why = NULL;
	int rc;

	if (left < TF_CHUNK_HEADER_SIZE)
		return end_in_bytes(w, at);
	rc = look(w, *at, &h, &why);
	if (rc)
		return rc;
	if (why)
		return pass_over(w, at, why);
	if (tf_head_size(&h) > left) {
		w->scan->ending = TF_CUT;
		return 1;
	}
	info = tf_head_info(&h);
	*at += info.size;
	return tf_index_add(&w->scan->chunks, &info) ? 0 : err_nomem(w->err);
}

/* What follows an END up to the end of the file and holds no chunk is not
 * damage: the trace is whole. */
static void settle_ending(struct tf_scan *s, uint64_t size)
{
	const struct tf_index *x = &s->chunks;
	const struct tf_chunk_info *last = x->n ? &x->chunks[x->n - 1] : NULL;
	uint64_t end;

	s->end = size;
	if (!last || last->type != TF_CHUNK_END || s->ending == TF_CUT ||
	    last->size != TF_CHUNK_HEADER_SIZE)
		return;
	end = last->offset + last->size;
	if (end == size) {
		s->ending = TF_CLOSED;
		return;
	}
	s->ending = TF_FOLLOWED;
	s->end = end;
	s->n_gaps--; /* from there to the end of the file */
}

int tf_scan_run(struct tf_scan *s, struct tf_source *source,
		const uint8_t file_id[TF_FILE_ID_SIZE], uint64_t begin,
		struct err *err)
{
	struct walker w = { s, source, file_id, NULL, err };
	uint64_t at = begin;
	int rc = 0;

	s->ending = TF_UNCLOSED;
	while (rc == 0 && at < source->size)
		rc = step(&w, &at);
	free(w.window);
	if (rc < 0)
		return rc;
	settle_ending(s, source->size);
	return 0;
}
