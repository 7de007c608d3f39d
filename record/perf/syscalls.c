#include "record/perf/syscalls.h"

#include "format/base/buf.h"
#include "format/base/calls.h"

#include <stdlib.h>
#include <string.h>

#define ENTER "sys_enter_"
#define EXIT "sys_exit_"

/* Of this program's architecture. */
static const struct call_run *runs(void)
{
#if defined(__x86_64__)
	return call_runs("x86_64");
#elif defined(__aarch64__)
	return call_runs("aarch64");
#else
	return call_runs("");
#endif
}

const char *rec_syscall_name(uint64_t nr)
{
	return call_name(runs(), nr);
}

bool rec_syscall_number(uint64_t *nr, const char *name)
{
	return call_number(nr, runs(), name);
}

bool rec_syscall_note(const char *system, const char *event, bool asked,
		      struct rec_syscall_set *enter,
		      struct rec_syscall_set *exit)
{
	bool enters = !strncmp(event, ENTER, strlen(ENTER));
	bool exits = !strncmp(event, EXIT, strlen(EXIT));
	struct rec_syscall_set *set = enters ? enter : exit;
	uint64_t nr;

	if (strcmp(system, "syscalls") || (!enters && !exits))
		return false;
	event += strlen(enters ? ENTER : EXIT);
	if (!rec_syscall_number(&nr, event) || nr >= REC_SYSCALLS_MAX)
		return false;
	if (set->has[nr] || set->lacks[nr])
		return true;
	*(asked ? &set->has[nr] : &set->lacks[nr]) = true;
	*(asked ? &set->n : &set->n_lacks) += 1;
	return true;
}

/* "id<=2||id==5||…" of the numbers in `has`. */
static void put_ranges(struct buf *b, const bool has[REC_SYSCALLS_MAX],
		       const bool free_for_use[REC_SYSCALLS_MAX])
{
	bool begun = false;

	for (unsigned int i = 0; i < REC_SYSCALLS_MAX; i++) {
		unsigned int last = i;

		if (!has[i])
			continue;
		for (unsigned int k = i + 1; k < REC_SYSCALLS_MAX &&
					     (has[k] || free_for_use[k]); k++)
			if (has[k])
				last = k;
		buf_printf(b, "%s", begun ? "||" : "");
		begun = true;
		if (last == i)
			buf_printf(b, "id==%u", i);
		else
			buf_printf(b, "(id>=%u&&id<=%u)", i, last);
		i = last;
	}
}

/* The kernel takes less than a page. The shorter of what is wanted and what is
 * not is a hundred ranges at most, of some 18 letters; numbers that nobody
 * calls may be in either. */
int rec_syscall_filter(char **filter, const struct rec_syscall_set *set,
		       struct err *err)
{
	bool nobody[REC_SYSCALLS_MAX];
	bool negate = set->n_lacks < set->n;
	struct buf b;

	*filter = NULL;
	if (!set->n_lacks)
		return 0;
	for (size_t i = 0; i < REC_SYSCALLS_MAX; i++)
		nobody[i] = !set->has[i] && !set->lacks[i];
	buf_init(&b, 0);
	if (negate)
		buf_put(&b, "!(", 2);
	put_ranges(&b, negate ? set->lacks : set->has, nobody);
	buf_put(&b, negate ? ")" : "", negate ? 2 : 1);
	if (buf_failed(&b)) {
		buf_fini(&b);
		return err_nomem(err);
	}
	*filter = (char *)b.p;
	return 0;
}
