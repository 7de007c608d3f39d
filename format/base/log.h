/* Talk for people, on stderr: never results. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdio.h>

enum log_level { LOG_QUIET = -1, LOG_NORMAL = 0, LOG_VERBOSE = 1 };

struct log {
	FILE *to;
	const char *prog; /* the program's name, before each line */
	int level;        /* an enum log_level, or higher for more -v */
};

/* "prog: error: ..." at every level. */
void log_error(const struct log *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "prog: warning: ..." at every level: -q silences talk, never losses. */
void log_warn(const struct log *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "prog: ..." unless quiet. */
void log_info(const struct log *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "prog: ..." only with -v. */
void log_verbose(const struct log *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
