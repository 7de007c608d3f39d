#include "record/import/tracedat/chain.h"

#include "record/import/tracedat/bytes.h"

#include <linux/perf_event.h>

/* The addresses; of the kernel's there can be more than the format has room
 * for ("caller[8]"), as many as it says or up to one of all ones. */
static struct span callers(const struct rec_dat_stack *s, unsigned long_size,
			   bool all)
{
	const struct rec_dat_field *f =
		rec_dat_shape_field(&s->event->shape, "caller");
	struct span out = s->record;
	uint64_t n;

	if (!f || !span_skip(&out, f->offset))
		return span_of("", 0);
	if (!all && f->size && out.n > f->size)
		out.n = f->size;
	if (all && rec_dat_shape_number(&s->event->shape, "size", s->record,
					&n) && n < out.n / long_size)
		out.n = (size_t)n * long_size;
	return out;
}

static void put_part(struct buf *to, const struct rec_dat_stack *s,
		     uint64_t context, unsigned long_size, bool all)
{
	struct span in;
	bool any = false;

	if (!s->event)
		return;
	in = callers(s, long_size, all);
	for (; in.n >= long_size; (void)span_skip(&in, long_size)) {
		uint64_t address = rec_dat_number(in.p, long_size,
						  s->event->shape.big);

		if (!address || address == (long_size == 8 ? UINT64_MAX :
							     UINT32_MAX))
			break;
		if (!any)
			buf_put(to, &context, sizeof(context));
		any = true;
		buf_put(to, &address, sizeof(address));
	}
}

bool rec_dat_chain(struct buf *to, const struct rec_dat_stack *kernel,
		   const struct rec_dat_stack *user, unsigned long_size)
{
	buf_clear(to);
	put_part(to, kernel, (uint64_t)PERF_CONTEXT_KERNEL, long_size, true);
	put_part(to, user, (uint64_t)PERF_CONTEXT_USER, long_size, false);
	return !buf_failed(to);
}
