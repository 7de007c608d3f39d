#include "record/import/text/window.h"

void rec_text_window_fini(struct rec_text_window *w)
{
	for (size_t i = 0; i < REC_TEXT_WINDOW; i++)
		rec_text_sample_fini(&w->rows[i]);
	w->first = w->n = 0;
}

static struct rec_text_sample *row_at(struct rec_text_window *w, size_t i)
{
	return &w->rows[(w->first + i) % REC_TEXT_WINDOW];
}

static int give_first(struct rec_text_window *w, struct rec_intake *to,
		      struct err *err)
{
	struct rec_text_sample *row = row_at(w, 0);

	w->first = (w->first + 1) % REC_TEXT_WINDOW;
	w->n--;
	return rec_text_sample_flush(row, to, err);
}

int rec_text_window_room(struct rec_text_window *w, struct rec_intake *to,
			 struct err *err)
{
	return w->n >= w->limit ? give_first(w, to, err) : 0;
}

int rec_text_window_add(struct rec_text_window *w, size_t event,
			const struct rec_record *r,
			struct rec_text_sample **row, struct err *err)
{
	int rc;

	*row = row_at(w, w->n);
	rc = rec_text_sample_begin(*row, event, r, err);
	if (rc == 0)
		w->n++;
	return rc;
}

struct rec_text_sample *rec_text_window_find(struct rec_text_window *w,
					     int32_t tid, uint32_t cpu)
{
	for (size_t i = w->n; i--;) {
		struct rec_text_sample *row = row_at(w, i);
		const struct rec_ids *ids = &row->record.ids;

		/* An interrupt's stack comes before that of the event that it
		 * came in between of. */
		if (ids->tid == tid && ids->cpu == cpu && !row->n)
			return row;
	}
	return NULL;
}

int rec_text_window_flush(struct rec_text_window *w, struct rec_intake *to,
			  struct err *err)
{
	int rc = 0;

	while (rc >= 0 && w->n)
		rc = give_first(w, to, err);
	return rc < 0 ? rc : 0;
}
