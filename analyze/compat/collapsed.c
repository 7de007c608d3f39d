#include "analyze/compat/collapsed.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NODES (UINT32_MAX - 1)

void an_collapsed_fini(struct an_collapsed *c)
{
	intern_fini(&c->names);
	map64_fini(&c->children);
	free(c->nodes);
	*c = (struct an_collapsed){ 0 };
}

/* The root is made with the first child. */
static int make_room(struct an_collapsed *c)
{
	if (c->n >= MAX_NODES)
		return -EOVERFLOW;
	if (!mem_grow(&c->nodes, &c->cap, c->n + 2, sizeof(*c->nodes)))
		return -ENOMEM;
	if (!c->n)
		c->nodes[c->n++] = (struct an_collapsed_node){ 0 };
	return 0;
}

int an_collapsed_child(struct an_collapsed *c, uint32_t parent,
		       struct span name, uint32_t *out)
{
	uint32_t id, *node;
	bool is_new;
	int rc = make_room(c);

	if (rc)
		return rc;
	if (!intern_put(&c->names, name.p, name.n, &id, NULL))
		return -ENOMEM;
	node = map64_put(&c->children, map64_pair(parent, id),
			 (uint32_t)c->n, &is_new);
	if (!node)
		return -ENOMEM;
	if (is_new)
		c->nodes[c->n++] = (struct an_collapsed_node){ parent, id, 0 };
	*out = *node;
	return 0;
}

int an_collapsed_add(struct an_collapsed *c, uint32_t node, uint64_t weight)
{
	uint64_t sum;

	if (ckd_add(&sum, c->nodes[node].weight, weight))
		return -EOVERFLOW;
	c->nodes[node].weight = sum;
	return 0;
}

/* What there is to write of a node: the line that ends in it, or all those that
 * pass it. The latter go on with a ';', by which the order of lines is another
 * one than that of names: "a b" comes before "a;x" but after "a". */
struct item {
	struct span name;
	uint32_t node;
	bool passes;
};

struct writer {
	const struct an_collapsed *c;
	struct item *items; /* by parent */
	size_t *begin;      /* of each node's, one more */
	size_t *open;       /* items whose lines are being written, */
	size_t *cut;        /* and how long the line was before each */
	size_t depth, cap, cut_cap;
	struct buf line;
};

static int by_line(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
	int order = n ? memcmp(a->name.p, b->name.p, n) : 0;
	uint8_t next_a, next_b;

	if (order)
		return order;
	next_a = n < a->name.n ? a->name.p[n] : a->passes ? ';' : 0;
	next_b = n < b->name.n ? b->name.p[n] : b->passes ? ';' : 0;
	return CMP(next_a, next_b);
}

/* begin[i] becomes where the items of node i begin. A node is passed where it
 * is somebody's parent. */
static size_t count_items(struct writer *w, bool *passed)
{
	const struct an_collapsed *c = w->c;
	size_t n = 0;

	for (size_t i = 1; i < c->n; i++)
		passed[c->nodes[i].parent] = true;
	for (size_t i = 1; i < c->n; i++)
		w->begin[c->nodes[i].parent] += (c->nodes[i].weight > 0) +
						(size_t)passed[i];
	for (size_t i = 0; i <= c->n; i++) {
		size_t here = w->begin[i];

		w->begin[i] = n;
		n += here;
	}
	return n;
}

static void put_item(struct writer *w, size_t node, bool passes)
{
	const struct an_collapsed_node *v = &w->c->nodes[node];

	w->items[w->begin[v->parent]++] = (struct item){
		.name = intern_get(&w->c->names, v->name),
		.node = (uint32_t)node,
		.passes = passes,
	};
}

/* Afterwards begin[i] is where those of node i + 1 began before: one ahead. */
static void put_items(struct writer *w, const bool *passed)
{
	for (size_t i = 1; i < w->c->n; i++) {
		if (w->c->nodes[i].weight)
			put_item(w, i, false);
		if (passed[i])
			put_item(w, i, true);
	}
	memmove(w->begin + 1, w->begin, w->c->n * sizeof(*w->begin));
	w->begin[0] = 0;
	for (size_t i = 0; i < w->c->n; i++) {
		size_t n = w->begin[i + 1] - w->begin[i];

		if (n > 1)
			qsort(w->items + w->begin[i], n, sizeof(*w->items),
			      by_line);
	}
}

static int writer_init(struct writer *w, const struct an_collapsed *c)
{
	bool *passed = calloc(c->n + 1, sizeof(*passed));
	size_t n;
	int rc = -ENOMEM;

	*w = (struct writer){ .c = c };
	buf_init(&w->line, 0);
	w->begin = calloc(c->n + 1, sizeof(*w->begin));
	if (!passed || !w->begin)
		goto out;
	n = count_items(w, passed);
	w->items = calloc(n + 1, sizeof(*w->items));
	if (!w->items)
		goto out;
	put_items(w, passed);
	rc = 0;
out:
	free(passed);
	return rc;
}

static void writer_fini(struct writer *w)
{
	free(w->items);
	free(w->begin);
	free(w->open);
	free(w->cut);
	buf_fini(&w->line);
}

static int open_node(struct writer *w, uint32_t node)
{
	if (!mem_grow(&w->open, &w->cap, 2 * (w->depth + 1),
		      sizeof(*w->open)) ||
	    !mem_grow(&w->cut, &w->cut_cap, w->depth + 1, sizeof(*w->cut)))
		return -ENOMEM;
	w->open[2 * w->depth] = w->begin[node];
	w->open[2 * w->depth + 1] = w->begin[node + 1];
	w->cut[w->depth++] = w->line.n;
	return 0;
}

static int write_item(struct writer *w, const struct item *item, FILE *to)
{
	buf_put(&w->line, item->name.p, item->name.n);
	if (item->passes) {
		buf_u8(&w->line, ';');
		return buf_failed(&w->line) ? -ENOMEM :
					      open_node(w, item->node);
	}
	buf_printf(&w->line, " %" PRIu64 "\n", w->c->nodes[item->node].weight);
	if (buf_failed(&w->line))
		return -ENOMEM;
	if (fwrite(w->line.p, 1, w->line.n, to) != w->line.n)
		return -errno;
	return 0;
}

/* No recursion: a stack may be thousands deep. */
static int write_lines(struct writer *w, FILE *to)
{
	int rc = open_node(w, 0);

	while (!rc && w->depth) {
		size_t *at = &w->open[2 * (w->depth - 1)];

		w->line.n = w->cut[w->depth - 1];
		if (at[0] == at[1])
			w->depth--;
		else
			rc = write_item(w, &w->items[at[0]++], to);
	}
	return rc;
}

int an_collapsed_write(const struct an_collapsed *c, FILE *to)
{
	struct writer w;
	int rc;

	if (!c->n)
		return 0;
	rc = writer_init(&w, c);
	if (!rc)
		rc = write_lines(&w, to);
	writer_fini(&w);
	if (!rc && fflush(to))
		rc = -errno;
	return rc;
}
