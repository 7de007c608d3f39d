/* Folded text: one stack a line, frames joined by ';', a count at the end. */
#include "emit.h"
#include "frame_text.h"
#include "text.h"
#include "transform.h"
#include "walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *stack;
	size_t size;
	uint64_t now, before;
	bool fraction;		/* a count had decimals, which are cut off */
};

/* The nodes of the line before, so that a shared start is not looked up again:
 * folded text is mostly sorted. */
struct path {
	struct step {
		size_t end;	/* of the frame, in the line's stack */
		uint32_t node;
	} *steps;
	size_t n, cap;
	const char *stack;
	size_t size;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static size_t trim_end(const char *s, size_t size)
{
	while (size && is_blank(s[size - 1]))
		size--;
	return size;
}

/* Digits, then perhaps a point and more digits, which are not counted. */
static bool parse_count(const char *s, size_t size, uint64_t *out,
			bool *fraction)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < size && s[i] >= '0' && s[i] <= '9'; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	if (!i)
		return false;
	if (i < size && s[i] == '.') {
		*fraction = true;
		for (i++; i < size && s[i] >= '0' && s[i] <= '9'; i++)
			;
	}
	*out = v;
	return i == size;
}

/* Takes the number after the last blank off the line's stack. */
static bool take_count(struct line *l, uint64_t *out)
{
	size_t end = trim_end(l->stack, l->size), at = end;

	while (at && !is_blank(l->stack[at - 1]))
		at--;
	if (!at || !parse_count(l->stack + at, end - at, out, &l->fraction))
		return false;
	l->size = trim_end(l->stack, at);
	return true;
}

static bool next_line(const struct fg_text *t, size_t *at, struct line *l)
{
	const char *s = t->bytes + *at, *end;
	size_t left = t->size - *at;

	if (!left)
		return false;
	end = memchr(s, '\n', left);
	l->stack = s;
	l->size = end ? (size_t)(end - s) : left;
	l->fraction = false;
	l->now = l->before = 0;
	*at += l->size + (end ? 1 : 0);
	return true;
}

/* True if there are counted lines and each of them ends in two numbers. */
static bool has_two_columns(const struct fg_text *t)
{
	struct line l;
	uint64_t v;
	bool any = false;

	for (size_t at = 0; next_line(t, &at, &l);) {
		if (!take_count(&l, &v))
			continue;
		if (!take_count(&l, &v))
			return false;
		any = true;
	}
	return any;
}

static size_t common_size(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = na < nb ? na : nb, i = 0;

	while (i + 8 <= n && !memcmp(a + i, b + i, 8))
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Drops the steps that the new line does not share. */
static void path_back_up(struct path *p, const struct line *l)
{
	size_t same = common_size(p->stack, p->size, l->stack, l->size);

	while (p->n) {
		size_t end = p->steps[p->n - 1].end;

		if (end <= same && (end == l->size || l->stack[end] == ';'))
			break;
		p->n--;
	}
	p->stack = l->stack;
	p->size = l->size;
}

static int path_step(struct path *p, struct fg_tree *tree, size_t from,
		     size_t end)
{
	uint32_t node = p->n ? p->steps[p->n - 1].node : FG_ROOT, frame;
	int rc = fg_grow(&p->steps, &p->cap, p->n + 1, sizeof(*p->steps));

	if (!rc)
		rc = fg_frame_spelled(tree, p->stack + from, end - from,
				      &frame);
	if (!rc)
		rc = fg_child(tree, node, frame, &node);
	if (!rc)
		p->steps[p->n++] = (struct step){ end, node };
	return rc;
}

/* Walks to the line's last frame; a line without a stack is the root's own. */
static int path_follow(struct path *p, struct fg_tree *tree,
		       const struct line *l, uint32_t *node)
{
	int rc = 0;

	path_back_up(p, l);
	for (size_t at = p->n ? p->steps[p->n - 1].end + 1 : 0;
	     !rc && l->size && at <= l->size;) {
		const char *s = memchr(l->stack + at, ';', l->size - at);
		size_t end = s ? (size_t)(s - l->stack) : l->size;

		rc = path_step(p, tree, at, end);
		at = end + 1;
	}
	*node = p->n ? p->steps[p->n - 1].node : FG_ROOT;
	return rc;
}

static int add_line(struct path *p, struct fg_tree *tree, const struct line *l,
		    bool two)
{
	uint32_t node;
	int rc = path_follow(p, tree, l, &node);

	if (!rc)
		rc = fg_add(tree, node, l->now);
	if (!rc && two)
		rc = fg_add_before(tree, node, l->before);
	return rc;
}

static void count_bad(struct fg_read_stats *s)
{
	if (s->n_bad < FG_MAX_BAD_SHOWN)
		s->bad_line[s->n_bad] = s->n_lines;
	s->n_bad++;
}

static int add_lines(struct fg_tree *tree, const struct fg_text *text,
		     struct fg_read_stats *stats)
{
	struct path path = { .stack = "" };
	struct line l;
	int rc = 0;

	for (size_t at = 0; !rc && next_line(text, &at, &l);) {
		stats->n_lines++;
		if (!trim_end(l.stack, l.size))
			continue;
		if (!take_count(&l, &l.now) ||
		    (stats->differential && !take_count(&l, &l.before))) {
			count_bad(stats);
			continue;
		}
		rc = add_line(&path, tree, &l, stats->differential);
		stats->n_stacks += !rc;
		stats->n_fractions += l.fraction;
	}
	free(path.steps);
	return rc;
}

int fg_read_folded(struct fg_tree *tree, FILE *in, enum fg_columns columns,
		   struct fg_read_stats *stats)
{
	struct fg_read_stats own, *s = stats ? stats : &own;
	struct fg_text text;
	int rc;

	*s = (struct fg_read_stats){ 0 };
	rc = fg_text_read(&text, in);
	if (!rc) {
		s->differential = columns == FG_COLUMNS_TWO ||
				  (columns == FG_COLUMNS_AUTO &&
				   has_two_columns(&text));
		rc = add_lines(tree, &text, s);
	}
	fg_text_fini(&text);
	return rc;
}

/* How each frame is spelled, with a ';' before it. */
struct texts {
	char *bytes;
	size_t size, cap;
	size_t *at;		/* by frame, one more than frames */
};

static int texts_init(struct texts *x, const struct fg_tree *names)
{
	*x = (struct texts){ 0 };
	x->at = calloc(names->n_frames + 1, sizeof(*x->at));
	if (!x->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < names->n_frames; i++) {
		const struct fg_frame *f = &names->frames[i];
		const char *suffix = fg_kind_suffix(f->kind);
		size_t more = strlen(suffix);

		if (fg_grow(&x->bytes, &x->cap, x->size + f->size + more + 1,
			    1))
			return -ENOMEM;
		x->bytes[x->size++] = ';';
		memcpy(x->bytes + x->size, tree_name(names, i), f->size);
		memcpy(x->bytes + x->size + f->size, suffix, more);
		x->size += f->size + more;
		x->at[i + 1] = x->size;
	}
	return 0;
}

static void texts_fini(struct texts *x)
{
	free(x->bytes);
	free(x->at);
}

/* The stack of the node that is being written, as text: a ';', then the line.
 * ends[l] is where the frame of level l ends. */
struct spelling {
	char *text;
	size_t cap;
	size_t *ends;
	size_t cap_ends;
};

static int spell(struct spelling *s, const struct texts *x,
		 const struct fg_tree *t, const struct fg_visit *at)
{
	size_t frame, size, begin;

	if (fg_grow(&s->ends, &s->cap_ends, (size_t)at->level + 1,
		    sizeof(*s->ends)))
		return -ENOMEM;
	if (at->node == FG_ROOT) {
		s->ends[0] = 0;
		return fg_grow(&s->text, &s->cap, 1, 1);
	}
	frame = t->nodes[at->node].frame;
	size = x->at[frame + 1] - x->at[frame];
	begin = s->ends[at->level - 1];
	if (fg_grow(&s->text, &s->cap, begin + size, 1))
		return -ENOMEM;
	memcpy(s->text + begin, x->bytes + x->at[frame], size);
	s->ends[at->level] = begin + size;
	return 0;
}

static void emit_stack(struct fg_emit *e, const struct spelling *s,
		       const struct fg_tree *t, const struct fg_visit *at)
{
	size_t end = s->ends[at->level];

	if (!t->nodes[at->node].self && !(t->before && t->before[at->node]))
		return;
	if (end)
		fg_emit_bytes(e, s->text + 1, end - 1);
	if (t->before) {
		fg_emit_str(e, " ");
		fg_emit_u64(e, t->before[at->node]);
	}
	fg_emit_str(e, " ");
	fg_emit_u64(e, t->nodes[at->node].self);
	fg_emit_str(e, "\n");
}

static int emit_stacks(struct fg_emit *e, struct fg_walk *walk,
		       const struct texts *x)
{
	struct spelling s = { 0 };
	struct fg_visit at;
	int rc;

	while ((rc = fg_walk_next(walk, &at)) == 0) {
		rc = spell(&s, x, walk->tree, &at);
		if (rc)
			break;
		emit_stack(e, &s, walk->tree, &at);
	}
	free(s.text);
	free(s.ends);
	return rc == 1 ? 0 : rc;
}

/* Writes the nodes of `t` by the names of `names`. */
static int write_tree(const struct fg_tree *t, const struct fg_tree *names,
		      FILE *out)
{
	struct fg_walk walk = { 0 };
	struct texts texts;
	struct fg_emit e;
	int rc = texts_init(&texts, names);

	fg_emit_init(&e, out);
	if (!rc)
		rc = fg_walk_init(&walk, t, names, NULL, 0);
	if (!rc)
		rc = emit_stacks(&e, &walk, &texts);
	if (!rc)
		rc = fg_emit_end(&e);
	fg_walk_fini(&walk);
	texts_fini(&texts);
	return rc;
}

/* Frames that are spelled alike become one, and their nodes with them; where
 * there are none, which is the rule, the tree serves as it is. */
int fg_write_folded(const struct fg_tree *tree, FILE *out)
{
	struct fg_tree *safe = NULL;
	uint32_t *frame_of = NULL;
	int rc = fg_rename_frames(tree, fg_frame_safe, &safe, &frame_of);
	bool alike = !rc && safe->n_frames < tree->n_frames;

	if (alike)
		rc = fg_rebuild(tree, frame_of, false, safe);
	if (!rc)
		rc = write_tree(alike ? safe : tree, safe, out);
	free(frame_of);
	fg_tree_free(safe);
	return rc;
}
