/* Perf script text, from any bytes, read in pieces of any size. */
#include "tests/support/text_intake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	text_intake_fuzz(&rec_import_perf_script, data, size);
	return 0;
}
