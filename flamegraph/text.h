/* A whole input as UTF-8 bytes. */
#ifndef FG_TEXT_H
#define FG_TEXT_H

#include <stddef.h>
#include <stdio.h>

struct fg_text {
	char *bytes;
	size_t size, cap;
};

/* Reads `in` to its end. A byte order mark is taken off, and UTF-16 that has
 * one becomes UTF-8. Release with fg_text_fini(), after a failure too. */
int fg_text_read(struct fg_text *text, FILE *in);
void fg_text_fini(struct fg_text *text);

#endif
