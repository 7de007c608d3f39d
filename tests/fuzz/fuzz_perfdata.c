/* Any bytes as a perf.data: reading ends, reads nothing outside of them, and a
 * failure has a text. */
#include "tests/support/perfdataimport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct imported i = import_bytes(span_of(data, size), true);

	if (i.rc > 1 || (i.rc && !i.err.text[0]))
		abort();
	free(i.text);
	return 0;
}
