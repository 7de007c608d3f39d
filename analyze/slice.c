#include "analyze/slice.h"

#include "analyze/columns.h"
#include "analyze/load.h"
#include "analyze/samples.h"
#include "analyze/selection/kinds.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* Columns of tables of which the whole file counts that name strings. */
static const struct naming {
	uint32_t table;
	unsigned columns[5];
	size_t n;
	enum an_need need;
} namings[] = {
	{ TF_TABLE_IMAGE, { TF_IMAGE_PATH }, 1, AN_NEED_IMAGES },
	{ TF_TABLE_TRACEPOINT, { TF_TRACEPOINT_SYSTEM, TF_TRACEPOINT_NAME }, 2,
	  AN_NEED_WHOLE },
	{ TF_TABLE_EVENT, { TF_EVENT_NAME, TF_EVENT_UNIT }, 2, AN_NEED_WHOLE },
	{ TF_TABLE_SYMBOL, { TF_SYMBOL_NAME, TF_SYMBOL_LINKAGE }, 2,
	  AN_NEED_WHOLE },
	{ TF_TABLE_FACT, { TF_FACT_KEY, TF_FACT_VALUE }, 2, AN_NEED_WHOLE },
	{ TF_TABLE_MARK, { TF_MARK_TEXT }, 1, AN_NEED_WHOLE },
	{ TF_TABLE_SERIES, { TF_SERIES_NAME, TF_SERIES_UNIT, TF_SERIES_DEVICE,
			     TF_SERIES_PART, TF_SERIES_LABEL }, 5,
	  AN_NEED_WHOLE },
};

void an_slice_fini(struct an_slice *s)
{
	free(s->v);
	free(s->strings);
	*s = (struct an_slice){ 0 };
}

static size_t place_of(const struct an_slice *s, uint32_t number)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct an_slice_epoch *find(const struct an_slice *s,
					 uint32_t number)
{
	size_t i = place_of(s, number);

	return i < s->n && s->v[i].number == number ? &s->v[i] : NULL;
}

/* NULL: no memory. */
static struct an_slice_epoch *get(struct an_slice *s, uint32_t number)
{
	size_t i = place_of(s, number);

	if (i < s->n && s->v[i].number == number)
		return &s->v[i];
	if (!mem_grow(&s->v, &s->cap, s->n + 1, sizeof(*s->v)))
		return NULL;
	memmove(&s->v[i + 1], &s->v[i], (s->n - i) * sizeof(*s->v));
	s->v[i] = (struct an_slice_epoch){ .number = number };
	s->n++;
	return &s->v[i];
}

/* Also rows of `switch`, which a command may show beside samples. */
static int find_epochs(struct an_slice *s, struct an_trace *t,
		       const struct an_selection *sel, struct err *err)
{
	struct tf_cursor *cursor = NULL;
	struct an_slice_epoch *e;
	struct tf_place place;
	int rc = an_samples_parts(&cursor, t, sel, true, err);

	while (!rc) {
		rc = tf_cursor_find(cursor, &place, err);
		if (rc < 0)
			rc = an_trace_survive(t, rc, err);
		else if (!rc && !(e = get(s, place.epoch)))
			rc = err_nomem(err);
		else if (!rc)
			e->until = place.chunk + 1;
	}
	tf_cursor_free(cursor);
	return rc < 0 ? rc : 0;
}

/* By the index: without one all chunks may have some. */
static int find_symbols(struct an_slice *s, const struct an_trace *t,
			struct err *err)
{
	size_t n = tf_reader_chunks(t->reader);

	for (size_t i = 0; i < n; i++) {
		const struct tf_chunk_info *c = tf_reader_chunk(t->reader, i);
		struct an_slice_epoch *e;

		if (c->type != TF_CHUNK_DATA ||
		    !(c->tables & tf_table_bit(TF_TABLE_SYMBOL)))
			continue;
		e = get(s, c->epoch);
		if (!e)
			return err_nomem(err);
		e->symbols_until = i + 1;
	}
	return 0;
}

static bool has_all_strings(const struct an_slice *s, const struct tf_view *v)
{
	const struct an_slice_epoch *e = find(s, v->epoch);

	return e && v->chunk < e->until;
}

static int add_names(struct an_slice *s, const struct tf_view *v,
		     const uint64_t *ids, struct err *err)
{
	struct an_slice_epoch *e = get(s, v->epoch);

	if (!e || !mem_grow(&s->strings, &s->strings_cap,
			    s->n_strings + v->rows, sizeof(*s->strings)))
		return err_nomem(err);
	if (v->chunk >= e->names_until)
		e->names_until = v->chunk + 1;
	for (uint32_t i = 0; i < v->rows; i++)
		if (ids[i] <= UINT32_MAX)
			s->strings[s->n_strings++] =
				map64_pair(v->epoch, (uint32_t)ids[i]);
	return 0;
}

static int take_part(struct an_slice *s, const struct naming *naming,
		     const struct tf_view *v, const struct an_columns *c,
		     struct err *err)
{
	int rc = 0;

	if (has_all_strings(s, v))
		return 0;
	for (size_t i = 0; i < naming->n && !rc; i++) {
		const uint64_t *ids = an_column(c, v, naming->columns[i]);

		if (ids)
			rc = add_names(s, v, ids, err);
	}
	return rc;
}

static bool has_rows(const void *ctx, size_t i, const struct tf_chunk_info *c)
{
	const struct an_slice_epoch *e = find(ctx, c->epoch);

	return e && i < e->until;
}

static bool has_images(const void *ctx, size_t i,
		       const struct tf_chunk_info *c)
{
	const struct an_slice_epoch *e = find(ctx, c->epoch);

	return e && (i < e->until || i < e->symbols_until);
}

static bool has_strings(const void *ctx, size_t i,
			const struct tf_chunk_info *c)
{
	const struct an_slice_epoch *e = find(ctx, c->epoch);

	return e && (i < e->until || i < e->names_until);
}

static bool any_string(const void *ctx, uint32_t epoch, uint64_t min,
		       uint64_t max)
{
	const struct an_slice *s = ctx;
	size_t low = 0, high = s->n_strings;
	const struct an_slice_epoch *e = find(s, epoch);
	uint64_t from;

	if (e && e->until)
		return true;
	if (min > UINT32_MAX)
		return false;
	from = map64_pair(epoch, (uint32_t)min);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->strings[mid] < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n_strings && s->strings[low] - from <= max - min;
}

/* By need; NULL: nothing is left out. */
static bool (*const has[])(const void *ctx, size_t i,
			   const struct tf_chunk_info *c) = {
	[AN_NEED_WHOLE] = NULL,
	[AN_NEED_ROWS] = has_rows,
	[AN_NEED_THREADS] = has_rows,
	[AN_NEED_IMAGES] = has_images,
	[AN_NEED_STRINGS] = has_strings,
};

static void narrow(const struct an_slice *s, enum an_need need,
		   struct tf_query *q)
{
	q->chunk = has[need];
	q->chunk_ctx = s;
	if (need == AN_NEED_STRINGS)
		q->only[0] = (struct tf_only){ .column = TF_ONLY_ROWS,
					       .any = any_string,
					       .ctx = s };
}

static int find_names(struct an_slice *s, struct an_trace *t,
		      const struct naming *naming, struct err *err)
{
	struct tf_query q = { .table = naming->table, .t_max = UINT64_MAX };
	uint64_t wanted = 0;
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	struct an_columns c;
	int rc;

	for (size_t i = 0; i < naming->n; i++)
		wanted |= (uint64_t)1 << naming->columns[i];
	if (!an_columns_find(&c, t->reader, naming->table, wanted))
		return 0;
	q.columns = c.mask;
	narrow(s, naming->need, &q);
	rc = tf_cursor_new(&cursor, t->reader, &q, err);
	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (!rc)
			rc = take_part(s, naming, v, &c, err);
		if (rc < 0)
			rc = an_trace_survive(t, rc, err);
	}
	tf_cursor_free(cursor);
	return rc < 0 ? rc : 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return CMP(*x, *y);
}

static void put_strings_in_order(struct an_slice *s)
{
	if (s->n_strings)
		qsort(s->strings, s->n_strings, sizeof(*s->strings), by_value);
}

static int find_all_names(struct an_slice *s, struct an_trace *t,
			  struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(namings) && !rc; i++)
		rc = find_names(s, t, &namings[i], err);
	put_strings_in_order(s);
	return rc;
}

/* Frames are chosen by name: then each stack of the file may count. A time from
 * mark to mark cannot be told before the marks are loaded, nor display frames
 * before all rows are. */
static bool is_slice(const struct an_selection_args *args)
{
	return args && args->time && !strstr(args->time, "mark:") &&
	       !args->around && !args->image.n && !args->symbol.n && !args->through.n;
}

int an_slice_make(struct an_slice *s, struct an_trace *t,
		  const struct an_selection_args *args, struct err *err)
{
	struct an_selection sel = { .t_max = UINT64_MAX, .t = t };
	int rc;

	if (!is_slice(args))
		return 0;
	rc = an_select_time(&sel, args, t, err);
	if (rc)
		return rc == ERR_USAGE || rc == ERR_FORMAT ? 0 : rc;
	sel.any = true;
	rc = find_epochs(s, t, &sel, err);
	if (!rc)
		rc = find_symbols(s, t, err);
	if (!rc)
		rc = find_all_names(s, t, err);
	if (rc)
		return rc;
	s->all_threads = args->pid.n || args->tid.n || args->comm.n ||
			 args->cgroup.n;
	s->on = true;
	return 0;
}

void an_slice_narrow(const struct an_slice *s, enum an_need need,
		     struct tf_query *q)
{
	/* Threads are chosen among all that there are, by their names. */
	if (s->all_threads && (need == AN_NEED_THREADS ||
			       need == AN_NEED_STRINGS))
		need = AN_NEED_WHOLE;
	if (s->on)
		narrow(s, need, q);
}
