#include "analyze/clean.h"

#include "format/base/buf.h"
#include "format/base/time.h"
#include "format/base/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < 0x20 || text.p[i] >= 0x7f)
			return false;
	return true;
}

void an_clean_print(FILE *to, struct span text)
{
	struct buf b;

	if (is_plain(text)) {
		fwrite(text.p, 1, text.n, to);
		return;
	}
	buf_init(&b, 0);
	utf8_clean(&b, text);
	if (buf_failed(&b))
		fputc('?', to);
	else
		fwrite(b.p, 1, b.n, to);
	buf_fini(&b);
}

void an_print_date(FILE *to, uint64_t unix_ns)
{
	time_t seconds = (time_t)(unix_ns / NSEC_PER_SEC);
	struct tm tm;
	char text[64];

	if (gmtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		fputs(text, to);
}

void an_clean_err(struct err *err)
{
	struct span text = span_of(err->text, strlen(err->text));
	struct buf b;
	size_t n;

	if (is_plain(text))
		return;
	buf_init(&b, 0);
	utf8_clean(&b, text);
	n = b.n < sizeof(err->text) ? b.n : sizeof(err->text) - 1;
	if (!buf_failed(&b) && n) {
		memcpy(err->text, b.p, n);
		err->text[n] = 0;
	}
	buf_fini(&b);
}
