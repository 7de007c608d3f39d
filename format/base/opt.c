#include "opt.h"

#include "mem.h"
#include "time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	const struct opt *rows;
	void *args;
	int argc;
	char **argv;
	int at; /* the word being read */
};

static void *field_of(const struct parser *p, const struct opt *o)
{
	return (char *)p->args + o->field;
}

/* Another program's options: nothing is set. */
static bool is_foreign(const struct opt *o)
{
	return o->kind == OPT_KIND_IGNORED || o->kind == OPT_KIND_REFUSED;
}

bool opt_takes_value(const struct opt *o)
{
	return o->kind != OPT_KIND_FLAG && o->kind != OPT_KIND_COUNT &&
	       !is_foreign(o);
}

static int bad_value(const struct opt *o, const char *value, const char *want,
		     struct err *err)
{
	return err_set(err, ERR_USAGE, "option '--%s': '%s' is not %s",
		       o->name, value, want);
}

static bool parse_u64(const char *text, int base, uint64_t *out,
		      const char **rest)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, base);
	*rest = end;
	return errno == 0;
}

static bool parse_size(const char *text, uint64_t *out)
{
	static const char suffix[] = "BKMG";
	const char *rest, *at;

	if (!parse_u64(text, 10, out, &rest))
		return false;
	if (!*rest)
		return true;
	at = strchr(suffix, *rest >= 'a' ? *rest - 'a' + 'A' : *rest);
	if (!at || rest[1])
		return false;
	return !ckd_mul(out, *out, (uint64_t)1 << (10 * (at - suffix)));
}

static bool parse_f64(const char *text, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(text, &end);
	return end != text && !*end && errno == 0;
}

static int set_list(const struct parser *p, const struct opt *o,
		    const char *value, struct err *err)
{
	struct opt_list *l = field_of(p, o);

	if (!mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items)) ||
	    !mem_grow(&l->rows, &l->rows_cap, l->n + 1, sizeof(*l->rows)))
		return err_nomem(err);
	l->rows[l->n] = o;
	l->items[l->n++] = value;
	return 0;
}

static int set_value(const struct parser *p, const struct opt *o,
		     const char *value, struct err *err)
{
	const char *rest;

	switch (o->kind) {
	case OPT_KIND_STR:
	case OPT_KIND_MODE:
		*(const char **)field_of(p, o) = value;
		return 0;
	case OPT_KIND_LIST:
		return set_list(p, o, value, err);
	case OPT_KIND_U64:
		if (parse_u64(value, 0, field_of(p, o), &rest) && !*rest)
			return 0;
		return bad_value(o, value, "a number", err);
	case OPT_KIND_F64:
		if (parse_f64(value, field_of(p, o)))
			return 0;
		return bad_value(o, value, "a number", err);
	case OPT_KIND_SIZE:
		if (parse_size(value, field_of(p, o)))
			return 0;
		return bad_value(o, value, "a size (such as 512K or 16M)", err);
	case OPT_KIND_TIME:
		if (time_parse(value, o->unit, field_of(p, o)))
			return 0;
		return bad_value(o, value, "a time (such as 10s or 200ms)",
				 err);
	default:
		return err_set(err, ERR_USAGE, "option '--%s' takes no value",
			       o->name);
	}
}

static bool begins_with_word(const struct opt *o, const char *text)
{
	for (const char *const *w = o->words; *w; w++) {
		size_t n = strlen(*w);

		if (strncmp(*w, text, n) == 0 && (!text[n] || text[n] == ','))
			return true;
	}
	return false;
}

/* A whole number alone may as well be a file or a command. */
static bool begins_with_number(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t n = whole + (text[whole] == '.');

	n += strspn(text + n, "0123456789");
	return whole && (text[n] == ',' || (!text[n] && n > whole));
}

bool opt_is_mode(const struct opt *o, const char *text)
{
	return begins_with_word(o, text) || begins_with_number(text);
}

/* The value of an option whose own word held none. */
static int next_value(struct parser *p, const struct opt *o, const char **value,
		      struct err *err)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;

	if (o->kind == OPT_KIND_MODE) {
		*value = o->words[0];
		if (!next || !opt_is_mode(o, next))
			return 0;
	} else if (!next) {
		return err_set(err, ERR_USAGE, "option '--%s' needs a value%s%s",
			       o->name, o->arg ? ": " : "",
			       o->arg ? o->arg : "");
	}
	*value = next;
	p->at++;
	return 0;
}

static int refuse(const struct opt *o, struct err *err)
{
	return o->letter ? err_set(err, ERR_UNSUPPORTED, "option '-%c': %s",
				   o->letter, o->help) :
			   err_set(err, ERR_UNSUPPORTED, "option '--%s': %s",
				   o->name, o->help);
}

static int take(struct parser *p, const struct opt *o, bool negated,
		const char *value, struct err *err)
{
	int rc = 0;

	if (is_foreign(o))
		return o->kind == OPT_KIND_REFUSED ? refuse(o, err) : 0;
	if (o->seen)
		*((bool *)((char *)p->args + o->seen - 1)) = true;
	if (opt_takes_value(o)) {
		if (!value)
			rc = next_value(p, o, &value, err);
		return rc ? rc : set_value(p, o, value, err);
	}
	if (value)
		return err_set(err, ERR_USAGE, "option '--%s' takes no value",
			       o->name);
	if (o->kind == OPT_KIND_COUNT)
		++*(int *)field_of(p, o);
	else
		*(bool *)field_of(p, o) = !negated;
	return 0;
}

static bool is_option(const struct opt *o)
{
	return o->kind != OPT_KIND_GROUP;
}

const struct opt *opt_by_letter(const struct opt *rows, char letter)
{
	for (const struct opt *o = rows; o->kind != OPT_KIND_END; o++)
		if (is_option(o) && o->letter == letter)
			return o;
	return NULL;
}

int opt_by_name(const struct opt *rows, const char *name, size_t n,
		const struct opt **out, struct err *err)
{
	const struct opt *found = NULL;

	for (const struct opt *o = rows; o->kind != OPT_KIND_END; o++) {
		if (!is_option(o) || !o->name || strncmp(o->name, name, n))
			continue;
		if (!o->name[n]) {
			*out = o;
			return 0;
		}
		if (is_foreign(o))
			continue;
		/* An alias, which has another name for the same. */
		if (found && o->field == found->field && o->hidden)
			continue;
		if (found)
			return err_set(err, ERR_USAGE,
				       "option '--%.*s' is ambiguous: "
				       "'--%s' or '--%s'",
				       (int)n, name, found->name, o->name);
		found = o;
	}
	*out = found;
	return found ? 0 : 1;
}

static int long_option(struct parser *p, const char *word, struct err *err)
{
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct opt *o = NULL;
	bool negated = false;
	int rc = opt_by_name(p->rows, word, n, &o, err);

	if (rc == 1 && n > 3 && strncmp(word, "no-", 3) == 0) {
		rc = opt_by_name(p->rows, word + 3, n - 3, &o, err);
		negated = true;
		if (rc == 0 && o->kind != OPT_KIND_FLAG)
			rc = 1;
	}
	if (rc == 1)
		return err_set(err, ERR_USAGE, "unknown option '--%.*s'",
			       (int)n, word);
	return rc ? rc : take(p, o, negated, eq ? eq + 1 : NULL, err);
}

static int letters(struct parser *p, const char *word, struct err *err)
{
	for (const char *c = word; *c; c++) {
		const struct opt *o = opt_by_letter(p->rows, *c);
		int rc;

		if (!o)
			return err_set(err, ERR_USAGE, "unknown option '-%c'",
				       *c);
		if (opt_takes_value(o))
			return take(p, o, false, c[1] ? c + 1 : NULL, err);
		rc = take(p, o, false, NULL, err);
		if (rc)
			return rc;
		if (o->kind == OPT_KIND_IGNORED)
			c += strspn(c + 1, "0123456789");
	}
	return 0;
}

int opt_parse(const struct opt *rows, enum opt_order order, void *args,
	      int argc, char **argv, int *n_operands, struct err *err)
{
	struct parser p = { rows, args, argc, argv, 1 };
	bool over = false;
	int n = 0, rc = 0;

	for (; p.at < argc && !rc; p.at++) {
		char *word = argv[p.at];

		if (over || word[0] != '-' || !word[1]) {
			argv[1 + n++] = word;
			over = over || order == OPT_FIRST;
		} else if (strcmp(word, "--") == 0) {
			over = true;
		} else if (word[1] == '-') {
			rc = long_option(&p, word + 2, err);
		} else {
			rc = letters(&p, word + 1, err);
		}
	}
	*n_operands = n;
	return rc;
}

#define USAGE_WIDTH 80

/* Bytes that continue a UTF-8 character take no room. */
static int width_of(const char *text, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		width += (text[i] & 0xc0) != 0x80;
	return width;
}

/* Breaks between words; `at` is the column that is reached. */
static void print_help(const char *text, int at, FILE *to)
{
	while (*text) {
		size_t n = strcspn(text, " ");
		int width = width_of(text, n);

		if (at > OPT_HELP_AT && at + 1 + width > USAGE_WIDTH) {
			fprintf(to, "\n%*s", OPT_HELP_AT, "");
			at = OPT_HELP_AT;
		} else if (at > OPT_HELP_AT) {
			putc(' ', to);
			at++;
		}
		fwrite(text, 1, n, to);
		at += width;
		text += n + (text[n] == ' ');
	}
	putc('\n', to);
}

static void print_row(const struct opt *o, FILE *to)
{
	const char *arg = o->arg ? o->arg : "";
	bool mode = o->kind == OPT_KIND_MODE;
	char left[96];
	int n;

	snprintf(left, sizeof(left), "  %c%c%s%s%s%s%s%s",
		 o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
		 !o->letter ? "  " : o->name ? ", " : "", o->name ? "--" : "",
		 o->name ? o->name : "", mode ? "[=" : *arg ? " " : "", arg,
		 mode ? "]" : "");
	n = width_of(left, strlen(left));
	fputs(left, to);
	if (n > OPT_HELP_AT - 2) {
		putc('\n', to);
		n = 0;
	}
	fprintf(to, "%*s", OPT_HELP_AT - n, "");
	print_help(o->help, OPT_HELP_AT, to);
}

void opt_usage(const struct opt *rows, FILE *to)
{
	for (const struct opt *o = rows; o->kind != OPT_KIND_END; o++) {
		if (o->kind == OPT_KIND_GROUP)
			fprintf(to, "\n%s\n", o->name);
		else if (!o->hidden)
			print_row(o, to);
	}
}

void opt_list_fini(struct opt_list *l)
{
	free(l->items);
	free(l->rows);
	*l = (struct opt_list){ 0 };
}
