#include "record/symbol/loader.h"

#include "format/base/buf.h"
#include "format/base/time.h"
#include "record/symbol/confine.h"
#include "record/symbol/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE ((size_t)256 << 10)
/* Rows of a piece of a reply, of 24 bytes. */
#define ROWS_SENT 8192u
/* Rows are 24 bytes; with the names this is what a table can come to. */
#define MAX_REPLY (REC_SYMTAB_MAX_NAMES + 24ull * REC_SYMTAB_MAX_ROWS + 4096)

const struct rec_loader rec_loader_elf = {
	.read = rec_elf_read,
	.patience_ns = 30ull * NSEC_PER_SEC,
	.cpu_seconds = 20,
};

static void put_text(struct buf *out, const void *p, size_t n)
{
	buf_u32(out, (uint32_t)n);
	buf_put(out, p, n);
}

/* About as many bytes as will follow, the code, then a message or a build-id. */
static void put_head(struct buf *out, int rc, const struct rec_elf *elf,
		     const struct err *err)
{
	uint64_t size = rc < 0 ? 0 : elf->symtab.names.n +
					     24ull * elf->symtab.n;

	buf_u32(out, (uint32_t)(size < MAX_REPLY ? size : 0));
	buf_u32(out, (uint32_t)-rc);
	if (rc < 0)
		put_text(out, err->text, strlen(err->text));
	else
		put_text(out, elf->build_id, elf->build_id_size);
}

static bool write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

/* The table in pieces, so that it is not copied as a whole once more. */
static bool write_reply(int to, int rc, const struct rec_elf *elf,
			const struct err *err)
{
	struct buf piece;
	bool done;
	size_t row = 0;

	buf_init(&piece, 2 * READ_SIZE);
	put_head(&piece, rc, elf, err);
	if (!rc)
		rec_symtab_put_head(&piece, &elf->symtab);
	done = !buf_failed(&piece) && write_all(to, piece.p, piece.n);
	if (done && !rc)
		done = write_all(to, elf->symtab.names.p,
				 elf->symtab.names.n);
	while (done && !rc && row < elf->symtab.n) {
		buf_clear(&piece);
		row = rec_symtab_put_rows(&piece, &elf->symtab, row, ROWS_SENT);
		done = !buf_failed(&piece) && write_all(to, piece.p, piece.n);
	}
	buf_fini(&piece);
	return done;
}

_Noreturn void rec_loader_read(const struct rec_loader *l, int to,
			       const struct rec_elf_source *source)
{
	struct rec_elf elf = { 0 };
	struct err err = { 0 };
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rec_confine_cpu(l->cpu_seconds);
	rc = l->read(&elf, source, &err);
	_exit(write_reply(to, rc, &elf, &err) ? 0 : 1);
}

/* Once for all that is announced: memory that is not written costs nothing. */
static void make_room(struct buf *reply, struct span first)
{
	uint32_t size;

	if (span_u32(&first, &size) && size < MAX_REPLY - 2 * READ_SIZE)
		(void)buf_room(reply, size + 2 * READ_SIZE);
}

/* 0: more may come, 1: that was all. */
static int read_some(int from, struct buf *reply, uint64_t end,
		     struct err *err)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	uint64_t left = now < end ? end - now : 0;
	struct timespec wait = { (time_t)(left / NSEC_PER_SEC),
				 (long)(left % NSEC_PER_SEC) };
	struct pollfd p = { .fd = from, .events = POLLIN };
	int ready = ppoll(&p, 1, &wait, NULL);
	uint8_t *at;
	ssize_t n;

	if (ready == 0 || !left)
		return err_set(err, ERR_LIMIT, "reading it takes too long");
	at = buf_room(reply, READ_SIZE);
	if (!at)
		return err_nomem(err);
	n = ready < 0 ? -1 : read(from, at, READ_SIZE);
	if (n < 0)
		return errno == EINTR ? 0 :
		       err_sys(err, errno, "cannot read from the loader");
	if (!reply->n)
		make_room(reply, span_of(at, (size_t)n));
	reply->n += (size_t)n;
	return n == 0;
}

static int take_reply(struct rec_elf *out, struct span in, struct err *err)
{
	uint32_t size, code, n;
	struct span text;
	int rc;

	if (!span_u32(&in, &size) || !span_u32(&in, &code) || !span_u32(&in, &n) ||
	    !span_take(&in, n, &text))
		return err_set(err, ERR_FORMAT, "loader: reply cut short");
	if (code)
		return err_set(err, ERR_FORMAT, "%.*s",
			       (int)(text.n < 200 ? text.n : 200), text.p);
	if (text.n > sizeof(out->build_id))
		return err_set(err, ERR_FORMAT, "loader: bad build-id");
	rc = rec_symtab_take(&out->symtab, &in, err);
	if (rc < 0)
		return rc;
	if (text.n)
		memcpy(out->build_id, text.p, text.n);
	out->build_id_size = text.n;
	return 0;
}

static int explain_end(int status, struct err *err)
{
	if (!WIFSIGNALED(status))
		return err_set(err, ERR_NOMEM, "no memory for its symbols");
	if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
		return err_set(err, ERR_LIMIT, "reading it takes too long");
	return err_set(err, ERR_FORMAT, "its reader was killed by signal %d",
		       WTERMSIG(status));
}

static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return status;
}

/* A reader of the nursery's is ended with it. */
static int end_of(struct rec_nursery *n, pid_t pid, uint64_t end, int rc,
		  int *status, struct err *err)
{
	if (!pid && rc < 0)
		rec_nursery_end(n);
	if (!pid && rc > 0) {
		int late = rec_nursery_status(n, end, status, err);

		return late < 0 ? late : rc;
	}
	if (pid && rc < 0)
		kill(pid, SIGKILL);
	if (pid)
		*status = reap(pid);
	return rc;
}

/* `pid` 0: it is the nursery's. */
static int hear(const struct rec_loader *l, struct rec_nursery *n,
		struct rec_elf *out, pid_t pid, int from, struct err *err)
{
	uint64_t end = time_now_ns(CLOCK_MONOTONIC) + l->patience_ns;
	struct buf reply;
	int rc, status = 0;

	buf_init(&reply, MAX_REPLY);
	do
		rc = read_some(from, &reply, end, err);
	while (!rc);
	rc = end_of(n, pid, end, rc, &status, err);
	if (rc > 0)
		rc = status ? explain_end(status, err) :
			      take_reply(out, span_of(reply.p, reply.n), err);
	buf_fini(&reply);
	return rc;
}

int rec_loader_run(const struct rec_loader *l, struct rec_nursery *n,
		   struct rec_elf *out, const struct rec_elf_source *source,
		   struct err *err)
{
	int ends[2], rc;
	pid_t pid = 0;

	*out = (struct rec_elf){ 0 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot start the loader");
	if (!rec_nursery_ask(n, ends[1], source)) {
		pid = fork();
		if (pid == 0) {
			close(ends[0]);
			rec_loader_read(l, ends[1], source);
		}
	}
	close(ends[1]);
	if (pid >= 0)
		rc = hear(l, n, out, pid, ends[0], err);
	else
		rc = err_sys(err, errno, "cannot start the loader");
	close(ends[0]);
	return rc;
}
