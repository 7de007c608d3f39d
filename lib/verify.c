#include "lib/private.h"

#include "format/verify.h"

static void say_nothing(void *ctx, uint64_t offset, const char *what)
{
	(void)ctx;
	(void)offset;
	(void)what;
}

int ct_verify(const struct ct_trace *trace,
	      void (*report)(void *context, uint64_t offset, const char *what),
	      void *context, struct ct_verify_result *result,
	      struct ct_error *error)
{
	struct tf_verify_result r = { 0 };
	struct err err = { 0 };
	int rc = tf_verify(trace->reader, report ? report : say_nothing,
			   context, &r, &err);

	if (rc)
		return ct_fail(error, rc, &err);
	if (result)
		*result = (struct ct_verify_result){ .chunks = r.chunks,
						     .parts = r.parts,
						     .rows = r.rows,
						     .bytes = r.bytes,
						     .problems = r.problems };
	return 0;
}
