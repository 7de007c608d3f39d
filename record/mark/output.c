#include "record/mark/output.h"

#include "format/base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 * 1024)
/* Marks that wait to be taken. */
#define QUEUE_MAX ((size_t)1 << 20)

struct rec_mark_output {
	regex_t regex;
	bool compiled;
	int ends[2];
	int to;
	int stop;          /* an eventfd: end once the pipe is empty */
	pthread_t thread;
	bool running;

	/* the thread's */
	uint8_t *bytes;
	struct buf line;   /* a line of which the end has not come */
	size_t last;       /* bytes that are still to be passed on */
	bool stopping;

	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool over;         /* under the lock: the thread is done */
	struct buf queue;  /* the same; marks as datagrams, each behind its size*/
	uint64_t missed;

	struct buf taken;  /* of the queue */
	struct span left;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int compile(struct rec_mark_output *o, const char *regex,
		   struct err *err)
{
	char why[256];
	int code = regcomp(&o->regex, regex, REG_EXTENDED | REG_NOSUB);

	o->compiled = code == 0;
	if (code == 0)
		return 0;
	regerror(code, &o->regex, why, sizeof(why));
	return err_set(err, ERR_USAGE, "option '--mark-from-stdout': '%s' is "
		       "not an extended regular expression: %s", regex, why);
}

static int init_lock(struct rec_mark_output *o)
{
	pthread_condattr_t a;
	int rc = pthread_condattr_init(&a);

	if (rc)
		return rc;
	rc = pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	if (!rc)
		rc = pthread_cond_init(&o->ended, &a);
	pthread_condattr_destroy(&a);
	return rc ? rc : pthread_mutex_init(&o->lock, NULL);
}

int rec_mark_output_new(struct rec_mark_output **out, const char *regex,
			struct err *err)
{
	struct rec_mark_output *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return err_nomem(err);
	o->ends[0] = o->ends[1] = o->stop = -1;
	buf_init(&o->line, REC_MARK_TEXT_MAX + 1);
	buf_init(&o->queue, QUEUE_MAX);
	buf_init(&o->taken, QUEUE_MAX);
	o->bytes = malloc(READ_SIZE);
	if (!o->bytes || init_lock(o)) {
		rc = err_nomem(err);
		goto fail;
	}
	rc = compile(o, regex, err);
	if (rc < 0)
		goto fail;
	o->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->stop < 0 || pipe2(o->ends, O_CLOEXEC)) {
		rc = err_sys(err, errno, "cannot create a pipe");
		goto fail;
	}
	*out = o;
	return 0;
fail:
	rec_mark_output_free(o);
	return rc;
}

int rec_mark_output_fd(const struct rec_mark_output *o)
{
	return o->ends[1];
}

void rec_mark_output_close_fd(struct rec_mark_output *o)
{
	close_fd(&o->ends[1]);
}

static void enqueue(struct rec_mark_output *o, const struct rec_mark *m)
{
	size_t before;

	pthread_mutex_lock(&o->lock);
	before = o->queue.n;
	buf_u32(&o->queue, (uint32_t)(REC_MARK_HEAD + m->text.n));
	rec_mark_encode(m, &o->queue);
	if (buf_failed(&o->queue)) {
		o->queue.n = before;
		o->queue.failed = false;
		o->missed++;
	}
	pthread_mutex_unlock(&o->lock);
}

/* The line ends with a NUL that is not part of it. */
static void match_line(struct rec_mark_output *o, struct span line,
		       uint64_t time)
{
	regmatch_t range = { 0 };

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n > REC_MARK_TEXT_MAX)
		line.n = REC_MARK_TEXT_MAX;
	range.rm_eo = (regoff_t)line.n;
	/* By its length: a line may hold NULs. */
	if (line.n && regexec(&o->regex, (const char *)line.p, 1, &range,
			      REG_STARTEND) == 0)
		enqueue(o, &(struct rec_mark){ .time = time, .text = line });
}

static void keep_part(struct rec_mark_output *o, struct span part)
{
	size_t room = REC_MARK_TEXT_MAX - o->line.n;

	if (part.n)
		buf_put(&o->line, part.p, part.n < room ? part.n : room);
}

static void end_line(struct rec_mark_output *o, struct span part,
		     uint64_t time)
{
	if (!o->line.n) {
		match_line(o, part, time);
		return;
	}
	keep_part(o, part);
	buf_u8(&o->line, 0);
	if (!buf_failed(&o->line))
		match_line(o, span_of(o->line.p, o->line.n - 1), time);
	buf_clear(&o->line);
}

/* Changes o->bytes, which have been passed on. */
static void take_lines(struct rec_mark_output *o, size_t n, uint64_t time)
{
	uint8_t *at = o->bytes, *past = at + n, *end;

	while ((end = memchr(at, '\n', (size_t)(past - at)))) {
		*end = '\0';
		end_line(o, span_of(at, (size_t)(end - at)), time);
		at = end + 1;
	}
	keep_part(o, span_of(at, (size_t)(past - at)));
}

/* Our standard output may be non-blocking. */
static bool pass_on(const struct rec_mark_output *o, struct span bytes)
{
	struct pollfd p = { .fd = o->to, .events = POLLOUT };

	while (bytes.n) {
		ssize_t n = write(o->to, bytes.p, bytes.n);

		if (n >= 0)
			(void)span_skip(&bytes, (size_t)n);
		else if (errno == EAGAIN)
			(void)poll(&p, 1, -1);
		else if (errno != EINTR)
			return false;
	}
	return true;
}

/* Once told to stop, what is in the pipe now is the last: somebody may hold it
 * open and fill it for ever. false: there is no more to read. */
static bool wait_for_bytes(struct rec_mark_output *o)
{
	struct pollfd p[2] = { { .fd = o->ends[0], .events = POLLIN },
			       { .fd = o->stop, .events = POLLIN } };
	int waiting = 0;

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[1].revents && !o->stopping) {
		(void)ioctl(o->ends[0], FIONREAD, &waiting);
		o->last = waiting > 0 ? (size_t)waiting : 0;
		o->stopping = true;
	}
	return o->stopping ? o->last > 0 : p[0].revents != 0;
}

static ssize_t read_some(struct rec_mark_output *o)
{
	size_t most = o->stopping && o->last < READ_SIZE ? o->last : READ_SIZE;
	ssize_t n = read(o->ends[0], o->bytes, most);

	if (o->stopping && n > 0)
		o->last -= (size_t)n;
	return n;
}

static void *pass_all(void *arg)
{
	struct rec_mark_output *o = arg;
	uint64_t time = 0;

	while (wait_for_bytes(o)) {
		ssize_t n = read_some(o);
		struct span bytes = span_of(o->bytes, n > 0 ? (size_t)n : 0);

		if (n < 0 && errno == EINTR)
			continue;
		time = time_now_ns(CLOCK_MONOTONIC);
		if (n <= 0 || !pass_on(o, bytes))
			break;
		take_lines(o, bytes.n, time);
	}
	if (o->line.n)
		end_line(o, span_of(NULL, 0), time);
	pthread_mutex_lock(&o->lock);
	/* Nobody reads any more: the command shall hear of it. */
	close_fd(&o->ends[0]);
	o->over = true;
	pthread_cond_signal(&o->ended);
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

int rec_mark_output_start(struct rec_mark_output *o, int to, struct err *err)
{
	sigset_t all, before;
	int errnum;

	o->to = to;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errnum = pthread_create(&o->thread, NULL, pass_all, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errnum)
		return err_set(err, ERR_NOMEM, "cannot start a thread");
	o->running = true;
	return 0;
}

static void take_queue(struct rec_mark_output *o)
{
	struct buf empty = o->taken;

	buf_clear(&empty);
	pthread_mutex_lock(&o->lock);
	o->taken = o->queue;
	o->queue = empty;
	pthread_mutex_unlock(&o->lock);
	o->left = span_of(o->taken.p, o->taken.n);
}

int rec_mark_output_take(struct rec_mark_output *o, struct rec_mark *out)
{
	struct span one;
	uint32_t n;

	if (!o->left.n)
		take_queue(o);
	if (!span_u32(&o->left, &n) || !span_take(&o->left, n, &one) ||
	    rec_mark_decode(one, out, NULL))
		return 1;
	out->source = TF_MARK_STDOUT;
	return 0;
}

bool rec_mark_output_finish(struct rec_mark_output *o, uint64_t timeout_ns)
{
	uint64_t end = time_now_ns(CLOCK_MONOTONIC) + timeout_ns;
	struct timespec until = { (time_t)(end / NSEC_PER_SEC),
				  (long)(end % NSEC_PER_SEC) };
	const uint64_t one = 1;
	bool over;

	if (!o->running)
		return true;
	(void)!write(o->stop, &one, sizeof(one));
	pthread_mutex_lock(&o->lock);
	while (!o->over && !pthread_cond_timedwait(&o->ended, &o->lock, &until))
		;
	over = o->over;
	pthread_mutex_unlock(&o->lock);
	return over;
}

uint64_t rec_mark_output_missed(struct rec_mark_output *o)
{
	uint64_t n;

	pthread_mutex_lock(&o->lock);
	n = o->missed;
	pthread_mutex_unlock(&o->lock);
	return n;
}

void rec_mark_output_free(struct rec_mark_output *o)
{
	const uint64_t one = 1;

	if (!o)
		return;
	if (o->running) {
		(void)!write(o->stop, &one, sizeof(one));
		pthread_join(o->thread, NULL);
	}
	close_fd(&o->ends[0]);
	close_fd(&o->ends[1]);
	close_fd(&o->stop);
	if (o->compiled)
		regfree(&o->regex);
	buf_fini(&o->line);
	buf_fini(&o->queue);
	buf_fini(&o->taken);
	free(o->bytes);
	free(o);
}
