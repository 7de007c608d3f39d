#include "analyze/flame.h"

#include "analyze/samples.h"

#include "format/base/buf.h"
#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_FRAME UINT32_MAX

/* Where a node of the user's part of a stack is in the picture. */
struct spot {
	uint32_t comm; /* fg node of the command that it was made for, 0: none*/
	uint32_t fg;
};

struct maker {
	const struct an_trace *t;
	const struct an_flame_options *opt;
	struct fg_tree *tree;
	uint32_t *frames;       /* fg frame by frame, NO_FRAME: not made yet;
				 * the last one is the lost frame's */
	size_t n_frames;
	struct spot *spots;     /* by node */
	size_t n_nodes;
	struct map64 kernel;    /* (fg node, stack node) → fg node */
	uint32_t path[2 * TF_MAX_STACK_DEPTH + 2]; /* nodes still to be made */
};

int an_flame_err(int rc, struct err *err, const char *what)
{
	if (rc == -ENOMEM)
		return err_nomem(err);
	if (rc == -EOVERFLOW)
		return err_set(err, ERR_LIMIT, "%s: the weights add up to more "
			       "than 2^64", what);
	return err_sys(err, -rc, "cannot write %s", what);
}

static enum fg_kind kind_of(const struct maker *m,
			    const struct an_frame *f)
{
	if (f->kernel)
		return m->opt->plain_kernel ? FG_USER : FG_KERNEL;
	switch (an_image_of(m->t, f->image)->kind) {
	case TF_IMAGE_SPECIAL:
		return FG_SPECIAL;
	case TF_IMAGE_ANON:
		return m->opt->plain_jit ? FG_USER : FG_JIT;
	case TF_IMAGE_UNKNOWN:
		return FG_SPECIAL;
	default:
		return FG_USER;
	}
}

/* Code without a name is shown by where it is: "[libc.so.6]". */
static int nameless(struct maker *m, const struct an_frame *f, uint32_t *out)
{
	struct span dso = an_string(m->t, an_image_of(m->t, f->image)->dso);
	bool bare = dso.n && dso.p[0] != '[';
	enum fg_kind kind = kind_of(m, f);
	struct buf name;
	int rc;

	buf_init(&name, 0);
	if (bare)
		buf_u8(&name, '[');
	buf_put(&name, dso.p, dso.n);
	if (bare)
		buf_u8(&name, ']');
	rc = buf_failed(&name) ? -ENOMEM :
	     fg_frame(m->tree, (const char *)name.p, name.n,
		      kind == FG_USER ? FG_SPECIAL : kind, out);
	buf_fini(&name);
	return rc;
}

static int frame_of(struct maker *m, uint32_t frame, uint32_t *out)
{
	size_t at = frame < m->n_frames ? frame : m->n_frames;
	const struct an_frame *f;
	struct span name;
	int rc;

	*out = m->frames[at];
	if (*out != NO_FRAME)
		return 0;
	f = an_frame_of(m->t, frame);
	name = an_frame_name(m->t, frame);
	if (at == m->n_frames)
		rc = fg_frame(m->tree, (const char *)name.p, name.n,
			      FG_SPECIAL, out);
	else if (f->symbol == AN_NONE &&
		 an_image_of(m->t, f->image)->kind != TF_IMAGE_SPECIAL)
		rc = nameless(m, f, out);
	else
		rc = fg_frame(m->tree, (const char *)name.p, name.n,
			      kind_of(m, f), out);
	if (!rc)
		m->frames[at] = *out;
	return rc;
}

static int add_frame(struct maker *m, uint32_t frame, uint32_t *at)
{
	uint32_t fg;
	int rc = frame_of(m, frame, &fg);

	return rc ? rc : fg_child(m->tree, *at, fg, at);
}

/* Hangs the user's part under the command *at, where its leaf is found
 * afterwards. What it shares with those before it is found, not walked. */
static int add_user(struct maker *m, uint32_t node, uint32_t *at)
{
	uint32_t comm = *at;
	size_t n = 0;
	int rc = 0;

	while (node && n < ARRAY_LEN(m->path)) {
		if (node < m->n_nodes && m->spots[node].comm == comm) {
			*at = m->spots[node].fg;
			break;
		}
		m->path[n++] = node;
		node = an_node_of(m->t, node)->parent;
	}
	while (n && !rc) {
		node = m->path[--n];
		rc = add_frame(m, an_node_of(m->t, node)->frame, at);
		if (!rc && node < m->n_nodes)
			m->spots[node] = (struct spot){ comm, *at };
	}
	return rc;
}

/* The same for the kernel's part, whose caller may be anywhere: only whole
 * parts are remembered. */
static int add_kernel(struct maker *m, uint32_t leaf, uint32_t *at)
{
	uint64_t key = map64_pair(*at, leaf);
	uint32_t *slot;
	bool is_new;
	size_t n = 0;
	int rc = 0;

	if (!leaf || map64_get(&m->kernel, key, at))
		return 0;
	for (uint32_t node = leaf; node && n < ARRAY_LEN(m->path);
	     node = an_node_of(m->t, node)->parent)
		m->path[n++] = node;
	while (n && !rc) {
		uint32_t frame = an_node_of(m->t, m->path[--n])->frame;

		rc = add_frame(m, an_frame_in_kernel(m->t, frame), at);
	}
	if (rc)
		return rc;
	slot = map64_put(&m->kernel, key, *at, &is_new);
	return slot ? 0 : -ENOMEM;
}

static int add_comm(struct maker *m, uint32_t thread, uint32_t *at)
{
	const struct an_thread *th = an_thread_of(m->t, thread);
	struct span comm = an_string(m->t, th->comm);
	uint32_t frame;
	int rc = fg_frame(m->tree, (const char *)comm.p, comm.n, FG_PROCESS,
			  &frame);

	return rc ? rc : fg_child(m->tree, 0, frame, at);
}

static int add_place(struct maker *m, const struct an_place *p)
{
	uint32_t at;
	int rc = add_comm(m, p->thread, &at);

	if (!rc)
		rc = add_user(m, p->ustack, &at);
	if (!rc)
		rc = add_kernel(m, p->kstack, &at);
	if (!rc && !(p->flags & TF_SAMPLE_IP_IN_STACK))
		rc = add_frame(m, an_place_ip(m->t, p), &at);
	if (!rc)
		rc = fg_add(m->tree, at,
			    an_weight_of(&p->sum, m->opt->weight));
	return rc;
}

static int maker_init(struct maker *m, const struct an_trace *t,
		      const struct an_flame_options *opt)
{
	m->t = t;
	m->opt = opt;
	m->n_frames = an_n_frames(t);
	m->n_nodes = an_n_nodes(t);
	m->frames = malloc((m->n_frames + 1) * sizeof(*m->frames));
	m->spots = calloc(m->n_nodes + 1, sizeof(*m->spots));
	if (!m->frames || !m->spots)
		return -ENOMEM;
	memset(m->frames, 0xff, (m->n_frames + 1) * sizeof(*m->frames));
	return fg_tree_new(&m->tree);
}

static void maker_free(struct maker *m)
{
	map64_fini(&m->kernel);
	free(m->frames);
	free(m->spots);
	free(m);
}

static uint32_t comm_of(const struct an_trace *t, const struct an_place *p)
{
	return an_thread_of(t, p->thread)->comm;
}

/* The places command by command, since what is remembered of a node is of one
 * command. */
static uint32_t *by_comm(const struct an_trace *t,
			 const struct an_event_profile *e)
{
	size_t n_comms = 0, at = 0;
	uint32_t *order = calloc(e->n + 1, sizeof(*order));
	size_t *begin;

	for (uint32_t i = 0; i < an_n_threads(t); i++)
		if (an_thread_of(t, i)->comm != AN_NONE &&
		    an_thread_of(t, i)->comm >= n_comms)
			n_comms = an_thread_of(t, i)->comm + (size_t)1;
	/* One more for the threads whose name was lost. */
	begin = calloc(n_comms + 1, sizeof(*begin));
	if (!order || !begin) {
		free(order);
		free(begin);
		return NULL;
	}
	for (size_t i = 0; i < e->n; i++) {
		uint32_t comm = comm_of(t, &e->places[i]);

		begin[comm < n_comms ? comm : n_comms]++;
	}
	for (size_t c = 0; c <= n_comms; c++) {
		size_t n = begin[c];

		begin[c] = at;
		at += n;
	}
	for (size_t i = 0; i < e->n; i++) {
		uint32_t comm = comm_of(t, &e->places[i]);

		order[begin[comm < n_comms ? comm : n_comms]++] = (uint32_t)i;
	}
	free(begin);
	return order;
}

int an_flame_tree(struct fg_tree **out, const struct an_trace *t,
		  const struct an_event_profile *e,
		  const struct an_flame_options *opt, struct err *err)
{
	struct maker *m = calloc(1, sizeof(*m));
	uint32_t *order = by_comm(t, e);
	int rc = m && order ? maker_init(m, t, opt) : -ENOMEM;

	for (size_t i = 0; i < e->n && !rc; i++)
		rc = add_place(m, &e->places[order[i]]);
	if (!rc)
		*out = m->tree;
	else if (m)
		fg_tree_free(m->tree);
	if (m)
		maker_free(m);
	free(order);
	return rc ? an_flame_err(rc, err, "stacks") : 0;
}

const struct an_event_profile *an_flame_pick(const struct an_trace *t,
					     const struct an_profile *p,
					     const struct log *log)
{
	const struct an_event_profile *first = NULL;
	size_t others = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct an_event_profile *e = &p->events[i];

		if (!e->total.samples)
			continue;
		if (e->event == AN_NONE)
			log_warn(log, "%s: %" PRIu64 " samples of an event "
				 "whose definition is damaged%s",
				 an_trace_path(t),
				 e->total.samples, first ? "; left out" : "");
		else if (first)
			others++;
		if (!first)
			first = e;
	}
	if (others)
		log_info(log, "event '%s' is shown, %zu more %s samples "
			 "(choose with -e, see: analyze info)",
			 an_text(t, an_event_of(t, first->event)->name),
			 others, others > 1 ? "have" : "has");
	return first;
}

void an_flame_say_none(const struct an_trace *t, const struct an_profile *p,
		       const struct log *log)
{
	uint64_t t_min, t_max;
	int rc = an_samples_bounds(t, &t_min, &t_max, NULL);

	if (rc == 0)
		log_warn(log, "no samples are selected in '%s'",
			 an_trace_path(t));
	else
		log_warn(log, "no samples in '%s' (%zu events, %zu threads; "
			 "see: analyze info)", an_trace_path(t), p->n,
			 an_n_threads(t));
}
