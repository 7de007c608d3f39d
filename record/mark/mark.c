#include "record/mark/mark.h"

#include <string.h>

static const char magic[8] = { 'c', 't', 'r', ' ', 'm', 'a', 'r', 'k' };

int rec_mark_check(struct span text, struct err *err)
{
	if (!text.n)
		return err_set(err, ERR_USAGE, "a mark has no text");
	if (text.n > REC_MARK_TEXT_MAX)
		return err_set(err, ERR_USAGE,
			       "a mark of %zu bytes, the limit is %zu", text.n,
			       REC_MARK_TEXT_MAX);
	return 0;
}

void rec_mark_encode(const struct rec_mark *m, struct buf *to)
{
	buf_put(to, magic, sizeof(magic));
	buf_u64(to, m->time);
	buf_put(to, m->text.p, m->text.n);
}

int rec_mark_decode(struct span bytes, struct rec_mark *out, struct err *err)
{
	struct rec_mark m = { .source = TF_MARK_COMMAND };
	struct span name;
	int rc;

	if (!span_take(&bytes, sizeof(magic), &name) ||
	    memcmp(name.p, magic, sizeof(magic)) != 0 ||
	    !span_u64(&bytes, &m.time))
		return err_set(err, ERR_FORMAT, "not a mark");
	rc = rec_mark_check(bytes, err);
	if (rc < 0)
		return rc;
	m.text = bytes;
	*out = m;
	return 0;
}
