/* What reaches a recording from outside as a mark: datagrams, and the text of
 * the kernel's trace_pipe. The first byte says which. */
#include "record/mark/mark.h"
#include "record/mark/tracer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_datagram(struct span bytes)
{
	struct rec_mark m = { 0 };

	if (rec_mark_decode(bytes, &m, NULL))
		return;
	if (!m.text.n || m.text.n > REC_MARK_TEXT_MAX ||
	    m.text.p + m.text.n != bytes.p + bytes.n)
		abort();
}

static void check_pipe(struct span text, bool whole)
{
	struct rec_mark m = { 0 };
	uint64_t lost = 0;
	struct buf line;

	buf_init(&line, REC_MARK_TEXT_MAX);
	for (size_t left = text.n + 1; text.n < left;) {
		left = text.n;
		if (rec_mark_tracer_parse(&text, whole, &line, &m, &lost))
			break;
		if (!m.text.n || m.text.n > REC_MARK_TEXT_MAX ||
		    text.n >= left)
			abort();
	}
	/* Nothing whole is left behind for ever. */
	if (whole && text.n && memchr(text.p, '\n', text.n))
		abort();
	buf_fini(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (!size)
		return 0;
	/* In memory of its own, so that a byte too far is found. */
	copy = malloc(size > 1 ? size - 1 : 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	if (data[0] & 1)
		check_datagram(span_of(copy, size - 1));
	else
		check_pipe(span_of(copy, size - 1), data[0] & 2);
	free(copy);
	return 0;
}
