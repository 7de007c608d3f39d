#include "record/perf/filter.h"

#include "format/base/buf.h"
#include "record/perf/tracefs.h"
#include "record/proc/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

int rec_filter_add(char **filter, const char *expression, struct err *err)
{
	char *both;
	int n = *filter ? asprintf(&both, "(%s) && (%s)", *filter, expression) :
			  asprintf(&both, "%s", expression);

	if (n < 0)
		return err_nomem(err);
	free(*filter);
	*filter = both;
	return 0;
}

/* "	field:int prev_prio;	offset:…": the last word before the semicolon,
 * without the brackets of an array. */
static void put_field(struct buf *b, struct span line)
{
	static const char intro[] = "\tfield:";
	const char *p = (const char *)line.p, *end, *name;
	size_t n = sizeof(intro) - 1;

	if (line.n < n || memcmp(p, intro, n))
		return;
	end = memchr(p, ';', line.n);
	if (!end)
		return;
	if (end[-1] == ']')
		while (end > p + n && *end != '[')
			end--;
	for (name = end; name > p + n && !strchr(" \t*", name[-1]);)
		name--;
	buf_printf(b, "%s%.*s", b->n ? ", " : "", (int)(end - name), name);
}

static void put_fields(struct buf *to, const struct rec_event *e,
		       const char *root)
{
	struct span text, line;
	const char *tracefs;
	struct buf b;

	buf_init(&b, (size_t)1 << 20);
	if (!rec_tracefs(&tracefs, root, NULL) &&
	    !rec_procfs_read(&b, NULL, root, "%s/events/%s/%s/format", tracefs,
			     e->system, e->tracepoint)) {
		text = span_of(b.p, b.n);
		while (rec_line(&text, &line))
			put_field(to, line);
	}
	buf_fini(&b);
}

static int refused(const struct rec_event *e, const char *root,
		   struct err *err)
{
	struct buf fields;

	buf_init(&fields, 0);
	put_fields(&fields, e, root);
	buf_u8(&fields, 0);
	err_set(err, ERR_USAGE, "the kernel refuses the filter '%s' for "
		"'%s:%s' (fields: %s)", e->filter, e->system, e->tracepoint,
		buf_failed(&fields) || fields.n < 2 ? "none are known" :
						      (char *)fields.p);
	buf_fini(&fields);
	return ERR_USAGE;
}

int rec_filter_set(const struct rec_event *e, int fd, const char *root,
		   struct err *err)
{
	if (!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->filter))
		return 0;
	if (errno == EINVAL)
		return refused(e, root, err);
	return err_sys(err, errno, "cannot set the filter '%s' for '%s'",
		       e->filter, e->name);
}
