#include "analyze/lacks.h"

#include "analyze/trace_data.h"

#include "format/base/mem.h"

#include <inttypes.h>

static struct an_lack *find(const struct an_trace *t, const struct tf_view *v,
			    unsigned column)
{
	for (size_t i = 0; i < t->lacks.n; i++)
		if (t->lacks.v[i].table == v->table &&
		    t->lacks.v[i].column == column)
			return &t->lacks.v[i];
	return NULL;
}

int an_lacks_add(struct an_trace *t, const struct tf_view *v, unsigned column,
		 uint64_t rows, struct err *err)
{
	struct an_lack *l = find(t, v, column);

	if (!l && !AN_ROOM(t->lacks))
		return err_nomem(err);
	if (!l) {
		l = &t->lacks.v[t->lacks.n++];
		*l = (struct an_lack){ .table = v->table, .column = column };
	}
	if (ckd_add(&l->rows, l->rows, rows))
		l->rows = UINT64_MAX;
	return 0;
}

int an_lacks_see(struct an_trace *t, const struct tf_view *v, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < v->table->n_columns && !rc; i++)
		if (v->columns[i].skipped)
			rc = an_lacks_add(t, v, i, v->rows, err);
	return rc;
}

void an_lacks_say(struct an_trace *t)
{
	for (size_t i = 0; i < t->lacks.n; i++) {
		struct an_lack *l = &t->lacks.v[i];

		if (l->said || !t->log || !l->rows)
			continue;
		l->said = true;
		log_warn(t->log, "%s: table '%s': %" PRIu64 " rows have no "
			 "'%s' that can be read here: what it tells is shown "
			 "as lost", t->path, l->table->name, l->rows,
			 l->table->columns[l->column].name);
	}
}
