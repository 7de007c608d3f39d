/* The tree of an event's samples, made as they are read: of a million deep ones
 * nearly each is of a stack of its own, so summing them by place first would
 * hold them all to no gain. */
#include "analyze/flame.h"

#include "analyze/samples.h"
#include "analyze/trace_data.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_FRAME UINT32_MAX
#define NO_NODE UINT32_MAX

/* Each sample goes through six stages, so many samples apart, so that what a
 * stage needs is on its way into the cache since the one before. */
#define APART 16u
#define IN_FLIGHT (8 * APART) /* a power of two, more than are under way */

/* Where a node of the user's part of a stack is in the picture. */
struct spot {
	uint32_t comm; /* fg node of the command that it was made for, 0: none*/
	uint32_t fg;
};

/* The rows of a batch command by command: what is remembered of a stack node
 * is of one command. */
struct groups {
	uint32_t *of;    /* by thread; the last one is the lost thread's */
	size_t n_threads;
	uint32_t n;
	uint32_t *node;  /* fg node of each group, NO_NODE: not made yet */
	uint32_t *begin; /* of each group in `order`; one more */
	uint32_t *order; /* rows */
	size_t cap;
};

/* A sample under way. */
struct leaf {
	uint32_t comm;  /* fg node */
	uint32_t at;    /* fg node of its callers */
	uint32_t frame; /* what they called; NO_FRAME: is in `at` already */
};

struct maker {
	const struct an_trace *t;
	const struct an_flame_options *opt;
	struct an_event_profile *sums;
	struct fg_tree *tree;
	uint32_t *frames;       /* fg frame by frame, NO_FRAME: not made yet;
				 * the last one is the lost frame's */
	bool *nameless;         /* as long */
	size_t n_frames;
	struct spot *spots;     /* by node */
	size_t n_nodes;
	struct map64 kernel;    /* (fg node, stack node) → fg node */
	struct groups groups;
	uint64_t left;          /* samples that may still add to the tree */
	uint32_t made;          /* nodes of the tree so far */
	struct leaf leaves[IN_FLIGHT];
	uint32_t path[2 * TF_MAX_STACK_DEPTH + 2]; /* nodes still to be made */
};

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

/* Hangs the user's part under the command *at, where its leaf is found
 * afterwards. What it shares with those before it is found, not walked. */
static int add_user(struct maker *m, uint32_t node, uint32_t *at)
{
	uint32_t comm = *at, frame;
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
		rc = frame_of(m, an_node_of(m->t, node)->frame, &frame);
		if (!rc)
			rc = fg_child(m->tree, *at, frame, at);
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
	uint32_t *slot, frame;
	bool is_new;
	size_t n = 0;
	int rc = 0;

	if (!leaf || map64_get(&m->kernel, key, at))
		return 0;
	for (uint32_t node = leaf; node && n < ARRAY_LEN(m->path);
	     node = an_node_of(m->t, node)->parent)
		m->path[n++] = node;
	while (n && !rc) {
		frame = an_node_of(m->t, m->path[--n])->frame;
		rc = frame_of(m, an_frame_in_kernel(m->t, frame), &frame);
		if (!rc)
			rc = fg_child(m->tree, *at, frame, at);
	}
	if (rc)
		return rc;
	slot = map64_put(&m->kernel, key, *at, &is_new);
	return slot ? 0 : -ENOMEM;
}

static uint32_t group_of(const struct groups *g, uint32_t thread)
{
	return g->of[thread < g->n_threads ? thread : g->n_threads];
}

/* The fg node of a thread's command. */
static int group_node(struct maker *m, uint32_t thread, uint32_t *out)
{
	uint32_t *node = &m->groups.node[group_of(&m->groups, thread)], frame;
	struct span comm;
	int rc;

	if (*node == NO_NODE) {
		comm = an_string(m->t, an_thread_of(m->t, thread)->comm);
		rc = fg_frame(m->tree, (const char *)comm.p, comm.n,
			      FG_PROCESS, &frame);
		if (!rc)
			rc = fg_child(m->tree, 0, frame, node);
		if (rc)
			return rc;
	}
	*out = *node;
	return 0;
}

static bool is_shown(const struct maker *m, uint32_t event)
{
	uint32_t want = m->sums->event;

	return event == want ||
	       (want == AN_NONE && event >= an_n_events(m->t));
}

/* The rows of the event, group by group; *n of them. */
static int put_in_groups(struct maker *m, const struct an_batch *b, size_t *n)
{
	struct groups *g = &m->groups;
	uint32_t at = 0;

	if (!mem_grow(&g->order, &g->cap, b->n, sizeof(*g->order)))
		return -ENOMEM;
	memset(g->begin, 0, (g->n + (size_t)1) * sizeof(*g->begin));
	for (size_t i = 0; i < b->n; i++)
		if (is_shown(m, b->event[i]))
			g->begin[group_of(g, b->thread[i])]++;
	for (uint32_t k = 0; k < g->n; k++) {
		uint32_t size = g->begin[k];

		g->begin[k] = at;
		at += size;
	}
	for (size_t i = 0; i < b->n; i++)
		if (is_shown(m, b->event[i]))
			g->order[g->begin[group_of(g, b->thread[i])]++] =
				(uint32_t)i;
	*n = at;
	return 0;
}

static void fetch_node(const struct maker *m, uint32_t node)
{
	if (node >= m->n_nodes)
		return;
	__builtin_prefetch(&m->spots[node]);
	__builtin_prefetch(&m->t->nodes.v[node]);
}

static void fetch_caller(const struct maker *m, uint32_t node)
{
	if (node < m->n_nodes)
		fetch_node(m, m->t->nodes.v[node].parent);
}

/* Most stacks lack one node at most, whose place in the tree is where the cache
 * will miss. */
static int fetch_place(struct maker *m, const struct an_batch *b, uint32_t row,
		       struct leaf *leaf)
{
	uint32_t node = b->ustack[row], below = 0, frame;
	int rc = group_node(m, b->thread[row], &leaf->comm);

	while (!rc && node && node < m->n_nodes &&
	       m->spots[node].comm != leaf->comm) {
		below = node;
		node = m->t->nodes.v[node].parent;
	}
	if (rc || !below)
		return rc;
	frame = m->t->nodes.v[below].frame;
	if (frame < m->n_frames && m->frames[frame] != NO_FRAME)
		fg_child_soon(m->tree,
			      node && node < m->n_nodes ? m->spots[node].fg :
							  leaf->comm,
			      m->frames[frame]);
	return 0;
}

static uint32_t ip_of(const struct maker *m, const struct an_batch *b,
		      uint32_t row)
{
	return b->flags[row] & TF_SAMPLE_KERNEL ?
		       an_frame_in_kernel(m->t, b->ip[row]) : b->ip[row];
}

static int add_callers(struct maker *m, const struct an_batch *b, uint32_t row,
		       struct leaf *leaf)
{
	int rc;

	leaf->at = leaf->comm;
	leaf->frame = NO_FRAME;
	rc = add_user(m, b->ustack[row], &leaf->at);
	if (!rc)
		rc = add_kernel(m, b->kstack[row], &leaf->at);
	if (rc || b->flags[row] & TF_SAMPLE_IP_IN_STACK)
		return rc;
	rc = frame_of(m, ip_of(m, b, row), &leaf->frame);
	if (!rc)
		fg_child_soon(m->tree, leaf->at, leaf->frame);
	return rc;
}

static int add_leaf(struct maker *m, struct leaf *leaf)
{
	if (leaf->frame == NO_FRAME)
		return 0;
	return fg_child(m->tree, leaf->at, leaf->frame, &leaf->at);
}

static int add_weight(struct maker *m, const struct an_batch *b, uint32_t row,
		      const struct leaf *leaf)
{
	struct an_sum one = { 1, b->period ? b->period[row] : 0 };
	uint32_t ip = b->ip[row];
	int rc = fg_add(m->tree, leaf->at,
			an_weight_of(&one, m->opt->weight));

	if (m->opt->sums)
		an_event_note(m->sums, b->time[row], b->period[row],
			      b->flags[row],
			      m->nameless[ip < m->n_frames ? ip : m->n_frames]);
	if (m->opt->sums)
		m->sums->lost_periods += (b->lacks & AN_S_PERIOD) != 0;
	if (rc || fg_tree_n_nodes(m->tree) == m->made)
		return rc;
	m->made = fg_tree_n_nodes(m->tree);
	return m->left-- ? 0 : -EFBIG;
}

static int add_batch(struct maker *m, const struct an_batch *b)
{
	const uint32_t *rows;
	size_t n = 0;
	int rc = put_in_groups(m, b, &n);

	rows = m->groups.order;
	for (size_t i = 0; i < n + (size_t)5 * APART && !rc; i++) {
		size_t k = i;

		if (k < n)
			fetch_node(m, b->ustack[rows[k]]);
		if ((k -= APART) < n)
			fetch_caller(m, b->ustack[rows[k]]);
		if ((k -= APART) < n)
			rc = fetch_place(m, b, rows[k],
					 &m->leaves[k % IN_FLIGHT]);
		if ((k -= APART) < n && !rc)
			rc = add_callers(m, b, rows[k],
					 &m->leaves[k % IN_FLIGHT]);
		if ((k -= APART) < n && !rc)
			rc = add_leaf(m, &m->leaves[k % IN_FLIGHT]);
		if ((k -= APART) < n && !rc)
			rc = add_weight(m, b, rows[k],
					&m->leaves[k % IN_FLIGHT]);
	}
	return rc;
}

/* One group for each name of a command. */
static int groups_init(struct groups *g, const struct an_trace *t)
{
	struct map64 comms = { 0 };
	int rc = 0;

	g->n_threads = an_n_threads(t);
	g->of = calloc(g->n_threads + 1, sizeof(*g->of));
	g->node = malloc((g->n_threads + 1) * sizeof(*g->node));
	g->begin = calloc(g->n_threads + 2, sizeof(*g->begin));
	if (!g->of || !g->node || !g->begin)
		return -ENOMEM;
	memset(g->node, 0xff, (g->n_threads + 1) * sizeof(*g->node));
	for (uint32_t i = 0; i <= g->n_threads && !rc; i++) {
		uint32_t *group;
		bool is_new;

		group = map64_put(&comms, an_thread_of(t, i)->comm, g->n,
				  &is_new);
		if (!group)
			rc = -ENOMEM;
		else
			g->of[i] = *group;
		g->n += group && is_new;
	}
	map64_fini(&comms);
	return rc;
}

static int maker_init(struct maker *m, struct an_event_profile *e,
		      const struct an_trace *t,
		      const struct an_flame_options *opt)
{
	size_t n = an_n_nodes(t) + 1;

	m->t = t;
	m->opt = opt;
	m->sums = e;
	m->left = an_trace_rows_limit(t);
	m->n_frames = an_n_frames(t);
	m->n_nodes = an_n_nodes(t);
	m->frames = malloc((m->n_frames + 1) * sizeof(*m->frames));
	m->nameless = an_nameless_frames(t);
	m->spots = calloc(n, sizeof(*m->spots));
	if (!m->frames || !m->nameless || !m->spots)
		return -ENOMEM;
	mem_huge(m->spots, n * sizeof(*m->spots));
	memset(m->frames, 0xff, (m->n_frames + 1) * sizeof(*m->frames));
	if (groups_init(&m->groups, t))
		return -ENOMEM;
	return fg_tree_new(&m->tree);
}

static void maker_free(struct maker *m)
{
	if (!m)
		return;
	map64_fini(&m->kernel);
	free(m->groups.of);
	free(m->groups.node);
	free(m->groups.begin);
	free(m->groups.order);
	free(m->frames);
	free(m->nameless);
	free(m->spots);
	fg_tree_free(m->tree);
	free(m);
}

static int tree_err(int rc, const struct an_trace *t, struct err *err)
{
	if (rc == -EFBIG)
		return err_set(err, ERR_LIMIT, "%s: more different stacks than "
			       "a file of this size can hold",
			       an_trace_path(t));
	return an_flame_err(rc, err, "stacks");
}

static unsigned columns_of(const struct an_flame_options *opt)
{
	unsigned c = AN_S_THREAD | AN_S_EVENT | AN_S_IP | AN_S_STACK |
		     AN_S_FLAGS;

	if (opt->sums || opt->weight != AN_WEIGHT_SAMPLES)
		c |= AN_S_PERIOD;
	return opt->sums ? c | AN_S_TIME : c;
}

int an_flame_tree(struct fg_tree **out, struct an_event_profile *e,
		  struct an_trace *t, const struct an_selection *sel,
		  const struct an_flame_options *opt, struct err *err)
{
	struct maker *m = calloc(1, sizeof(*m));
	struct an_samples *s = NULL;
	const struct an_batch *b;
	int rc = m ? maker_init(m, e, t, opt) : -ENOMEM;

	if (opt->sums)
		e->total = (struct an_sum){ 0 };
	if (rc)
		rc = tree_err(rc, t, err);
	else
		rc = an_samples_new(&s, t, sel, columns_of(opt), err);
	while (!rc) {
		rc = an_samples_next(s, &b, err);
		if (rc)
			break;
		rc = add_batch(m, b);
		if (rc)
			rc = tree_err(rc, t, err);
	}
	an_samples_free(s);
	if (rc == 1) {
		*out = m->tree;
		m->tree = NULL;
		rc = 0;
	}
	maker_free(m);
	return rc;
}
