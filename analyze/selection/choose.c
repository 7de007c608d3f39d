#include "analyze/selection/choose.h"

#include "analyze/trace.h"

#include "format/base/mem.h"

#include <string.h>

#define MAX_SHOWN 12 /* of what there is instead */

int an_each_word(const struct opt_list *l,
		 int (*each)(void *ctx, struct span word), void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		const char *at = l->items[i];

		while (!rc) {
			size_t n = strcspn(at, ",");

			rc = each(ctx, span_of(at, n));
			if (!at[n])
				break;
			at += n + 1;
		}
	}
	return rc;
}

static bool is_same(struct span a, struct span b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* The last * takes up what did not fit: no earlier one ever has to. */
static bool is_like(struct span pattern, struct span text)
{
	size_t p = 0, s = 0, star = SIZE_MAX, again = 0;

	while (s < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			again = s;
		} else if (p < pattern.n && (pattern.p[p] == '?' ||
					     pattern.p[p] == text.p[s])) {
			p++;
			s++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			s = ++again;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool an_word_is(struct span word, struct span text)
{
	return is_same(word, text) || is_like(word, text);
}

bool an_word_number(struct span word, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] < '0' || word.p[i] > '9' ||
		    ckd_mul(&v, v, (uint64_t)10) ||
		    ckd_add(&v, v, (uint64_t)(word.p[i] - '0')) || v > max)
			return false;
	}
	*out = v;
	return word.n > 0;
}

/* Names for a message, each once, with a NUL behind each. */
struct names {
	struct buf list, one;
	size_t n;
	size_t shown; /* bytes of the first MAX_SHOWN */
};

static void add_name(struct names *names)
{
	struct buf *one = &names->one;
	bool is_new = !buf_failed(one) && one->n;

	buf_u8(one, 0);
	for (size_t at = 0; is_new && at < names->list.n;) {
		const char *have = (const char *)names->list.p + at;

		is_new = strcmp(have, (const char *)one->p) != 0;
		at += strlen(have) + 1;
	}
	if (is_new && !buf_failed(one)) {
		buf_put(&names->list, one->p, one->n);
		if (++names->n <= MAX_SHOWN)
			names->shown = names->list.n;
	}
	buf_clear(one);
}

/* Up to one more than is shown of those that have `part` in them. */
static void find_names(struct names *names, const struct an_kind *kind,
		       const struct an_trace *t, uint32_t n, struct span part)
{
	struct buf *one = &names->one;

	buf_clear(&names->list);
	names->n = names->shown = 0;
	for (uint32_t i = 0; i < n && names->n <= MAX_SHOWN; i++) {
		kind->show(t, i, one);
		if (part.n && one->n && !memmem(one->p, one->n, part.p, part.n))
			buf_clear(one);
		else
			add_name(names);
	}
}

/* " (there is: a b c)"; of many, those with the word in them where there are
 * any. Returns the text, which lives as long as `names`. */
static const char *tell_names(struct names *names, const struct an_kind *kind,
			      const struct an_trace *t, uint32_t n,
			      struct span word)
{
	struct buf *list = &names->list;
	const char *how = " (there is: ";

	find_names(names, kind, t, n, span_of("", 0));
	if (names->n > MAX_SHOWN && word.n) {
		find_names(names, kind, t, n, word);
		how = " (alike: ";
		if (!names->n) {
			find_names(names, kind, t, n, span_of("", 0));
			how = " (there is: ";
		}
	}
	if (!names->n)
		return "";
	for (size_t i = 0; i + 1 < names->shown; i++)
		if (!list->p[i])
			list->p[i] = ' ';
	buf_clear(&names->one);
	buf_printf(&names->one, "%s%s%s", how, (const char *)list->p,
		   names->n > MAX_SHOWN ? " …)" : ")");
	buf_u8(&names->one, 0);
	return buf_failed(&names->one) ? "" : (const char *)names->one.p;
}

int an_choose_none(const struct an_kind *kind, struct span word,
		   const struct an_trace *t, uint32_t n, struct err *err)
{
	bool damaged = an_trace_damage(t);
	struct names names = { .n = 0 };
	int rc;

	buf_init(&names.list, 0);
	buf_init(&names.one, 0);
	/* What was damaged may have defined it. */
	rc = err_set(err, damaged ? ERR_FORMAT : ERR_USAGE,
		     "no %s '%.*s' in %s%s", kind->what, (int)word.n,
		     (const char *)word.p,
		     damaged ? "what is left of this damaged trace" :
			       "this trace",
		     tell_names(&names, kind, t, n, word));
	buf_fini(&names.list);
	buf_fini(&names.one);
	return rc;
}

struct choice {
	const struct an_kind *kind;
	const struct an_trace *t;
	uint32_t n;
	bool *marks;
	struct err *err;
};

static bool mark(struct choice *c, struct span word)
{
	bool any = false;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->kind->is(c->t, i, word))
			any = c->marks[i] = true;
	return any;
}

static int mark_word(void *ctx, struct span word)
{
	struct choice *c = ctx;
	uint64_t number;

	if (c->kind->number && !an_word_number(word, INT32_MAX, &number))
		return err_set(c->err, ERR_USAGE,
			       "option '--%s': '%.*s' is not a number",
			       c->kind->option, (int)word.n,
			       (const char *)word.p);
	return mark(c, word) ? 0 : an_choose_none(c->kind, word, c->t, c->n,
						  c->err);
}

int an_choose(const struct opt_list *l, const struct an_kind *kind,
	      const struct an_trace *t, uint32_t n, bool *marks,
	      struct err *err)
{
	struct choice c = { kind, t, n, marks, err };
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		struct opt_list one = { .items = l->items + i, .n = 1 };

		if (kind->number || !mark(&c, an_word(l->items[i])))
			rc = an_each_word(&one, mark_word, &c);
	}
	return rc;
}
