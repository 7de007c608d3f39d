/* JSON for the results of subcommands: commas and escapes are taken care of,
 * any bytes give valid UTF-8. The caller ends the line. */
#ifndef RECORD_CMD_JSON_H
#define RECORD_CMD_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rec_json {
	FILE *to;
	bool more;  /* the next value follows another one */
	bool fresh; /* the next value begins a line */
};

/* `key` is NULL inside arrays and at the top; `bracket` is '{' or '['. */
void rec_json_begin(struct rec_json *j, const char *key, char bracket);
void rec_json_end(struct rec_json *j, char bracket); /* '}' or ']' */

/* A line break before the next value, for people who read it. */
void rec_json_break(struct rec_json *j);

void rec_json_text(struct rec_json *j, const char *key, const char *text);
void rec_json_text_or_null(struct rec_json *j, const char *key,
			   const char *text);
void rec_json_i64(struct rec_json *j, const char *key, int64_t v);
void rec_json_f64(struct rec_json *j, const char *key, double v);
void rec_json_bool(struct rec_json *j, const char *key, bool v);

/* Text as a terminal may have it: control characters and bytes that are no
 * UTF-8 become \xNN. */
void rec_print_clean(FILE *to, const char *text);

#endif
