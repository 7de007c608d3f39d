#include "analyze/report/graph.h"

#include "format/base/mem.h"
#include "format/base/utf8.h"

#include <stdlib.h>

#define MARGIN 12 /* columns before a graph */

void an_graph_fini(struct an_graph *g)
{
	buf_fini(&g->name);
	buf_fini(&g->clean);
	free(g->pipes);
	g->pipes = NULL;
	g->pipes_cap = 0;
}

static struct span label_of(struct an_graph *g, uint32_t step)
{
	struct buf *b = &g->name;

	buf_clear(b);
	an_frame_label(g->t, g->g->steps.shown[step], b);
	g->failed = g->failed || buf_failed(b);
	return b->n ? span_of(b->p, b->n) : span_of("", 0);
}

static void put_name(struct an_graph *g, uint32_t step, FILE *to)
{
	buf_clear(&g->clean);
	utf8_clean(&g->clean, label_of(g, step));
	g->failed = g->failed || buf_failed(&g->clean);
	if (g->clean.n)
		fwrite(g->clean.p, 1, g->clean.n, to);
	putc('\n', to);
}

static void put_spaces(FILE *to, size_t n)
{
	fprintf(to, "%*s", (int)n, "");
}

static double percent_of(const struct an_branch *b)
{
	return b->base ? 100.0 * (double)b->weight / (double)b->base : 0;
}

/* The drawing of one row: where it stands and how far it is shifted. */
struct drawing {
	size_t margin;
	unsigned shift; /* levels that the first run took away */
	bool any;
	uint32_t row;
};

/* A graph of one stem: its names stand under each other without a percent. */
static void put_stem(struct an_graph *g, struct drawing *d,
		     const struct an_branch *b, FILE *to)
{
	bool said = g->says_symbol && g->g->row_of_step[b->steps[0]] == d->row;

	d->shift = 1;
	for (size_t i = said; i < b->n_steps; i++) {
		if (!d->any) {
			put_spaces(to, d->margin);
			fputs("|\n", to);
			put_spaces(to, d->margin);
			fputs("---", to);
			d->margin += 3;
			d->any = true;
		} else {
			put_spaces(to, d->margin);
		}
		put_name(g, b->steps[i], to);
	}
}

static void put_separator(const struct an_graph *g, const struct drawing *d,
			  unsigned depth, FILE *to)
{
	put_spaces(to, d->margin);
	for (unsigned i = 0; i < depth; i++)
		fputs(g->pipes[i] ? "|          " : "           ", to);
	putc('\n', to);
}

static void put_lead(const struct an_graph *g, const struct drawing *d,
		     unsigned depth, const struct an_branch *b, bool first,
		     FILE *to)
{
	put_spaces(to, d->margin);
	for (unsigned i = 0; i < depth; i++) {
		putc(g->pipes[i] ? '|' : ' ', to);
		if (first && i + 1 == depth)
			fprintf(to, "--%.2f%%--", percent_of(b));
		else
			put_spaces(to, 10);
	}
}

static int put_branch(struct an_graph *g, struct drawing *d,
		      const struct an_branch *b, FILE *to, struct err *err)
{
	unsigned depth = b->depth - d->shift;

	if (!mem_grow(&g->pipes, &g->pipes_cap, depth, sizeof(*g->pipes)))
		return err_nomem(err);
	g->pipes[depth - 1] = true;
	if (b->n_steps)
		put_separator(g, d, depth, to);
	g->pipes[depth - 1] = !b->last;
	for (size_t i = 0; i < b->n_steps; i++) {
		put_lead(g, d, depth, b, i == 0, to);
		put_name(g, b->steps[i], to);
	}
	if (!b->n_steps) {
		put_lead(g, d, depth, b, true, to);
		fputs("[...]\n", to);
	}
	d->any = true;
	return 0;
}

int an_graph_text(struct an_graph *g, uint32_t entry, FILE *to,
		  struct err *err)
{
	struct drawing d = {
		.margin = MARGIN, .row = g->h->entries[entry].row,
	};
	struct an_branch b;
	int rc = an_calltree_start(g->tree, entry, err);

	while (!rc && (rc = an_calltree_next(g->tree, &b, err)) == 0) {
		if (b.whole)
			put_stem(g, &d, &b, to);
		else
			rc = put_branch(g, &d, &b, to, err);
	}
	if (rc < 0)
		return rc;
	if (d.any)
		putc('\n', to);
	return g->failed ? err_nomem(err) : 0;
}

/* What the branches of a branch are. */
static const char *branches_key(const struct an_graph *g)
{
	return g->order == AN_CALLER ? "callees" : "callers";
}

static void open_branch(struct an_graph *g, const struct an_branch *b,
			struct json *j)
{
	json_object(j, NULL);
	json_f64(j, "percent", percent_of(b));
	json_u64(j, "weight", b->weight);
	json_array(j, "frames");
	for (size_t i = 0; i < b->n_steps; i++)
		json_text(j, NULL, label_of(g, b->steps[i]));
	json_end_array(j);
	json_array(j, branches_key(g));
}

static void close_branches(struct json *j, unsigned *open, unsigned to)
{
	for (; *open > to; --*open) {
		json_end_array(j);
		json_end_object(j);
	}
}

int an_graph_json(struct an_graph *g, uint32_t entry, struct json *j,
		  struct err *err)
{
	struct an_branch b;
	unsigned open = 0;
	int rc = an_calltree_start(g->tree, entry, err);

	json_array(j, branches_key(g));
	while (!rc && (rc = an_calltree_next(g->tree, &b, err)) == 0) {
		close_branches(j, &open, b.depth - 1);
		open_branch(g, &b, j);
		open++;
	}
	close_branches(j, &open, 0);
	json_end_array(j);
	if (rc < 0)
		return rc;
	return g->failed ? err_nomem(err) : 0;
}
