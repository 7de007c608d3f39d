/* Writes JSON to a stream: commas, escapes and nesting of any depth are taken
 * care of. Nothing is put around it: the caller ends the line. */
#ifndef ANALYZE_OUT_JSON_H
#define ANALYZE_OUT_JSON_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct an_json {
	FILE *to;
	bool more;  /* the next value follows another one */
	bool fresh; /* the next value begins a line */
};

void an_json_init(struct an_json *j, FILE *to);

/* A line break before the next value, for people who read it. */
void an_json_break(struct an_json *j);

/* `key` is NULL inside arrays and at the top. */
void an_json_object(struct an_json *j, const char *key);
void an_json_array(struct an_json *j, const char *key);
void an_json_end_object(struct an_json *j);
void an_json_end_array(struct an_json *j);
void an_json_text(struct an_json *j, const char *key, struct span text);
void an_json_cstr(struct an_json *j, const char *key, const char *text);
void an_json_u64(struct an_json *j, const char *key, uint64_t v);
void an_json_i64(struct an_json *j, const char *key, int64_t v);
void an_json_f64(struct an_json *j, const char *key, double v);
void an_json_bool(struct an_json *j, const char *key, bool v);
void an_json_null(struct an_json *j, const char *key);

/* Only the string with its quotes: valid UTF-8 whatever the bytes; what is no
 * UTF-8 becomes U+FFFD, control characters are escaped. */
void an_json_string(FILE *to, struct span text);

#endif
