#include "record/gpu/report.h"

#include "format/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rec_gpu_report_fini(struct rec_gpu_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->missing[i].name);
		free(r->missing[i].why);
	}
	free(r->missing);
	buf_fini(&r->sources);
	*r = (struct rec_gpu_report){ 0 };
}

const char *rec_gpu_taken(const struct rec_gpu_report *r)
{
	return r->sources.n ? (const char *)r->sources.p : "";
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += n)
		if ((at == words || at[-1] == ' ') &&
		    (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

int rec_gpu_take(struct rec_gpu_report *r, const char *name, struct err *err)
{
	if (has_word(rec_gpu_taken(r), name))
		return 0;
	/* The text ends with a zero, that of before goes. */
	if (r->sources.n) {
		r->sources.n--;
		buf_u8(&r->sources, ' ');
	}
	buf_put(&r->sources, name, strlen(name) + 1);
	return buf_failed(&r->sources) ? err_nomem(err) : 0;
}

int rec_gpu_miss(struct rec_gpu_report *r, struct err *err, const char *name,
		 const char *fmt, ...)
{
	struct rec_gpu_missing m = { 0 };
	va_list ap;
	int n;

	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->missing[i].name, name) == 0)
			return 0;
	if (!mem_grow(&r->missing, &r->cap, r->n + 1, sizeof(*r->missing)))
		return err_nomem(err);
	m.name = strdup(name);
	va_start(ap, fmt);
	n = vasprintf(&m.why, fmt, ap);
	va_end(ap);
	if (!m.name || n < 0) {
		free(m.name);
		if (n >= 0)
			free(m.why);
		return err_nomem(err);
	}
	r->missing[r->n++] = m;
	return 0;
}

void rec_gpu_tell(const struct rec_gpu_report *r, const struct log *log)
{
	if (!r->asked)
		return;
	log_info(log, "of the GPU: %s",
		 r->sources.n ? rec_gpu_taken(r) : "nothing");
	for (size_t i = 0; i < r->n; i++)
		log_info(log, "  not %s: %s", r->missing[i].name,
			 r->missing[i].why);
}
