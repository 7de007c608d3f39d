/* --around */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include "analyze/gpu/late.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <string.h>

#define LATE "late:"
#define MARGIN_NS 50000000u

/* "late:N" or "late:N,TIME". */
static bool parse(const char *text, uint64_t *number, uint64_t *margin)
{
	size_t n;

	if (strncmp(text, LATE, strlen(LATE)) != 0)
		return false;
	text += strlen(LATE);
	n = strcspn(text, ",");
	*margin = MARGIN_NS;
	return an_word_number(span_of(text, n), UINT32_MAX, number) &&
	       *number && (!text[n] ||
			   time_parse(text + n + 1, NSEC_PER_SEC, margin));
}

static int refuse(const struct an_trace *t, uint64_t number, uint64_t n,
		  struct err *err)
{
	bool damaged = an_trace_damage(t);

	return err_set(err, damaged ? ERR_FORMAT : ERR_USAGE,
		       "no late display frame %" PRIu64 " in %s (there are %"
		       PRIu64 ")", number,
		       damaged ? "what is left of this damaged trace" :
				 "this trace", n);
}

int an_select_around(struct an_selection *sel,
		     const struct an_selection_args *args, struct an_trace *t,
		     struct err *err)
{
	uint64_t number, margin, n = 0, from, to;
	struct an_late late;
	int rc;

	if (!args->around)
		return 0;
	if (!parse(args->around, &number, &margin))
		return err_set(err, ERR_USAGE, "option '--around': '%s' is not "
			       "late:N or late:N,TIME (such as late:3 or "
			       "late:3,20ms)", args->around);
	rc = an_late_find(&late, &n, t, number, err);
	if (rc < 0)
		return rc;
	if (rc)
		return refuse(t, number, n, err);
	from = late.from > margin ? late.from - margin : 0;
	if (ckd_add(&to, late.to, margin))
		to = UINT64_MAX;
	if (from > sel->t_min)
		sel->t_min = from;
	if (to < sel->t_max)
		sel->t_max = to;
	if (sel->t_min > sel->t_max)
		return err_set(err, ERR_USAGE, "option '--around': '%s' lies "
			       "outside of '--time'", args->around);
	return 0;
}
