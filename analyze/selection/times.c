/* --time */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include "analyze/marks.h"
#include "analyze/samples.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARK "mark:"

/* The ends of what there is. */
struct bounds {
	uint64_t start, end;
};

static bool is_mark(const char *text)
{
	return strncmp(text, MARK, strlen(MARK)) == 0;
}

/* "P%" of the way from the start to the end. */
static bool parse_share(const char *text, size_t n, const struct bounds *b,
			uint64_t *out)
{
	char *rest;
	double share;

	errno = 0;
	share = strtod(text, &rest);
	if (errno || rest != text + n - 1 || !(share >= 0) || share > 100)
		return false;
	*out = b->start +
	       (uint64_t)((double)(b->end - b->start) / 100 * share);
	return true;
}

/* A moment: "@S" of the clock, "-T" before the end, "P%" or "T" behind the
 * start. */
static bool parse_moment(const char *text, const struct bounds *b,
			 uint64_t *out)
{
	size_t n = strlen(text);
	uint64_t ns;

	if (n && text[n - 1] == '%')
		return parse_share(text, n, b, out);
	if (text[0] == '@')
		return time_parse(text + 1, NSEC_PER_SEC, out);
	if (text[0] == '-') {
		if (!time_parse(text + 1, NSEC_PER_SEC, &ns))
			return false;
		*out = ns < b->end ? b->end - ns : 0;
		return true;
	}
	return time_parse(text, NSEC_PER_SEC, &ns) &&
	       !ckd_add(out, b->start, ns);
}

/* A mark's text, or a moment. B is the first mark of its text behind A. */
static bool parse_end(const struct an_trace *t, const char *text,
		      const struct bounds *b, uint64_t from, uint64_t *out)
{
	if (is_mark(text))
		return an_mark_find_from(t, text + strlen(MARK), from, out);
	return parse_moment(text, b, out);
}

/* The text of a mark may hold commas: any of them may be the one between. */
static bool parse_range(const struct an_trace *t, char *text,
			const struct bounds *b, uint64_t *from, uint64_t *to)
{
	for (char *comma = strchr(text, ','); comma;
	     comma = strchr(comma + 1, ',')) {
		uint64_t first = 0, last = UINT64_MAX;
		bool ok;

		*comma = 0;
		ok = (!*text || parse_end(t, text, b, 0, &first)) &&
		     (!comma[1] || parse_end(t, comma + 1, b, first, &last));
		*comma = ',';
		if (ok) {
			*from = first;
			*to = last;
			return true;
		}
	}
	return false;
}

static void show_mark(const struct an_trace *t, uint32_t i, struct buf *to)
{
	buf_printf(to, MARK "%s", an_text(t, an_mark_of(t, i)->text));
}

static const struct an_kind by_mark = { "time", "moment", false, NULL,
					show_mark };

static int refuse(const struct an_trace *t, const char *text, struct err *err)
{
	if (strstr(text, MARK))
		return an_choose_none(&by_mark, an_word(text), t,
				      (uint32_t)an_n_marks(t), err);
	return err_set(err, ERR_USAGE, "option '--time': '%s' is not A,B "
		       "(such as 1.5s,2s or 10%%,20%% or -2s, or @12.5,)",
		       text);
}

int an_select_time(struct an_selection *sel,
		   const struct an_selection_args *args,
		   const struct an_trace *t, struct err *err)
{
	struct bounds b;
	char *copy;
	bool ok;
	int rc;

	if (!args->time)
		return 0;
	rc = an_rows_bounds(t, &b.start, &b.end, err);
	if (rc < 0)
		return rc;
	if (rc)
		b.start = b.end = 0;
	copy = strdup(args->time);
	if (!copy)
		return err_nomem(err);
	ok = parse_range(t, copy, &b, &sel->t_min, &sel->t_max);
	free(copy);
	if (!ok)
		return refuse(t, args->time, err);
	if (sel->t_min > sel->t_max)
		return err_set(err, ERR_USAGE,
			       "option '--time': '%s' ends before it begins",
			       args->time);
	return 0;
}
