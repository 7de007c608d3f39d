#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int code_of(int errnum)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return ERR_DENIED;
	case ENOMEM:
		return ERR_NOMEM;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return ERR_FULL;
	case EPIPE:
		return ERR_CLOSED;
	default:
		return ERR_IO;
	}
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (!err)
		return code_of(errnum);
	err->code = code_of(errnum);
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s",
		 strerror(errnum));
	return err->code;
}

int err_in(struct err *err, int code, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	size_t n;

	if (!err)
		return code;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s", old);
	err->code = code;
	return code;
}

int err_nomem(struct err *err)
{
	return err_set(err, ERR_NOMEM, "out of memory");
}
