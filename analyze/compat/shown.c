#include "analyze/compat/shown.h"

#include "analyze/compat/cxx.h"

#include "format/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD(text) span_of(text, sizeof(text) - 1)

/* Whether the fact import.lacks has the word. */
static bool lacks(const struct an_trace *t, const char *word)
{
	const char *all = an_fact(t, "import.lacks");
	size_t n = strlen(word);

	while (all && *all) {
		size_t size = strcspn(all, " ");

		if (size == n && !memcmp(all, word, n))
			return true;
		all += size + (all[size] == ' ');
	}
	return false;
}

void an_shown_init(struct an_shown *s, const struct an_trace *t)
{
	const char *text = an_fact(t, "kernel_text");

	*s = (struct an_shown){ .t = t, .no_pids = lacks(t, "pids") };
	if (text)
		s->text = strtoull(text, NULL, 0);
}

/* A thread of a process that nobody told is imported as one of its own. */
int32_t an_shown_pid(const struct an_shown *s, const struct an_thread *th)
{
	return s->no_pids && th->pid == th->tid ? -1 : th->pid;
}

/* Memory without a file, for which perf looks into /tmp/perf-PID.map. */
static bool is_area(const struct an_trace *t, const struct an_image *image)
{
	struct span path = an_string(t, image->path);

	return image->kind == TF_IMAGE_ANON &&
	       (!path.n || span_begins(path, "//anon") ||
		span_begins(path, "[anon") ||
		span_begins(path, "/dev/zero") ||
		span_begins(path, "/anon_hugepage"));
}

bool an_shown_by_process(const struct an_trace *t, uint32_t frame)
{
	const struct an_frame *f = an_frame_of(t, frame);

	return f->symbol == AN_NONE && is_area(t, an_image_of(t, f->image));
}

/* A record of the kernel's mapping has the name of the symbol that its address
 * is of behind the name: "[kernel.kallsyms]_text". */
static struct span kernel_dso(struct span path)
{
	if (!path.n) /* told by its address alone */
		return WORD("[unknown]");
	if (span_ends(path, "]_text"))
		path.n -= strlen("_text");
	else if (span_ends(path, "]_stext"))
		path.n -= strlen("_stext");
	return path;
}

static struct span dso_of(struct an_shown *s, const struct an_image *image,
			  int32_t pid)
{
	struct span path = an_string(s->t, image->path);

	if (is_area(s->t, image)) {
		snprintf(s->dso, sizeof(s->dso), "/tmp/perf-%" PRId32 ".map",
			 pid);
		return span_of(s->dso, strlen(s->dso));
	}
	switch (image->kind) {
	case TF_IMAGE_KERNEL:
		return kernel_dso(path);
	case TF_IMAGE_UNKNOWN:
		return WORD("[unknown]");
	default:
		return path.n ? path : WORD("[unknown]");
	}
}

bool an_shown_frame(struct an_shown *s, uint32_t frame, int32_t pid,
		    struct an_compat_frame *out)
{
	const struct an_frame *f = an_frame_of(s->t, frame);
	const struct an_image *image = an_image_of(s->t, f->image);
	bool lost = frame >= an_n_frames(s->t);

	if (image->kind == TF_IMAGE_SPECIAL && !lost)
		return false;
	*out = (struct an_compat_frame){
		.dso = dso_of(s, image, pid),
		.address = f->address,
	};
	if (lost || f->symbol != AN_NONE)
		out->symbol = an_cxx_without_return(
			an_frame_name(s->t, frame),
			an_string(s->t, an_symbol_of(s->t, f->symbol)->linkage));
	if (image->kind == TF_IMAGE_KERNEL)
		out->address += s->text;
	return true;
}
