#include "record/import/tracedat/maps.h"

#include "record/proc/procfs.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

/* "7fa651c86000 7fa651e2b000 /usr/lib/libc.so.6": all of a file that lies in
 * one piece, so that it begins with the file's start. */
static bool take_range(struct span line, struct rec_mmap *m)
{
	struct span from, to;
	uint64_t end;

	if (!rec_word(&line, &from) || !rec_number(from, 16, &m->start) ||
	    !rec_word(&line, &to) || !rec_number(to, 16, &end) ||
	    end <= m->start || line.n < 2)
		return false;
	(void)span_skip(&line, 1);
	m->size = end - m->start;
	m->path = line;
	return true;
}

/* "6b2f 7 /bin/ls", numbers in hexadecimal: how many ranges follow. */
static bool take_process(struct span line, uint64_t *pid, uint64_t *n)
{
	struct span word;

	return rec_word(&line, &word) && rec_number(word, 16, pid) &&
	       *pid <= INT32_MAX && rec_word(&line, &word) &&
	       rec_number(word, 16, n);
}

int rec_dat_maps(struct rec_intake *to, struct span text, struct err *err)
{
	struct rec_record r = {
		.type = PERF_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER,
	};
	uint64_t pid = 0, n = 0;
	struct span line;
	int rc = 0;

	while (rc == 0 && rec_line(&text, &line)) {
		if (!n) {
			(void)take_process(line, &pid, &n);
			continue;
		}
		n--;
		r.mmap = (struct rec_mmap){ .pid = (int32_t)pid,
					    .tid = (int32_t)pid,
					    .prot = PROT_READ | PROT_EXEC };
		r.ids = (struct rec_ids){ .pid = (int32_t)pid,
					  .tid = (int32_t)pid };
		if (take_range(line, &r.mmap))
			rc = rec_intake_record(to, &r, err);
	}
	return rc;
}
