/* Text to lines, in constant memory: LF or CR LF, UTF-8 or, where a byte order
 * mark says so, UTF-16. */
#ifndef RECORD_IMPORT_TEXT_LINES_H
#define RECORD_IMPORT_TEXT_LINES_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is behind so many bytes of a line is left out. */
#define REC_TEXT_LINE_MAX ((size_t)1 << 20)

struct rec_input;

enum rec_text_encoding { REC_TEXT_UTF8, REC_TEXT_UTF16_LE, REC_TEXT_UTF16_BE };

struct rec_text_lines {
	struct rec_input *in; /* or, where it is NULL: */
	int fd;
	uint64_t at;          /* of the next byte of the file */

	uint8_t *bytes;       /* of which [begin, end) wait */
	size_t begin, end, cap;
	bool at_end;

	uint64_t number;      /* of the line that was given last, from 1 */
	bool cut;             /* its end was left out */
	bool zero;            /* it has a byte of zero */
	bool unended;         /* the text ends in it */
	bool skipping;

	bool started;
	enum rec_text_encoding encoding;
	uint8_t odd[4];       /* of UTF-16: bytes that wait for more */
	size_t n_odd;
};

void rec_text_lines_init(struct rec_text_lines *l, struct rec_input *in);
/* From the first byte of a file on, by pread. */
void rec_text_lines_of_file(struct rec_text_lines *l, int fd);
void rec_text_lines_fini(struct rec_text_lines *l);

/* The next line without its end, until the next call. 1: there is none. */
int rec_text_lines_next(struct rec_text_lines *l, struct span *line,
			struct err *err);

/* Why the line that was given last is no text; NULL: it is. */
const char *rec_text_lines_fault(const struct rec_text_lines *l);

/* The beginning of a text, for a look at what it is: at most `room` bytes of
 * UTF-8. *cut: the last line may go on behind. */
#define REC_TEXT_HEAD ((size_t)16 << 10)
struct span rec_text_head(struct span head, uint8_t *to, size_t room,
			  bool *cut);

#endif
