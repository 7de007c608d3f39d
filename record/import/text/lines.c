#include "record/import/text/lines.h"

#include "record/import/input.h"
#include "record/import/text/scan.h"
#include "record/import/text/utf16.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)128 << 10)
#define MARK 3 /* bytes of the longest byte order mark */

void rec_text_lines_init(struct rec_text_lines *l, struct rec_input *in)
{
	*l = (struct rec_text_lines){ .in = in, .fd = -1 };
}

void rec_text_lines_of_file(struct rec_text_lines *l, int fd)
{
	*l = (struct rec_text_lines){ .fd = fd };
}

void rec_text_lines_fini(struct rec_text_lines *l)
{
	free(l->bytes);
	*l = (struct rec_text_lines){ .fd = -1 };
}

static ssize_t take(struct rec_text_lines *l, void *p, size_t n,
		    struct err *err)
{
	ssize_t got;

	if (l->in)
		return rec_input_read(l->in, p, n, err);
	do
		got = pread(l->fd, p, n, (off_t)l->at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(err, errno, "cannot read it a second time");
	l->at += (uint64_t)got;
	return got;
}

/* Exactly n bytes, unless the text ends. */
static int take_all(struct rec_text_lines *l, uint8_t *p, size_t *n,
		    struct err *err)
{
	size_t want = *n;

	*n = 0;
	while (*n < want) {
		ssize_t got = take(l, p + *n, want - *n, err);

		if (got < 0)
			return (int)got;
		if (!got)
			break;
		*n += (size_t)got;
	}
	return 0;
}

/* Bytes of the mark; *encoding as it says. */
static size_t mark_of(struct span s, enum rec_text_encoding *encoding)
{
	*encoding = REC_TEXT_UTF8;
	if (s.n >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0)
		return 3;
	if (s.n < 2)
		return 0;
	if (s.p[0] == 0xff && s.p[1] == 0xfe)
		*encoding = REC_TEXT_UTF16_LE;
	else if (s.p[0] == 0xfe && s.p[1] == 0xff)
		*encoding = REC_TEXT_UTF16_BE;
	return *encoding == REC_TEXT_UTF8 ? 0 : 2;
}

static int start(struct rec_text_lines *l, struct err *err)
{
	uint8_t first[MARK];
	size_t n = MARK, mark;
	int rc;

	l->bytes = malloc(CHUNK * 2);
	if (!l->bytes)
		return err_nomem(err);
	l->cap = CHUNK * 2;
	rc = take_all(l, first, &n, err);
	if (rc < 0)
		return rc;
	mark = mark_of(span_of(first, n), &l->encoding);
	if (l->encoding == REC_TEXT_UTF8) {
		memcpy(l->bytes, first + mark, n - mark);
		l->end = n - mark;
	} else {
		memcpy(l->odd, first + mark, n - mark);
		l->n_odd = n - mark;
	}
	l->started = true;
	return 0;
}

static int fill_utf16(struct rec_text_lines *l, struct err *err)
{
	/* Three bytes of UTF-8 for two, and what was left over. */
	uint8_t raw[4096 + sizeof(l->odd)];
	struct span in;
	ssize_t got;

	memcpy(raw, l->odd, l->n_odd);
	got = take(l, raw + l->n_odd, 4096, err);
	if (got < 0)
		return (int)got;
	l->at_end = !got;
	in = span_of(raw, l->n_odd + (size_t)got);
	l->end += rec_text_utf16(&in, l->encoding == REC_TEXT_UTF16_BE,
				 l->bytes + l->end);
	l->n_odd = l->at_end ? 0 : in.n;
	memcpy(l->odd, in.p, l->n_odd);
	return 0;
}

static int fill(struct rec_text_lines *l, struct err *err)
{
	ssize_t got;

	if (l->encoding != REC_TEXT_UTF8)
		return fill_utf16(l, err);
	got = take(l, l->bytes + l->end, CHUNK, err);
	if (got < 0)
		return (int)got;
	l->at_end = !got;
	l->end += (size_t)got;
	return 0;
}

/* Room for a chunk behind what waits. */
static int make_room(struct rec_text_lines *l, struct err *err)
{
	size_t waits = l->end - l->begin;
	uint8_t *more;

	memmove(l->bytes, l->bytes + l->begin, waits);
	l->begin = 0;
	l->end = waits;
	if (l->cap - l->end >= CHUNK)
		return 0;
	more = realloc(l->bytes, l->cap * 2);
	if (!more)
		return err_nomem(err);
	l->bytes = more;
	l->cap *= 2;
	return 0;
}

/* Gives [begin, begin + n), of which `used` bytes are taken. */
static void give(struct rec_text_lines *l, size_t n, size_t used,
		 struct span *line)
{
	*line = span_of(l->bytes + l->begin, n);
	l->begin += used;
	l->number++;
	l->cut = n > REC_TEXT_LINE_MAX;
	if (l->cut)
		line->n = REC_TEXT_LINE_MAX;
	else if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	l->zero = line->n && memchr(line->p, 0, line->n);
}

const char *rec_text_lines_fault(const struct rec_text_lines *l)
{
	return l->cut  ? "the line is too long" :
	       l->zero ? "it has a byte of zero, as no text has" : NULL;
}

int rec_text_lines_next(struct rec_text_lines *l, struct span *line,
			struct err *err)
{
	size_t seen = 0;
	int rc = l->started ? 0 : start(l, err);

	while (rc == 0) {
		size_t n = l->end - l->begin;
		const uint8_t *p = l->bytes + l->begin;
		const uint8_t *lf = n > seen ? memchr(p + seen, '\n', n - seen) :
					       NULL;

		if (l->skipping && (lf || n)) {
			l->begin += lf ? (size_t)(lf - p) + 1 : n;
			l->skipping = !lf;
			continue;
		}
		if (lf) {
			give(l, (size_t)(lf - p), (size_t)(lf - p) + 1, line);
			return 0;
		}
		if (n > REC_TEXT_LINE_MAX) {
			give(l, n, n, line);
			l->skipping = true;
			return 0;
		}
		if (l->at_end) {
			if (!n)
				return 1;
			give(l, n, n, line);
			l->unended = true;
			return 0;
		}
		seen = n;
		rc = make_room(l, err);
		if (rc == 0)
			rc = fill(l, err);
	}
	return rc;
}

struct span rec_text_head(struct span head, uint8_t *to, size_t room, bool *cut)
{
	enum rec_text_encoding encoding;
	size_t mark = mark_of(head, &encoding), n;
	struct span in;

	*cut = head.n > room;
	(void)span_skip(&head, mark);
	if (encoding == REC_TEXT_UTF8) {
		n = head.n < room ? head.n : room;
		if (n)
			memcpy(to, head.p, n);
		return span_of(to, n);
	}
	/* Half as many bytes of UTF-16 fit in any case. */
	in = span_of(head.p, head.n < room / 2 ? head.n : room / 2);
	*cut = head.n > in.n;
	n = rec_text_utf16(&in, encoding == REC_TEXT_UTF16_BE, to);
	return span_of(to, n);
}
