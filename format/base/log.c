#include "log.h"

#include "utf8.h"

#include <stdarg.h>

#define MAX_LINE 2048

static void line(const struct log *l, const char *tag, const char *fmt,
		 va_list ap) __attribute__((format(printf, 3, 0)));

static void line(const struct log *l, const char *tag, const char *fmt,
		 va_list ap)
{
	char text[MAX_LINE];

	vsnprintf(text, sizeof(text), fmt, ap);
	flockfile(l->to);
	fprintf(l->to, "%s: %s", l->prog, tag);
	/* Names may be anybody's: none may command a terminal. */
	utf8_print_cstr(l->to, text);
	fputc('\n', l->to);
	funlockfile(l->to);
}

void log_error(const struct log *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(l, "error: ", fmt, ap);
	va_end(ap);
}

void log_warn(const struct log *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(l, "warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const struct log *l, const char *fmt, ...)
{
	va_list ap;

	if (l->level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	line(l, "", fmt, ap);
	va_end(ap);
}

void log_verbose(const struct log *l, const char *fmt, ...)
{
	va_list ap;

	if (l->level < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	line(l, "", fmt, ap);
	va_end(ap);
}
