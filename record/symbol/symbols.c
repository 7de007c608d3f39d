#include "record/symbol/symbols.h"

#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/symbol/outbox.h"
#include "record/symbol/wire.h"
#include "record/symbol/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_QUEUE ((size_t)8 << 20)
#define MAX_WAITING (4 * REC_WIRE_MAX_WANTS) /* addresses in the socket: they
					       * leave room for images */
#define MESSAGES_A_POLL 256 /* so that a flood cannot hold the recorder */

/* How long its end is waited for: 50 ms, in steps of half a millisecond. */
#define LEAVING_STEPS 100

enum known { KNOWN_SENT, KNOWN_LOST };

struct rec_symbols {
	int fd; /* -1: the process is gone */
	pid_t pid;
	const struct log *log;
	char *root;
	struct map64 images; /* key to enum known */
	struct rec_outbox outbox;
	uint64_t waiting; /* addresses sent, neither done nor lost */
	uint64_t lost, dropped;
	uint32_t *troubled; /* images that were never sent: not yet said */
	size_t n_troubled, troubled_cap;
	uint8_t in[REC_WIRE_MAX_ANSWER];
};

static int open_below(const char *root, const char *path)
{
	char full[PATH_MAX];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);

	if (n < 0 || (size_t)n >= sizeof(full))
		return -1;
	return open(full, O_RDONLY | O_CLOEXEC);
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* The kernel decides by who opened kallsyms whether it shows addresses, so
 * rec opens it while it has its rights. */
static int start_process(struct rec_symbols *s, struct err *err)
{
	struct rec_known_files files;
	struct rec_worker_files worker;
	int ends[2], rc = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(err, errno, "cannot start the symbolizer");
	files.kallsyms = open_below(s->root, "/proc/kallsyms");
	files.modules = open_below(s->root, "/proc/modules");
	files.notes = open_below(s->root, "/sys/kernel/notes");
	worker = (struct rec_worker_files){ ends[1], files };
	s->pid = fork();
	if (s->pid == 0)
		rec_worker_main(&worker);
	if (s->pid < 0)
		rc = err_sys(err, errno, "cannot start the symbolizer");
	close(ends[1]);
	close_if(files.kallsyms);
	close_if(files.modules);
	close_if(files.notes);
	s->fd = ends[0];
	return rc;
}

int rec_symbols_start(struct rec_symbols **out,
		      const struct rec_symbols_config *cfg, struct err *err)
{
	struct rec_symbols *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_nomem(err);
	s->fd = -1;
	s->log = cfg->log;
	rc = rec_outbox_init(&s->outbox, cfg->max_queued ? cfg->max_queued :
						       DEFAULT_QUEUE, err);
	if (rc < 0)
		goto fail;
	s->root = strdup(cfg->root ? cfg->root : "");
	if (!s->root) {
		rc = err_nomem(err);
		goto fail;
	}
	rc = start_process(s, err);
	if (rc < 0)
		goto fail;
	*out = s;
	return 0;
fail:
	rec_symbols_free(s);
	return rc;
}

static void explain_end(char *to, size_t size, pid_t pid)
{
	int status = 0;
	pid_t ended = waitpid(pid, &status, 0);

	if (ended == pid && WIFSIGNALED(status))
		snprintf(to, size, "killed by signal %d", WTERMSIG(status));
	else if (ended == pid)
		snprintf(to, size, "it ended with status %d",
			 WEXITSTATUS(status));
	else
		snprintf(to, size, "it is gone");
}

/* It is not started again: the descriptors of its images went with it. */
static void give_up(struct rec_symbols *s, const char *why)
{
	char ending[64];

	close(s->fd);
	s->fd = -1;
	kill(s->pid, SIGKILL);
	explain_end(ending, sizeof(ending), s->pid);
	s->pid = 0;
	s->lost += s->waiting + s->outbox.n_wants;
	s->waiting = 0;
	rec_outbox_clear(&s->outbox);
	if (s->log)
		log_warn(s->log, "the symbolizer is gone (%s): %" PRIu64
			 " addresses and all later ones stay without names",
			 why ? why : ending, s->lost);
}

/* Few addresses at a time: images must find room in the socket. */
static bool may_send_wants(const struct rec_symbols *s)
{
	return s->outbox.n_wants && s->waiting < MAX_WAITING;
}

/* Images first: an address must not come before its image. */
static void send_all(struct rec_symbols *s)
{
	int rc;

	if (s->fd < 0)
		return;
	rc = rec_outbox_send_forget(&s->outbox, s->fd);
	if (!rc)
		rc = rec_outbox_send_images(&s->outbox, s->fd);
	while (!rc && may_send_wants(s)) {
		size_t n;

		rc = rec_outbox_send_wants(&s->outbox, s->fd, &n);
		s->waiting += n;
		if (rc == 1 && n)
			rc = 0;
	}
	if (rc < 0)
		give_up(s, NULL);
}

static int note_lost_image(struct rec_symbols *s, uint32_t key, int fd,
			   struct err *err)
{
	close_if(fd);
	if (!mem_grow(&s->troubled, &s->troubled_cap, s->n_troubled + 1,
		      sizeof(*s->troubled)))
		return err_nomem(err);
	s->troubled[s->n_troubled++] = key;
	return 0;
}

/* Debian's, Fedora's and others' place for the symbols that were cut off, by
 * build-id. Who may write there may also write the libraries. */
static int open_debug_file(const struct rec_symbols *s,
			   const struct rec_symbol_image *image)
{
	char path[256] = "/usr/lib/debug/.build-id/";
	size_t at = strlen(path);

	if (!image->build_id || image->build_id_size < 2 ||
	    image->build_id_size > REC_ELF_MAX_BUILD_ID)
		return -1;
	for (size_t i = 0; i < image->build_id_size; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%02x%s",
				       image->build_id[i], i ? "" : "/");
	snprintf(path + at, sizeof(path) - at, ".debug");
	return open_below(s->root, path);
}

int rec_symbols_image(struct rec_symbols *s,
		      const struct rec_symbol_image *image, int fd,
		      struct err *err)
{
	uint32_t *state;
	bool is_new;
	int rc;

	state = map64_put(&s->images, image->key, KNOWN_LOST, &is_new);
	if (!state) {
		close_if(fd);
		return err_nomem(err);
	}
	if (!is_new || s->fd < 0) {
		close_if(fd);
		return is_new ? 0 :
		       err_set(err, ERR_USAGE, "image %" PRIu32
			       " was introduced before", image->key);
	}
	if (rec_outbox_is_full(&s->outbox))
		send_all(s);
	if (s->fd < 0 || rec_outbox_is_full(&s->outbox))
		return note_lost_image(s, image->key, fd, err);
	rc = rec_outbox_put_image(&s->outbox, image, fd,
				  fd < 0 ? -1 : open_debug_file(s, image), err);
	if (!rc)
		*state = KNOWN_SENT;
	return rc;
}

void rec_symbols_forget(struct rec_symbols *s)
{
	s->outbox.forget = s->fd >= 0;
}

uint64_t rec_symbols_pending(const struct rec_symbols *s)
{
	return s->waiting + s->outbox.n_wants + s->outbox.n_images;
}

int rec_symbols_want(struct rec_symbols *s, uint32_t key, uint64_t address,
		     struct err *err)
{
	uint32_t state;

	if (!map64_get(&s->images, key, &state))
		return err_set(err, ERR_USAGE, "image %" PRIu32
			       " was not introduced", key);
	if (s->fd < 0) {
		s->lost++;
		return 0;
	}
	if (state == KNOWN_LOST) {
		s->dropped++;
		return 0;
	}
	if (!rec_outbox_put_want(&s->outbox, (struct rec_want){ address, key }))
		s->dropped++;
	return 0;
}

static bool account(struct rec_symbols *s, uint32_t done, uint32_t lost)
{
	uint64_t n = (uint64_t)done + lost;

	if (n > s->waiting)
		return false;
	s->waiting -= n;
	s->lost += lost;
	return true;
}

static bool hand_over(struct rec_symbols *s,
		      const struct rec_symbols_events *on,
		      const struct rec_answer *a)
{
	uint32_t state;

	if (a->type == REC_ANSWER_DONE)
		return account(s, a->done, a->lost);
	if (a->type == REC_ANSWER_TROUBLE && a->key == REC_WIRE_NO_KEY) {
		if (s->log)
			log_warn(s->log, "the symbolizer: %s", a->why);
		return true;
	}
	if (!map64_get(&s->images, a->key, &state))
		return false;
	if (a->type == REC_ANSWER_SYMBOL && on->symbol)
		on->symbol(on->ctx, &a->symbol);
	else if (a->type == REC_ANSWER_BUILD_ID && on->build_id)
		on->build_id(on->ctx, a->key, a->build_id);
	else if (a->type == REC_ANSWER_TROUBLE && on->trouble)
		on->trouble(on->ctx, a->key, a->why);
	return true;
}

static bool take_message(struct rec_symbols *s,
			 const struct rec_symbols_events *on, size_t n)
{
	struct span in = span_of(s->in, n);
	struct rec_answer answer;
	int rc;

	while (!(rc = rec_wire_take_answer(&answer, &in, NULL)))
		if (!hand_over(s, on, &answer))
			return false;
	return rc > 0;
}

static void take_answers(struct rec_symbols *s,
			 const struct rec_symbols_events *on)
{
	for (int i = 0; s->fd >= 0 && i < MESSAGES_A_POLL; i++) {
		ssize_t n = recv(s->fd, s->in, sizeof(s->in),
				 MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			give_up(s, NULL);
		else if ((size_t)n > sizeof(s->in) ||
			 !take_message(s, on, (size_t)n))
			give_up(s, "its answers make no sense");
	}
}

int rec_symbols_poll(struct rec_symbols *s, const struct rec_symbols_events *on,
		     struct err *err)
{
	(void)err;
	for (size_t i = 0; i < s->n_troubled; i++)
		if (on->trouble)
			on->trouble(on->ctx, s->troubled[i],
				    "too many images came at once");
	s->n_troubled = 0;
	send_all(s);
	take_answers(s, on);
	return 0;
}

int rec_symbols_fd(const struct rec_symbols *s)
{
	return s->fd;
}

bool rec_symbols_wants_write(const struct rec_symbols *s)
{
	return s->fd >= 0 && (s->outbox.n_images || may_send_wants(s));
}

/* Interrupted by a signal it looks again. */
static void wait_for_answers(const struct rec_symbols *s, uint64_t ns)
{
	struct timespec wait = { (time_t)(ns / NSEC_PER_SEC),
				 (long)(ns % NSEC_PER_SEC) };
	short events = rec_symbols_wants_write(s) ? POLLIN | POLLOUT : POLLIN;
	struct pollfd p = { .fd = s->fd, .events = events };

	ppoll(&p, 1, &wait, NULL);
}

int rec_symbols_drain(struct rec_symbols *s,
		      const struct rec_symbols_events *on, uint64_t timeout_ns,
		      struct err *err)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC), end;

	if (ckd_add(&end, now, timeout_ns))
		end = UINT64_MAX;
	for (;;) {
		int rc = rec_symbols_poll(s, on, err);

		if (rc < 0)
			return rc;
		if (s->fd < 0 || !rec_symbols_pending(s))
			return 0;
		now = time_now_ns(CLOCK_MONOTONIC);
		if (now >= end)
			return 1;
		wait_for_answers(s, end - now);
	}
}

uint64_t rec_symbols_unanswered(const struct rec_symbols *s)
{
	return s->lost + s->waiting + s->outbox.n_wants;
}

uint64_t rec_symbols_dropped(const struct rec_symbols *s)
{
	return s->dropped;
}

/* It ends by itself, and waits for its own children, so that what they used is
 * counted. true: it is gone. */
static bool left(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = NSEC_PER_SEC / 2000 };

	for (int i = 0; i < LEAVING_STEPS; i++) {
		pid_t ended = waitpid(pid, NULL, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Nobody reads its answers any more, whatever it is still doing. */
static void end_process(struct rec_symbols *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->pid <= 0 || left(s->pid))
		return;
	kill(s->pid, SIGKILL);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void rec_symbols_free(struct rec_symbols *s)
{
	if (!s)
		return;
	end_process(s);
	rec_outbox_fini(&s->outbox);
	map64_fini(&s->images);
	free(s->root);
	free(s->troubled);
	free(s);
}

pid_t rec_symbols_pid(const struct rec_symbols *s)
{
	return s->pid;
}
