#include "record/import/perfdata/skipped.h"

#include "format/base/mem.h"
#include "record/import/intake.h"

#include <string.h>

void rec_pd_skipped_init(struct rec_pd_skipped *s, struct rec_intake *to)
{
	*s = (struct rec_pd_skipped){ .to = to, .cpu = -1 };
}

void rec_pd_skipped_add(struct rec_pd_skipped *s)
{
	s->waits++;
}

static void give(struct rec_pd_skipped *s, int cpu, uint64_t time)
{
	if (s->waits)
		rec_intake_lost(s->to, TF_LOSS_DECODE, -1, cpu, time,
				s->waits);
	s->waits = 0;
}

void rec_pd_skipped_sound(struct rec_pd_skipped *s, int cpu, uint64_t time)
{
	bool known = cpu >= 0 && cpu < (int)REC_PD_SKIPPED_CPUS;
	bool between = known && cpu == s->cpu;

	/* At the edge of a ring's part of the round it may be of either CPU, and
	 * the next record of that one may come much later. */
	give(s, between ? cpu : -1, between ? time : 0);
	s->cpu = known ? cpu : -1;
	if (known)
		s->seen[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

void rec_pd_skipped_round(struct rec_pd_skipped *s)
{
	give(s, -1, 0);
	s->cpu = -1;
}

void rec_pd_skipped_file(struct rec_pd_skipped *s, bool cut)
{
	rec_pd_skipped_round(s);
	for (size_t i = 0; cut && i < ARRAY_LEN(s->cut); i++)
		s->cut[i] |= s->seen[i];
	memset(s->seen, 0, sizeof(s->seen));
}

void rec_pd_skipped_end(struct rec_pd_skipped *s, uint64_t newest)
{
	for (unsigned cpu = 0; cpu < REC_PD_SKIPPED_CPUS; cpu++)
		if (s->cut[cpu / 64] >> cpu % 64 & 1)
			rec_intake_lost(s->to, TF_LOSS_DECODE, -1, (int)cpu,
					newest, 0);
}
