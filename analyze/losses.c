#include "analyze/losses.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>

struct kind {
	const char *name, *meaning;
	bool drops;      /* its count is of samples that are not there */
	bool uncounted;  /* samples are missing, nobody knows how many */
};

#define KIND(nm, text) .name = nm, .meaning = text

static const struct kind kinds[AN_N_LOSS_KINDS] = {
	[0] = { KIND("other", "losses of a kind not known here") },
	[TF_LOSS_RING] = { KIND("ring", "samples dropped by the kernel: ring "
				"full"), .drops = true },
	[TF_LOSS_THROTTLED] = { KIND("throttled",
				     "times the kernel paused sampling") },
	[TF_LOSS_LATE] = { KIND("late", "rows that came out of order (kept)") },
	[TF_LOSS_MEMORY] = { KIND("memory", "samples dropped by a memory limit "
				  "of rec"), .drops = true },
	[TF_LOSS_SIDEBAND] = { KIND("sideband", "mapping, comm or fork records "
				    "lost: some names may be wrong") },
	[TF_LOSS_CPU_OFFLINE] = { KIND("cpu-offline", "CPUs went offline"),
				  .uncounted = true },
	[TF_LOSS_UNKNOWN_END] = { KIND("unknown-end", "loss at the end cannot "
				       "be known (kernel before 6.0)"),
				  .uncounted = true },
	[TF_LOSS_DECODE] = { KIND("decode", "kernel records that made no "
				  "sense"), .drops = true },
	[TF_LOSS_SYMBOLS] = { KIND("symbols", "addresses that were not looked "
				   "up") },
};

static const struct kind *kind_of(uint32_t kind)
{
	return &kinds[kind < AN_N_LOSS_KINDS ? kind : 0];
}

static void add(uint64_t *sum, uint64_t v)
{
	if (ckd_add(sum, *sum, v))
		*sum = UINT64_MAX;
}

void an_losses_sum(const struct an_trace *t, uint32_t event,
		   struct an_lost *out)
{
	*out = (struct an_lost){ 0 };
	for (uint32_t i = 0; i < an_n_losses(t); i++) {
		const struct an_loss *l = an_loss_of(t, i);
		const struct kind *k = kind_of(l->kind);

		if (event != AN_NONE && l->event != AN_NONE &&
		    l->event != event)
			continue;
		add(&out->by_kind[k - kinds], l->count);
		out->rows[k - kinds]++;
		if (k->drops)
			add(&out->samples, l->count);
		out->unknown |= k->uncounted || (k->drops && !l->count);
	}
}

uint64_t an_losses_own(const struct an_trace *t, uint32_t event)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; event != AN_NONE && i < an_n_losses(t); i++) {
		const struct an_loss *l = an_loss_of(t, i);

		if (l->event == event && kind_of(l->kind)->drops)
			add(&sum, l->count);
	}
	return sum;
}

const char *an_loss_name(uint32_t kind)
{
	return kind_of(kind)->name;
}

void an_loss_print(FILE *to, const struct an_lost *lost, uint32_t kind)
{
	if (lost->by_kind[kind])
		fprintf(to, "%" PRIu64 " ", lost->by_kind[kind]);
	else if (!kind_of(kind)->uncounted)
		fputs("an unknown number of ", to);
	fprintf(to, "%s\n", kind_of(kind)->meaning);
}
