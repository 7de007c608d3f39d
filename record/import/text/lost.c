#include "record/import/text/lost.h"

#include "format/catalog.h"
#include "record/import/intake.h"

static void give(struct rec_intake *to, uint32_t cpu, uint64_t time,
		 uint64_t n)
{
	rec_intake_lost(to, TF_LOSS_RING, -1, (int)cpu, time, n);
}

void rec_text_lost_add(struct rec_text_lost *l, struct rec_intake *to,
		       uint32_t cpu, uint64_t n)
{
	for (size_t i = 0; i < l->n_waits; i++)
		if (l->waits[i].cpu == cpu && n <= UINT64_MAX - l->waits[i].n) {
			l->waits[i].n += n;
			return;
		}
	if (l->n_waits == REC_TEXT_LOST_WAITS)
		give(to, cpu, 0, n);
	else
		l->waits[l->n_waits++] = (struct rec_text_lost_wait){ cpu, n };
}

static void note_first(struct rec_text_lost *l, uint32_t cpu, uint64_t time)
{
	uint64_t bit = UINT64_C(1) << cpu % 64;

	if (cpu >= REC_TEXT_LOST_CPUS || l->seen[cpu / 64] & bit)
		return;
	l->seen[cpu / 64] |= bit;
	l->began = time;
}

void rec_text_lost_row(struct rec_text_lost *l, struct rec_intake *to,
		       uint32_t cpu, uint64_t time)
{
	size_t n = 0;

	note_first(l, cpu, time);
	l->time = time;
	for (size_t i = 0; i < l->n_waits; i++) {
		if (l->waits[i].cpu == cpu)
			give(to, cpu, time, l->waits[i].n);
		else
			l->waits[n++] = l->waits[i];
	}
	l->n_waits = n;
}

void rec_text_lost_end(struct rec_text_lost *l, struct rec_intake *to)
{
	for (size_t i = 0; i < l->n_waits; i++)
		give(to, l->waits[i].cpu, l->time, l->waits[i].n);
	l->n_waits = 0;
	if (l->overwritten)
		rec_intake_lost(to, TF_LOSS_RING, -1, -1, l->began,
				l->overwritten);
}
