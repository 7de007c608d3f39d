/* Counts as the kernel gives them. */
#include "record/counter/pmu/state.h"

#include <sys/ioctl.h>
#include <unistd.h>

/* Of a reading: how many, enabled, running; then a value and an id each. Without
 * PERF_FORMAT_GROUP the value is first, and there is no id. */
enum { N, ENABLED, RUNNING, VALUES };
enum { VALUE, ID, WORDS };

static bool by_group(const struct rec_pmu *p, const struct rec_pmu_fd *f)
{
	return p->cfg->events->items[f->event].attr.read_format &
	       PERF_FORMAT_GROUP;
}

/* The members that a reading of f->fd tells of; 0: it failed. */
static uint64_t read_words(struct rec_pmu *p, const struct rec_pmu_fd *f,
			   uint32_t members)
{
	size_t size = (VALUES + (size_t)members * WORDS) * sizeof(*p->words);
	ssize_t n = f->fd < 0 ? -1 : read(f->fd, p->words, size);

	if (n < (ssize_t)((VALUES + WORDS) * sizeof(*p->words)) ||
	    p->words[N] > members)
		return 0;
	return p->words[N];
}

static bool read_single(struct rec_pmu *p, const struct rec_pmu_fd *f)
{
	size_t size = VALUES * sizeof(*p->words);

	if (f->fd < 0 || read(f->fd, p->words, size) != (ssize_t)size)
		return false;
	p->counts[0] = (struct rec_pmu_count){ p->words[0], p->words[ENABLED],
					       p->words[RUNNING] };
	return true;
}

/* Events whose CPU went offline are of no group any more (kernel/events/core.c,
 * perf_group_detach()): each is read by itself. What it then tells may be
 * another one's, so that the id is looked at. */
static bool read_apart(struct rec_pmu *p, const struct rec_pmu_fd *f,
		       struct rec_pmu_count *to)
{
	if (read_words(p, f, 1) != 1 || p->words[VALUES + ID] != f->id)
		return false;
	*to = (struct rec_pmu_count){ p->words[VALUES + VALUE],
				      p->words[ENABLED], p->words[RUNNING] };
	return true;
}

static void split(struct rec_pmu *p, uint32_t members)
{
	for (uint32_t i = 0; i < members; i++)
		p->counts[i] = (struct rec_pmu_count){
			p->words[VALUES + i * WORDS + VALUE],
			p->words[ENABLED], p->words[RUNNING] };
}

bool rec_pmu_counts(struct rec_pmu *p, size_t at)
{
	const struct rec_pmu_fd *f = &p->fds[at];
	uint32_t n = f->members;

	if (!by_group(p, f))
		return read_single(p, f);
	if (read_words(p, f, n) == n) {
		split(p, n);
		return true;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!read_apart(p, &f[i], &p->counts[i]))
			return false;
	return true;
}

void rec_pmu_retire(struct rec_pmu *p, size_t at)
{
	uint32_t n = p->fds[at].members;
	bool good = rec_pmu_counts(p, at);

	for (uint32_t i = 0; i < n; i++) {
		struct rec_pmu_fd *f = &p->fds[at + i];
		struct rec_pmu_count *kept = &p->cells[f->cell].kept;

		if (good) {
			kept->value += p->counts[i].value;
			kept->enabled += p->counts[i].enabled;
			kept->running += p->counts[i].running;
		} else if (f->fd >= 0) {
			p->cells[f->cell].failed = true;
		}
		if (f->fd >= 0)
			close(f->fd);
		f->fd = -1;
	}
}

void rec_pmu_enable(const struct rec_pmu *p, size_t at)
{
	const struct rec_pmu_fd *f = &p->fds[at];

	if (f->fd >= 0 && f->members &&
	    !p->cfg->events->items[f->event].attr.enable_on_exec)
		(void)ioctl(f->fd, PERF_EVENT_IOC_ENABLE, 0);
}
