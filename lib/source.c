#include "lib/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct caller_source {
	struct tf_source base;
	struct ct_io io;
	char *name;
	bool kept; /* the trace is open: io.close is ours to call */
};

static int caller_read(struct tf_source *s, void *to, size_t n, uint64_t at,
		       struct err *err)
{
	struct caller_source *c = (struct caller_source *)s;
	int rc;

	if (at > s->size || n > s->size - at) {
		err_set(err, ERR_FORMAT, "cannot read '%s': past its end",
			s->name);
		return 1;
	}
	rc = n ? c->io.read(c->io.context, to, n, at) : 0;
	return rc == 0 ? 0 : err_set(err, ERR_IO, "cannot read '%s': %zu "
				     "bytes at %" PRIu64 ": refused with %d",
				     s->name, n, at, rc);
}

static void caller_close(struct tf_source *s)
{
	struct caller_source *c = (struct caller_source *)s;

	if (c->kept && c->io.close)
		c->io.close(c->io.context);
	free(c->name);
	free(c);
}

int ct_source_new(struct tf_source **out, const struct ct_io *io,
		  struct err *err)
{
	struct caller_source *c = calloc(1, sizeof(*c));

	if (!c)
		return err_nomem(err);
	c->io = *io;
	c->name = strdup(io->name ? io->name : "(functions)");
	if (!c->name) {
		free(c);
		return err_nomem(err);
	}
	c->base = (struct tf_source){ .read = caller_read,
				      .close = caller_close,
				      .size = io->size,
				      .name = c->name };
	*out = &c->base;
	return 0;
}

void ct_source_keep(struct tf_source *s)
{
	((struct caller_source *)s)->kept = true;
}
