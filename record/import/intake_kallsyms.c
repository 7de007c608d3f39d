#include "record/import/intake_state.h"

#include <inttypes.h>
#include <linux/perf_event.h>

/* As perf records where the kernel and its modules are: the offset of the
 * kernel's mapping is the address of _text. */
static int map(struct rec_intake *in, const struct rec_own_area *a,
	       struct err *err)
{
	static const char kernel[] = "[kernel.kallsyms]_text";
	struct rec_record r = {
		.type = PERF_RECORD_MMAP,
		.misc = PERF_RECORD_MISC_KERNEL,
		.ids = { .pid = -1, .tid = -1 },
		.mmap = {
			.pid = -1,
			.start = a->start,
			.size = a->end - a->start,
			.path = a->name,
		},
	};

	if (!a->name.n) {
		r.mmap.path = span_of(kernel, sizeof(kernel) - 1);
		r.mmap.offset = in->own.kallsyms.text;
	}
	return rec_intake_record(in, &r, err);
}

static int without_names(struct rec_intake *in, const struct err *why,
			 struct err *err)
{
	if (why->code != ERR_DENIED && why->code != ERR_UNSUPPORTED) {
		if (err)
			*err = *why;
		return why->code;
	}
	rec_intake_fact(in, "note.kernel_names", "kernel functions have no "
			"names: the recorded %s", why->text);
	return 0;
}

int rec_intake_kallsyms(struct rec_intake *in, struct span text,
			struct err *err)
{
	struct err why = { 0 };
	int rc = rec_own_read(&in->own, text, &why);

	if (rc < 0)
		return without_names(in, &why, err);
	in->foreign.own = &in->own;
	rec_intake_fact(in, "kernel_text", "0x%" PRIx64,
			in->own.kallsyms.text);
	for (size_t i = 0; i < in->own.n_areas && rc == 0; i++)
		rc = map(in, &in->own.areas[i], err);
	return rc;
}
