#include "record/import/text/bad.h"

#include "record/import/intake.h"

#include <inttypes.h>
#include <string.h>

void rec_text_bad_add(struct rec_text_bad *b, uint64_t line, struct span text,
		      const char *why)
{
	size_t n = text.n < sizeof(b->text) ? text.n : sizeof(b->text) - 1;

	b->waits++;
	if (b->n++)
		return;
	b->line = line;
	b->why = why;
	if (n)
		memcpy(b->text, text.p, n);
	b->text[n] = '\0';
	/* It is quoted in a message. */
	for (size_t i = 0; i < n; i++)
		if ((uint8_t)b->text[i] < 0x20 || b->text[i] == 0x7f)
			b->text[i] = ' ';
}

void rec_text_bad_row(struct rec_text_bad *b, struct rec_intake *to,
		      uint64_t time)
{
	if (b->waits)
		rec_intake_lost(to, TF_LOSS_DECODE, -1, -1, time, b->waits);
	b->waits = 0;
}

int rec_text_bad_tell(struct rec_text_bad *b, struct rec_intake *to,
		      uint64_t time, struct err *err)
{
	const char *text = b->text + strspn(b->text, " ");

	if (!b->n)
		return 0;
	rec_text_bad_row(b, to, time);
	err_set(err, ERR_FORMAT, "%" PRIu64 " line%s left out; the first is "
		"line %" PRIu64 ", '%s': %s", b->n, b->n > 1 ? "s" : "",
		b->line, text, b->why);
	return 1;
}
