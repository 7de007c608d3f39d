#include "analyze/timeline/provider.h"

#include "format/base/buf.h"

#include <string.h>

extern const struct an_provider an_lanes_marks, an_lanes_losses,
	an_lanes_displays, an_lanes_rings, an_lanes_fences, an_lanes_cpus,
	an_lanes_counters, an_lanes_threads, an_lanes_samples;

const struct an_provider *const an_providers[] = {
	&an_lanes_marks,
	&an_lanes_losses,
	&an_lanes_displays,
	&an_lanes_rings,
	&an_lanes_fences,
	&an_lanes_cpus,
	&an_lanes_counters,
	&an_lanes_threads,
	&an_lanes_samples,
	NULL,
};

static bool is_word(const char *name, const char *word, size_t n)
{
	return strlen(name) == n && memcmp(name, word, n) == 0;
}

static bool has_word(const char *words, const char *name)
{
	for (; words; words = strchr(words, ',') ? strchr(words, ',') + 1 :
						   NULL)
		if (is_word(name, words, strcspn(words, ",")))
			return true;
	return false;
}

static int refuse(const char *word, size_t n, struct err *err)
{
	struct buf names;
	int rc;

	buf_init(&names, 0);
	for (size_t i = 0; an_providers[i]; i++)
		buf_printf(&names, "%s%s", i ? ", " : "",
			   an_providers[i]->name);
	buf_u8(&names, 0);
	rc = err_set(err, ERR_USAGE, "option '--lanes': no '%.*s' (there is: "
		     "%s)", (int)n, word,
		     buf_failed(&names) ? "?" : (const char *)names.p);
	buf_fini(&names);
	return rc;
}

static int check_words(const char *words, struct err *err)
{
	while (words) {
		size_t n = strcspn(words, ",");
		bool known = false;

		for (size_t i = 0; an_providers[i] && !known; i++)
			known = is_word(an_providers[i]->name, words, n);
		if (!known)
			return refuse(words, n, err);
		words = words[n] ? words + n + 1 : NULL;
	}
	return 0;
}

int an_providers_fill(struct an_timeline *tl, struct an_timeline_input *in,
		      const char *words, struct err *err)
{
	int rc = check_words(words, err);

	for (size_t i = 0; an_providers[i] && !rc; i++)
		if (!words || has_word(words, an_providers[i]->name))
			rc = an_providers[i]->fill(tl, in, err);
	return rc;
}
