#include "record/import/input.h"

#include "format/io.h"
#include "record/import/stop.h"
#include "record/import/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RAW_SIZE ((size_t)64 << 10)
#define PEEK_SIZE ((size_t)64 << 10)

struct rec_input {
	char *name;
	int fd;
	struct rec_stop *stop; /* NULL: only its own end */
	int folder;           /* that fd's file is in; -1: as it was named */
	int spool;            /* its copy without a name; -1: there is none */
	struct rec_unpack *unpack; /* NULL: the bytes are plain */

	uint8_t *raw;         /* as they came: [at, n) are left */
	size_t raw_at, raw_n;
	uint64_t raw_end;     /* place of raw_n in the file */
	bool raw_ended;

	uint8_t *ahead;       /* plain, looked at and not taken: [at, n) */
	size_t ahead_at, ahead_n;
	bool ended;
	int failed;           /* nothing comes any more; 0: it may */
	struct err why;
};

/* -- As they come ---------------------------------------------------------- */

static ssize_t read_fd(struct rec_input *in, void *p, size_t n, struct err *err)
{
	ssize_t got;

	if (rec_stop_reading(in->stop, in->fd))
		return 0;
	do {
		got = read(in->fd, p, n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(err, errno, "cannot read '%s'", in->name);
	return got;
}

/* What is left comes to the front, and more of it behind that. */
static int refill(struct rec_input *in, struct err *err)
{
	ssize_t got;

	if (in->raw_ended)
		return 0;
	in->raw_n -= in->raw_at;
	memmove(in->raw, in->raw + in->raw_at, in->raw_n);
	in->raw_at = 0;
	got = read_fd(in, in->raw + in->raw_n, RAW_SIZE - in->raw_n, err);
	if (got < 0)
		return (int)got;
	in->raw_n += (size_t)got;
	in->raw_end += (uint64_t)got;
	in->raw_ended = got == 0;
	return 0;
}

static size_t take_raw(struct rec_input *in, void *p, size_t n)
{
	size_t left = in->raw_n - in->raw_at;

	if (n > left)
		n = left;
	memcpy(p, in->raw + in->raw_at, n);
	in->raw_at += n;
	return n;
}

/* What was read to tell the kind goes first; then without a detour. */
static ssize_t read_plain(struct rec_input *in, void *p, size_t n,
			  struct err *err)
{
	ssize_t got = (ssize_t)take_raw(in, p, n);

	if (got || in->raw_ended)
		return got;
	got = read_fd(in, p, n, err);
	if (got > 0)
		in->raw_end += (uint64_t)got;
	in->raw_ended = got == 0;
	return got;
}

static ssize_t read_packed(struct rec_input *in, void *p, size_t n,
			   struct err *err)
{
	struct rec_unpack_step s = { .out = p, .room = n };
	int rc = 0;

	while (rc == 0 && !s.made) {
		/* Less may be left than tells whether another one begins. */
		if (in->raw_n - in->raw_at < REC_UNPACK_HEAD) {
			rc = refill(in, err);
			if (rc < 0)
				return rc;
		}
		s.in = span_of(in->raw + in->raw_at, in->raw_n - in->raw_at);
		s.last = in->raw_ended;
		rc = rec_unpack_step(in->unpack, &s, err);
		in->raw_at = in->raw_n - s.in.n;
	}
	if (rc < 0)
		return err_in(err, rc, "'%s': %s data at offset %" PRIu64,
			      in->name, rec_unpack_name(in->unpack),
			      in->raw_end - (in->raw_n - in->raw_at));
	return (ssize_t)s.made;
}

/* Some of the plain bytes; 0 at the end. A failure stays. */
static ssize_t read_some(struct rec_input *in, void *p, size_t n,
			 struct err *err)
{
	ssize_t got = 0;

	if (!in->ended && !in->failed)
		got = in->unpack ? read_packed(in, p, n, &in->why) :
				   read_plain(in, p, n, &in->why);
	if (got < 0)
		in->failed = (int)got;
	if (in->failed)
		return err_set(err, in->failed, "%s", in->why.text);
	in->ended = in->ended || got == 0;
	return got;
}

/* -- Looking ahead --------------------------------------------------------- */

int rec_input_peek(struct rec_input *in, size_t n, struct span *head,
		   struct err *err)
{
	if (n > PEEK_SIZE)
		n = PEEK_SIZE;
	if (in->ahead_at) {
		in->ahead_n -= in->ahead_at;
		memmove(in->ahead, in->ahead + in->ahead_at, in->ahead_n);
		in->ahead_at = 0;
	}
	while (in->ahead_n < n) {
		ssize_t got = read_some(in, in->ahead + in->ahead_n,
					PEEK_SIZE - in->ahead_n, err);

		if (got < 0 && !in->ahead_n)
			return (int)got;
		if (got <= 0)
			break;
		in->ahead_n += (size_t)got;
	}
	*head = span_of(in->ahead, in->ahead_n < n ? in->ahead_n : n);
	return 0;
}

ssize_t rec_input_read(struct rec_input *in, void *p, size_t n, struct err *err)
{
	uint8_t *to = p;
	size_t have = in->ahead_n - in->ahead_at;

	if (have > n)
		have = n;
	if (have)
		memcpy(to, in->ahead + in->ahead_at, have);
	in->ahead_at += have;
	while (have < n) {
		ssize_t got = read_some(in, to + have, n - have, err);

		if (got < 0 && !have)
			return got;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* -- As a file ------------------------------------------------------------- */

static int write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

/* What came before a failure of the input is sound. */
static int fill_spool(struct rec_input *in, struct err *err)
{
	uint8_t block[16384];
	bool some = false;
	ssize_t got;

	while ((got = rec_input_read(in, block, sizeof(block), err)) > 0) {
		if (write_all(in->spool, block, (size_t)got))
			return err_sys(err, errno, "cannot copy '%s' to a "
				       "temporary file", in->name);
		some = true;
	}
	return some && got != ERR_NOMEM ? 0 : (int)got;
}

static bool is_plain_file(const struct rec_input *in)
{
	struct stat st;

	/* Standard input may stand in the middle of a file. */
	return !in->unpack && fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       lseek(in->fd, 0, SEEK_CUR) == (off_t)in->raw_end;
}

int rec_input_file(struct rec_input *in, int *fd, uint64_t *size,
		   struct err *err)
{
	struct stat st;
	int rc = 0;

	if (in->spool < 0 && !is_plain_file(in)) {
		in->spool = tf_temporary_file(err);
		rc = in->spool < 0 ? in->spool : fill_spool(in, err);
	}
	if (rc < 0)
		return rc;
	*fd = in->spool >= 0 ? in->spool : in->fd;
	if (fstat(*fd, &st))
		return err_sys(err, errno, "cannot read '%s'", in->name);
	*size = (uint64_t)st.st_size;
	return 0;
}

/* -- Opening --------------------------------------------------------------- */

/* The folder at hand becomes its file. */
static int open_folder(struct rec_input *in, struct err *err)
{
	struct stat st;

	in->folder = in->fd;
	/* A pipe of that name would wait for somebody. */
	in->fd = openat(in->folder, "data",
			O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in->fd < 0 || fstat(in->fd, &st) || !S_ISREG(st.st_mode))
		return err_sys(err, EISDIR, "cannot open '%s'", in->name);
	return 0;
}

static int open_fd(struct rec_input *in, const char *path, struct err *err)
{
	struct stat st;

	in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (in->fd < 0 || fstat(in->fd, &st))
		return err_sys(err, errno, "cannot open '%s'", in->name);
	if (S_ISDIR(st.st_mode))
		return open_folder(in, err);
	if (isatty(in->fd))
		return err_set(err, ERR_USAGE, "'%s' is a terminal: give a "
			       "file or a pipe", in->name);
	return 0;
}

static int begin(struct rec_input *in, struct err *err)
{
	int rc = 0;

	in->raw = malloc(RAW_SIZE);
	in->ahead = malloc(PEEK_SIZE);
	if (!in->raw || !in->ahead)
		return err_nomem(err);
	while (rc == 0 && in->raw_n < REC_UNPACK_HEAD && !in->raw_ended)
		rc = refill(in, err);
	return rc ? rc : rec_unpack_new(&in->unpack,
					span_of(in->raw, in->raw_n), err);
}

int rec_input_open_until(struct rec_input **out, const char *path,
			 struct rec_stop *stop, struct err *err)
{
	struct rec_input *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return err_nomem(err);
	in->fd = in->folder = in->spool = -1;
	in->name = strdup(strcmp(path, "-") ? path : "(standard input)");
	in->stop = stop;
	rc = in->name ? open_fd(in, path, err) : err_nomem(err);
	/* Not before: a pipe that has a name opens when somebody writes. */
	if (rc == 0 && stop)
		rc = rec_stop_take(stop, err);
	if (rc == 0)
		rc = begin(in, err);
	if (rc < 0) {
		rec_input_close(in);
		return rc;
	}
	*out = in;
	return 0;
}

int rec_input_open(struct rec_input **out, const char *path, struct err *err)
{
	return rec_input_open_until(out, path, NULL, err);
}

void rec_input_close(struct rec_input *in)
{
	if (!in)
		return;
	rec_unpack_free(in->unpack);
	if (in->spool >= 0)
		close(in->spool);
	if (in->fd >= 0)
		close(in->fd);
	if (in->folder >= 0)
		close(in->folder);
	free(in->raw);
	free(in->ahead);
	free(in->name);
	free(in);
}

int rec_input_failed(const struct rec_input *in, struct err *err)
{
	return in->failed ? err_set(err, in->failed, "%s", in->why.text) : 0;
}

const char *rec_input_name(const struct rec_input *in)
{
	return in->name;
}

int rec_input_folder(const struct rec_input *in)
{
	return in->folder;
}
