#include "tests/support/traceopen.h"

#include <stdlib.h>

int trace_build(struct trace_in_memory *m, const struct tb_trace *t)
{
	*m = (struct trace_in_memory){ 0 };
	buf_init(&m->bytes, 0);
	m->log = (struct log){ .to = fopen("/dev/null", "we"),
			       .prog = "test" };
	if (!m->log.to)
		abort();
	return tb_build(t, &m->bytes, &m->err);
}

int trace_open(struct trace_in_memory *m)
{
	struct tf_source *source;
	int rc = tf_source_memory(&source, span_of(m->bytes.p, m->bytes.n),
				  &m->err);

	an_trace_close(m->trace);
	m->trace = NULL;
	return rc ? rc : an_trace_from(&m->trace, source, &m->log, &m->err);
}

void trace_fini(struct trace_in_memory *m)
{
	an_trace_close(m->trace);
	buf_fini(&m->bytes);
	if (m->log.to)
		fclose(m->log.to);
	*m = (struct trace_in_memory){ 0 };
}

struct an_trace *trace_must(struct trace_in_memory *m,
			    const struct tb_trace *t)
{
	if (trace_build(m, t) || trace_open(m)) {
		fprintf(stderr, "%s\n", m->err.text);
		abort();
	}
	return m->trace;
}
