/* Folded stacks, from any bytes, read in pieces of any size: the first byte says
 * of which. */
#include "tests/support/text_intake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rec_intake in;
	struct err err = { 0 };
	uint8_t *copy;
	int rc;

	if (!size)
		return 0;
	/* In memory of its own, so that a byte too far is found. */
	copy = malloc(size > 1 ? size - 1 : 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	(void)rec_import_folded.is(span_of(copy, size - 1));
	rc = text_intake_run(&in, &rec_import_folded, copy, size - 1, data[0],
			     &err);
	/* A text is refused exactly where nothing of it could be used, and a
	 * failure says why. */
	if ((rc < 0) != (in.n_samples == 0) || (rc && !err.text[0]))
		abort();
	text_intake_fini(&in);
	free(copy);
	return 0;
}
