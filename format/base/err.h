/* One failure value: a code and a text. The text is made where the cause is
 * known; callers prefix where they were; only main prints it. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
	ERR_IO = -1,          /* the system refused: open, read, write */
	ERR_FORMAT = -2,      /* bytes that break the rules of their format */
	ERR_LIMIT = -3,       /* sound, but over a limit of ours */
	ERR_NOMEM = -4,
	ERR_USAGE = -5,       /* the caller or the command line is wrong */
	ERR_UNSUPPORTED = -6, /* sound, but this build or kernel cannot */
	ERR_DENIED = -7,      /* permission */
	ERR_NEWER = -8,       /* made by a version this one cannot read */
	ERR_FULL = -9,        /* no room: ENOSPC, EDQUOT, EFBIG */
	ERR_CLOSED = -10,     /* the other end of a pipe is gone */
};

struct err {
	int code; /* 0 or an enum err_code */
	char text[1000];
};

/* Each returns the code, so that "return err_set(...)" reads well. `err` may
 * be NULL when the caller wants no text. */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends ": strerror(errnum)" and chooses the code from errnum. */
int err_sys(struct err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Prefixes "...: " to a failure that is already there. */
int err_in(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

int err_nomem(struct err *err);

#endif
