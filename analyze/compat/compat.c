#include "analyze/compat/compat.h"

#include "analyze/compat/collapsed.h"
#include "analyze/compat/shown.h"
#include "analyze/samples.h"
#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Texts of frames: an id of `texts`, or: */
#define UNMADE UINT32_MAX
#define LEFT_OUT (UINT32_MAX - 1)

/* Threads whose stacks are shown alike. */
struct group {
	uint32_t node; /* of the command */
	int32_t pid;
	bool java;
};

/* Where a node of the user's part of a stack is. */
struct spot {
	uint32_t group; /* that it was made for, + 1; 0: none */
	uint32_t node;
};

struct maker {
	const struct an_trace *t;
	const struct an_compat_options *opt;
	const struct an_compat_choice *choice;
	struct an_shown shown;
	struct an_collapsed out;
	struct intern texts;
	uint32_t *frames[2];    /* by frame, of Java or not: its text */
	size_t n_frames;
	bool by_process;        /* some names are */
	uint32_t *group_of;     /* by thread, + 1; the lost one's is last */
	size_t n_threads;
	struct group *groups;
	size_t n_groups, groups_cap;
	struct map64 group_ids; /* (node, pid) to group */
	struct spot *spots;     /* by node of the user's stacks */
	size_t n_nodes;
	struct map64 kernel;    /* (node, stack) to node */
	struct buf text;
	uint64_t left;          /* nodes that may still be made */
	uint32_t path[TF_MAX_STACK_DEPTH + 1];
};

static int make_text(struct maker *m, uint32_t frame, const struct group *g,
		     uint32_t *out)
{
	struct an_compat_frame f;

	*out = LEFT_OUT;
	buf_clear(&m->text);
	if (!an_shown_frame(&m->shown, frame, g->pid, &f) ||
	    !an_compat_names(&m->text, &f, g->java, m->opt))
		return 0;
	if (buf_failed(&m->text) ||
	    !intern_put(&m->texts, m->text.p, m->text.n, out, NULL))
		return -ENOMEM;
	return 0;
}

static int text_of(struct maker *m, uint32_t frame, const struct group *g,
		   uint32_t *out)
{
	uint32_t *known = frame < m->n_frames ? &m->frames[g->java][frame] :
						NULL;
	int rc;

	*out = known ? *known : UNMADE;
	if (*out != UNMADE)
		return 0;
	rc = make_text(m, frame, g, out);
	if (!rc && known &&
	    !(m->by_process && an_shown_by_process(m->t, frame)))
		*known = *out;
	return rc;
}

/* More nodes than this are only in a file that was made to exhaust memory. */
static int add_name(struct maker *m, struct span name, uint32_t *at)
{
	size_t before = m->out.n;
	int rc = an_collapsed_child(&m->out, *at, name, at);

	if (!rc && m->out.n > before && !m->left--)
		rc = -EFBIG;
	return rc;
}

static int add_frame(struct maker *m, uint32_t frame, const struct group *g,
		     uint32_t *at)
{
	struct span text, name;
	uint32_t id;
	int rc = text_of(m, frame, g, &id);

	if (rc || id == LEFT_OUT)
		return rc;
	text = intern_get(&m->texts, id);
	for (bool more = true; more && !rc;) {
		const uint8_t *end = text.n ? memchr(text.p, ';', text.n) :
					      NULL;

		more = end;
		span_take(&text, end ? (size_t)(end - text.p) : text.n, &name);
		span_skip(&text, 1);
		rc = add_name(m, name, at);
	}
	return rc;
}

static int add_user(struct maker *m, uint32_t node, uint32_t group,
		    uint32_t *at)
{
	const struct group g = m->groups[group];
	size_t n = 0;
	int rc = 0;

	while (node && n < ARRAY_LEN(m->path)) {
		if (node < m->n_nodes && m->spots[node].group == group + 1) {
			*at = m->spots[node].node;
			break;
		}
		m->path[n++] = node;
		node = an_node_of(m->t, node)->parent;
	}
	while (n && !rc) {
		node = m->path[--n];
		rc = add_frame(m, an_node_of(m->t, node)->frame, &g, at);
		if (!rc && node < m->n_nodes)
			m->spots[node] = (struct spot){ group + 1, *at };
	}
	return rc;
}

/* The callers of the kernel's part are many: only whole ones are remembered. */
static int add_kernel(struct maker *m, uint32_t leaf, uint32_t group,
		      uint32_t *at)
{
	const struct group g = m->groups[group];
	uint64_t key = map64_pair(*at, leaf);
	size_t n = 0;
	bool is_new;
	int rc = 0;

	if (!leaf || map64_get(&m->kernel, key, at))
		return 0;
	for (uint32_t node = leaf; node && n < ARRAY_LEN(m->path);
	     node = an_node_of(m->t, node)->parent)
		m->path[n++] = node;
	while (n && !rc) {
		uint32_t frame = an_node_of(m->t, m->path[--n])->frame;

		rc = add_frame(m, an_frame_in_kernel(m->t, frame), &g, at);
	}
	if (!rc && !map64_put(&m->kernel, key, *at, &is_new))
		rc = -ENOMEM;
	return rc;
}

static int make_group(struct maker *m, const struct an_thread *th,
		      uint32_t *out)
{
	struct span comm = an_string(m->t, th->comm);
	struct group g = { .pid = m->by_process ? th->pid : 0,
			   .java = an_compat_is_java(comm) };
	uint32_t *id;
	bool is_new;
	int rc;

	buf_clear(&m->text);
	an_compat_command(&m->text, comm, an_shown_pid(&m->shown, th), th->tid,
			  m->opt);
	if (buf_failed(&m->text) ||
	    !mem_grow(&m->groups, &m->groups_cap, m->n_groups + 1,
		      sizeof(*m->groups)))
		return -ENOMEM;
	rc = add_name(m, span_of(m->text.p, m->text.n), &g.node);
	if (rc)
		return rc;
	id = map64_put(&m->group_ids, map64_pair(g.node, (uint32_t)g.pid),
		       (uint32_t)m->n_groups, &is_new);
	if (!id)
		return -ENOMEM;
	if (is_new)
		m->groups[m->n_groups++] = g;
	*out = *id;
	return 0;
}

static int group_of(struct maker *m, uint32_t thread, uint32_t *out)
{
	uint32_t *known = &m->group_of[thread < m->n_threads ? thread :
							       m->n_threads];
	int rc = 0;

	if (!*known) {
		rc = make_group(m, an_thread_of(m->t, thread), out);
		if (!rc)
			*known = *out + 1;
		return rc;
	}
	*out = *known - 1;
	return 0;
}

static uint64_t weight_of(const struct an_batch *b, size_t row, bool period)
{
	bool told = period && !(b->lacks & AN_S_PERIOD) && b->period[row];

	return told ? b->period[row] : 1;
}

static int add_stack(struct maker *m, const struct an_batch *b, size_t row,
		     uint32_t group, uint32_t *at)
{
	const struct group g = m->groups[group];
	struct an_place p = { .ip = b->ip[row], .flags = b->flags[row] };
	int rc = add_user(m, b->ustack[row], group, at);

	if (!rc)
		rc = add_kernel(m, b->kstack[row], group, at);
	/* Where a stack was asked for perf prints nothing else. */
	if (!rc && !(p.flags & (TF_SAMPLE_IP_IN_STACK | TF_SAMPLE_NO_CHAIN)))
		rc = add_frame(m, an_place_ip(m->t, &p), &g, at);
	return rc;
}

static int add_row(struct maker *m, const struct an_batch *b, size_t row,
		   bool period)
{
	uint32_t group, at;
	int rc = group_of(m, b->thread[row], &group);

	if (rc)
		return rc;
	at = m->groups[group].node;
	rc = add_stack(m, b, row, group, &at);
	if (!rc)
		rc = an_collapsed_add(&m->out, at, weight_of(b, row, period));
	return rc;
}

static int add_batch(struct maker *m, const struct an_batch *b)
{
	int rc = 0;

	for (size_t i = 0; i < b->n && !rc; i++)
		if (an_compat_shows(m->choice, b->event[i]))
			rc = add_row(m, b, i,
				     an_compat_has_period(m->t, b->event[i]));
	return rc;
}

static bool any_by_process(const struct an_trace *t)
{
	for (uint32_t i = 0; i < an_n_frames(t); i++)
		if (an_shown_by_process(t, i))
			return true;
	return false;
}

static int maker_init(struct maker *m, const struct an_trace *t,
		      const struct an_compat_choice *choice,
		      const struct an_compat_options *opt)
{
	m->t = t;
	m->opt = opt;
	m->choice = choice;
	m->left = an_trace_rows_limit(t);
	m->n_frames = an_n_frames(t);
	m->n_threads = an_n_threads(t);
	m->n_nodes = an_n_nodes(t);
	m->by_process = any_by_process(t);
	an_shown_init(&m->shown, t);
	buf_init(&m->text, 0);
	for (size_t i = 0; i < ARRAY_LEN(m->frames); i++) {
		size_t size = (m->n_frames + 1) * sizeof(**m->frames);

		m->frames[i] = malloc(size);
		if (!m->frames[i])
			return -ENOMEM;
		memset(m->frames[i], 0xff, size); /* UNMADE */
	}
	m->group_of = calloc(m->n_threads + 1, sizeof(*m->group_of));
	m->spots = calloc(m->n_nodes + 1, sizeof(*m->spots));
	return m->group_of && m->spots ? 0 : -ENOMEM;
}

static void maker_free(struct maker *m)
{
	if (!m)
		return;
	an_collapsed_fini(&m->out);
	intern_fini(&m->texts);
	for (size_t i = 0; i < ARRAY_LEN(m->frames); i++)
		free(m->frames[i]);
	free(m->group_of);
	free(m->groups);
	map64_fini(&m->group_ids);
	free(m->spots);
	map64_fini(&m->kernel);
	buf_fini(&m->text);
	free(m);
}

static int made_err(int rc, const struct an_trace *t, struct err *err)
{
	if (rc == -ENOMEM)
		return err_nomem(err);
	if (rc == -EFBIG)
		return err_set(err, ERR_LIMIT, "%s: more different stacks than "
			       "a file of this size can hold",
			       an_trace_path(t));
	return err_set(err, ERR_LIMIT, "%s: the counts of a stack add up to "
		       "more than 2^64", an_trace_path(t));
}

static int add_all(struct maker *m, struct an_trace *t,
		   const struct an_selection *sel, struct err *err)
{
	struct an_samples *s = NULL;
	const struct an_batch *b;
	int rc = an_samples_new(&s, t, sel,
				AN_S_THREAD | AN_S_EVENT | AN_S_PERIOD |
				AN_S_IP | AN_S_STACK | AN_S_FLAGS, err);

	while (!rc) {
		rc = an_samples_next(s, &b, err);
		if (rc)
			break;
		rc = add_batch(m, b);
		if (rc)
			rc = made_err(rc, t, err);
	}
	an_samples_free(s);
	return rc < 0 ? rc : 0;
}

int an_compat_write(struct an_trace *t, const struct an_selection *sel,
		    const struct an_compat_choice *choice,
		    const struct an_compat_options *opt, FILE *to,
		    struct err *err)
{
	struct maker *m = calloc(1, sizeof(*m));
	int rc;

	if (!m || maker_init(m, t, choice, opt)) {
		maker_free(m);
		return err_nomem(err);
	}
	rc = add_all(m, t, sel, err);
	if (!rc) {
		rc = an_collapsed_write(&m->out, to);
		if (rc)
			rc = rc == -ENOMEM ? err_nomem(err) :
			     err_sys(err, -rc, "cannot write stacks");
	}
	maker_free(m);
	return rc;
}
