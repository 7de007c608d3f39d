#include "analyze/tracepoint/handle.h"

#include "format/base/buf.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STRINGS 4096u /* of the kernel; a Linux 6.18 shows 100 */

static uint32_t size_fact(const struct an_trace *t, const char *key,
			  uint32_t otherwise)
{
	const char *fact = an_fact(t, key);
	unsigned long v = fact ? strtoul(fact, NULL, 10) : 0;

	return v && v <= 1u << 20 ? (uint32_t)v : otherwise;
}

int an_handle_maker_init(struct an_handle_maker *m, const struct an_trace *t,
			 struct err *err)
{
	*m = (struct an_handle_maker){
		.t = t,
		.long_size = size_fact(t, "pointer_size", 8) == 4 ? 4 : 8,
		.page_size = size_fact(t, "page_size", 4096),
	};
	/* It talks to stderr about each format that it does not like. */
	tep_set_loglevel(TEP_LOG_NONE);
	return an_functions_make(&m->functions, t, err);
}

void an_handle_maker_fini(struct an_handle_maker *m)
{
	an_functions_fini(&m->functions);
}

static char *resolve(void *priv, unsigned long long *address, char **module)
{
	const struct an_handle_maker *m = priv;
	const struct an_function *f = an_functions_find(&m->functions,
							*address);

	if (!f)
		return NULL;
	*address = f->start;
	*module = NULL;
	return (char *)(uintptr_t)an_text(m->t, f->name);
}

/* '0xffffffff828195af : "thaw_processes"' */
static int put_string(struct tep_handle *tep, char *line, struct err *err)
{
	char *end;
	unsigned long long address = strtoull(line, &end, 16);

	if (end == line || strncmp(end, " : \"", 4) != 0 || !end[4])
		return 0;
	return tep_register_print_string(tep, end + 3, address) ?
		       err_nomem(err) : 0;
}

/* Texts that records only point to. */
static int put_strings(struct tep_handle *tep, const struct an_trace *t,
		       struct err *err)
{
	const char *fact = an_fact(t, "printk_formats");
	char *copy = strdup(fact ? fact : ""), *rest = copy, *line;
	int rc = copy ? 0 : err_nomem(err);

	for (unsigned i = 0; i < MAX_STRINGS && !rc; i++) {
		line = strsep(&rest, "\n");
		if (!line)
			break;
		rc = put_string(tep, line, err);
	}
	free(copy);
	return rc;
}

static int make_tep(struct an_handle *h, struct an_handle_maker *m,
		    struct err *err)
{
	enum tep_endian order = tep_is_bigendian() ? TEP_BIG_ENDIAN :
						     TEP_LITTLE_ENDIAN;

	h->tep = tep_alloc();
	if (!h->tep)
		return err_nomem(err);
	tep_set_long_size(h->tep, (int)m->long_size);
	tep_set_page_size(h->tep, (int)m->page_size);
	tep_set_file_bigendian(h->tep, order);
	tep_set_local_bigendian(h->tep, order);
	if (tep_set_function_resolver(h->tep, resolve, m))
		return err_nomem(err);
	return put_strings(h->tep, m->t, err);
}

/* A tab in a string, as the maple tree's formats have it, is beyond version
 * 1.7.1 of the library; spelled as C does it is not. */
static void spell_tabs(struct buf *to, struct span format)
{
	bool quoted = false;

	for (size_t i = 0; i < format.n; i++) {
		uint8_t c = format.p[i];

		if (c == '\\' && i + 1 < format.n) {
			buf_put(to, format.p + i++, 2);
			continue;
		}
		if (c == '"')
			quoted = !quoted;
		if (quoted && c == '\t')
			buf_put(to, "\\t", 2);
		else
			buf_u8(to, c);
	}
	buf_u8(to, 0);
}

static bool has_all_fields(const struct tep_event *e,
			   const struct an_layout *l)
{
	size_t n = 0;

	for (const struct tep_format_field *f = e->format.common_fields; f;
	     f = f->next)
		n++;
	for (const struct tep_format_field *f = e->format.fields; f;
	     f = f->next)
		n++;
	return n == l->n;
}

/* Of the tracer's own events the library leaves the print format aside, for
 * programs that have functions for them; by another name it is one like any
 * other. */
static const char *system_of(const struct an_handle_maker *m,
			     const struct an_tracepoint *tp)
{
	const char *system = an_text(m->t, tp->system);

	return strcmp(system, "ftrace") == 0 ? "tracer" : system;
}

/* The library gives an event back also where its print format is beyond it, and
 * with the fields that it came to where one of them is. */
static int parse(struct an_handle *h, const struct an_handle_maker *m,
		 const struct an_tracepoint *tp, const struct an_layout *l,
		 struct err *err)
{
	struct buf text;

	buf_init(&text, 0);
	spell_tabs(&text, tp->format);
	if (buf_failed(&text)) {
		buf_fini(&text);
		return err_nomem(err);
	}
	tep_parse_event(h->tep, (const char *)text.p, text.n - 1,
			system_of(m, tp));
	buf_fini(&text);
	h->event = tep_get_first_event(h->tep);
	if (!h->event)
		return 0;
	h->unusable = h->event->flags & (int)TEP_EVENT_FL_FAILED;
	if (!has_all_fields(h->event, l) ||
	    !an_guard_event(&h->guard, h->event, l->size))
		h->event = NULL;
	return 0;
}

int an_handle_init(struct an_handle *h, struct an_handle_maker *m,
		   const struct an_tracepoint *tp, const struct an_layout *l,
		   struct err *err)
{
	int rc = 0;

	*h = (struct an_handle){ 0 };
	if (an_guard_text(tp->format, l)) {
		rc = make_tep(h, m, err);
		if (!rc)
			rc = parse(h, m, tp, l, err);
	}
	h->unusable = h->unusable || !h->event;
	return rc;
}

void an_handle_fini(struct an_handle *h)
{
	tep_free(h->tep);
	*h = (struct an_handle){ 0 };
}
