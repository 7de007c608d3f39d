/* Writes JSON to a stream: commas, escapes and nesting of any depth are taken
 * care of. Nothing is put around it: the caller ends the line. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "span.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *to;
	bool more;  /* the next value follows another one */
	bool fresh; /* the next value begins a line */
};

void json_init(struct json *j, FILE *to);

/* A line break before the next value, for people who read it. */
void json_break(struct json *j);

/* `key` is NULL inside arrays and at the top. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_text(struct json *j, const char *key, struct span text);
void json_cstr(struct json *j, const char *key, const char *text);
void json_cstr_or_null(struct json *j, const char *key, const char *text);
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_f64(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);

/* Only the string with its quotes: valid UTF-8 whatever the bytes; what is no
 * UTF-8 becomes U+FFFD, control characters are escaped. */
void json_string(FILE *to, struct span text);

#endif
