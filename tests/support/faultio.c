#include "tests/support/faultio.h"

#include <stdlib.h>

struct fault_sink {
	struct tf_sink base;
	struct tf_sink *to;
	struct faultio *f;
};

struct fault_source {
	struct tf_source base;
	struct tf_source *from;
	struct faultio *f;
};

static bool fails(struct faultio *f)
{
	bool now = ++f->calls == f->at;

	f->hit = f->hit || now;
	return now || (f->stay && f->hit);
}

static void append_half(struct tf_sink *to, const struct iovec *v, int n)
{
	size_t half = 0;

	for (int i = 0; i < n; i++)
		half += v[i].iov_len;
	half /= 2;
	for (int i = 0; i < n && half; i++) {
		struct iovec part = v[i];

		part.iov_len = part.iov_len < half ? part.iov_len : half;
		half -= part.iov_len;
		to->append(to, &part, 1, NULL);
	}
}

static int sink_append(struct tf_sink *s, const struct iovec *v, int n,
		       struct err *err)
{
	struct fault_sink *x = (struct fault_sink *)s;

	if (!fails(x->f))
		return x->to->append(x->to, v, n, err);
	if (x->f->kind == FAULTIO_SHORT)
		append_half(x->to, v, n);
	return err_set(err, ERR_FULL, "no room (on purpose)");
}

static int sink_cut(struct tf_sink *s, uint64_t size, struct err *err)
{
	struct fault_sink *x = (struct fault_sink *)s;

	if (x->f->no_cut)
		return err_set(err, ERR_UNSUPPORTED, "cannot cut (on purpose)");
	return x->to->cut(x->to, size, err);
}

static int sink_close(struct tf_sink *s, struct err *err)
{
	(void)err;
	free(s);
	return 0;
}

int faultio_sink(struct tf_sink **out, struct tf_sink *to, struct faultio *f)
{
	struct fault_sink *x = calloc(1, sizeof(*x));

	if (!x)
		return ERR_NOMEM;
	x->base = (struct tf_sink){ sink_append, sink_cut, sink_close,
				    to->name };
	x->to = to;
	x->f = f;
	*out = &x->base;
	return 0;
}

static int source_read(struct tf_source *s, void *to, size_t n, uint64_t at,
		       struct err *err)
{
	struct fault_source *x = (struct fault_source *)s;

	if (!fails(x->f))
		return x->from->read(x->from, to, n, at, err);
	err_set(err, ERR_IO, "cannot read (on purpose)");
	return x->f->kind == FAULTIO_SHORT ? 1 : ERR_IO;
}

static void source_close(struct tf_source *s)
{
	free(s);
}

int faultio_source(struct tf_source **out, struct tf_source *from,
		   struct faultio *f)
{
	struct fault_source *x = calloc(1, sizeof(*x));

	if (!x)
		return ERR_NOMEM;
	x->base = (struct tf_source){ source_read, source_close, from->size,
				      from->name };
	x->from = from;
	x->f = f;
	*out = &x->base;
	return 0;
}
