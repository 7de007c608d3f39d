/* trace.dat files that are anything, read as rec import reads them. */
#include "tests/support/tracedat_intake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rec_intake in = { 0 };

	/* Beyond this only the text of what was given would grow. */
	buf_init(&in.log, (size_t)4 << 20);
	(void)tracedat_intake_run(&in, span_of(data, size), NULL);
	tracedat_intake_fini(&in);
	return 0;
}
