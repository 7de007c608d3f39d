#include "analyze/tracepoint/guard.h"

#include "analyze/tracepoint/layout.h"

#include "format/base/mem.h"

#include <traceevent/event-parse.h>

#include <stdlib.h>
#include <string.h>

/* The library's parser calls itself for each bracket and each operator. Of the
 * 2,323 formats of a Linux 6.18 the deepest has 14 brackets in each other, and
 * none more than 322 operators. */
#define MAX_BRACKETS 64
#define MAX_OPERATORS 4096u
#define MAX_DEPTH 200 /* of what it made */

/* The library makes room for wide output 4 KiB at a time. */
#define MAX_DIGITS 3

static bool is_one_of(uint8_t c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

/* A conversion's width, precision and star: "%.*s", "%*ph", "%08lx". `s` is
 * behind the '%'. A width out of the record may be any number; before a pointer
 * it is none, but how much of an array there is to show. */
static bool is_narrow(struct span s)
{
	unsigned digits = 0;

	for (size_t i = 0; i < s.n && is_one_of(s.p[i], "#-+ .*0123456789");
	     i++) {
		if (s.p[i] == '*' && !(i && s.p[i - 1] == '.') &&
		    !(i + 1 < s.n && s.p[i + 1] == 'p'))
			return false;
		digits = is_one_of(s.p[i], "0123456789") ? digits + 1 : 0;
		if (digits > MAX_DIGITS)
			return false;
	}
	return true;
}

static bool take_text(struct span *s, const char *text)
{
	size_t n = strlen(text);

	return s->n >= n && memcmp(s->p, text, n) == 0 && span_skip(s, n);
}

static void skip_spaces(struct span *s)
{
	while (s->n && is_one_of(s->p[0], " \t"))
		span_skip(s, 1);
}

/* "1000L", "sizeof(u64)": not 0. */
static bool take_divisor(struct span *s)
{
	static const char *const types[] = {
		"u8)", "u16)", "u32)", "u64)", "int)", "long)",
		"unsigned int)", "unsigned long)",
	};
	skip_spaces(s);
	if (take_text(s, "sizeof(")) {
		for (size_t i = 0; i < ARRAY_LEN(types); i++)
			if (take_text(s, types[i]))
				return true;
		return false;
	}
	if (!s->n || !is_one_of(s->p[0], "123456789"))
		return false;
	while (s->n && is_one_of(s->p[0], "0123456789ULul"))
		span_skip(s, 1);
	return true;
}

/* The library computes what is constant while it parses, and knows neither that
 * one cannot divide by zero nor that of two divisions the left one is first. No
 * kernel's format divides by anything but a number. `s` is behind the operator.
 */
static bool is_divided_well(struct span s)
{
	if (!take_divisor(&s))
		return false;
	skip_spaces(&s);
	return !s.n || is_one_of(s.p[0], ",)}]:?;\n");
}

static bool is_name(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* "REC->name": the library follows a null pointer where no field has that name
 * and flags or symbols are printed of it. `s` begins with REC. */
static bool is_of_a_field(struct span s, const struct an_layout *l)
{
	size_t n = 0;

	if (!take_text(&s, "REC->"))
		return false;
	while (n < s.n && is_name(s.p[n]))
		n++;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].name.n == n &&
		    memcmp(l->v[i].name.p, s.p, n) == 0)
			return true;
	return false;
}

/* Whether a word of the name REC begins at `i`. */
static bool is_record(struct span s, size_t i)
{
	return s.n - i >= 3 && memcmp(s.p + i, "REC", 3) == 0 &&
	       !(i && is_name(s.p[i - 1])) &&
	       !(s.n - i > 3 && is_name(s.p[i + 3]));
}

bool an_guard_text(struct span format, const struct an_layout *l)
{
	unsigned operators = 0;
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i < format.n; i++) {
		uint8_t c = format.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c > '~')
			return false;
		if (c == '\\') {
			i++;
			continue;
		}
		if (c == '"')
			quoted = !quoted;
		else if (quoted && c == '%' &&
			 !is_narrow(span_of(format.p + i + 1,
					    format.n - i - 1)))
			return false;
		if (quoted)
			continue;
		depth += is_one_of(c, "([{");
		depth -= is_one_of(c, ")]}");
		if (is_record(format, i) &&
		    !is_of_a_field(span_of(format.p + i, format.n - i), l))
			return false;
		if (is_one_of(c, "/%") &&
		    !is_divided_well(span_of(format.p + i + 1,
					     format.n - i - 1)))
			return false;
		operators += is_one_of(c, "+-*/%&|^<>=!~?:");
		if (depth > MAX_BRACKETS || operators > MAX_OPERATORS)
			return false;
	}
	return true;
}

/* Elements of an array that are printed at most: the tail has room for them. */
#define MAX_LENGTH (UINT16_MAX / 8)

struct guard {
	struct an_guard *out;
	struct tep_event *e;
	uint32_t size;
};

static bool arg_holds(const struct guard *g, const struct tep_print_arg *a,
		      int depth);

static bool is_op(const struct tep_print_arg *a, const char *op)
{
	return a && a->type == TEP_PRINT_OP && a->op.op &&
	       strcmp(a->op.op, op) == 0;
}

static const struct tep_print_arg *
without_casts(const struct tep_print_arg *a)
{
	while (a && a->type == TEP_PRINT_TYPE)
		a = a->typecast.item;
	return a;
}

static bool constant(const struct tep_print_arg *a, int depth,
		     unsigned long long *v)
{
	unsigned long long left, right;
	char *end;

	a = without_casts(a);
	if (!a || depth > MAX_DEPTH)
		return false;
	if (a->type == TEP_PRINT_ATOM) {
		if (!a->atom.atom)
			return false;
		*v = strtoull(a->atom.atom, &end, 0);
		return end != a->atom.atom;
	}
	if (a->type != TEP_PRINT_OP || !a->op.op ||
	    !constant(a->op.left, depth + 1, &left) ||
	    !constant(a->op.right, depth + 1, &right))
		return false;
	if (strcmp(a->op.op, "<<") == 0 && right < 64)
		*v = left << right;
	else if (strcmp(a->op.op, "*") == 0)
		*v = left * right;
	else if (strcmp(a->op.op, "+") == 0)
		*v = left + right;
	else if (strcmp(a->op.op, "-") == 0)
		*v = left - right;
	else
		return false;
	return true;
}

static bool is_inside(const struct guard *g, const struct tep_format_field *f)
{
	return f && f->offset >= 0 && f->size >= 0 &&
	       (uint32_t)f->offset <= g->size &&
	       (uint32_t)f->size <= g->size - (uint32_t)f->offset;
}

static struct tep_format_field *field_named(const struct guard *g,
					    const char *name)
{
	struct tep_format_field *f = name ? tep_find_any_field(g->e, name) :
					    NULL;

	return is_inside(g, f) ? f : NULL;
}

static bool is_dynamic(const struct guard *g, const struct tep_format_field *f)
{
	return is_inside(g, f) && f->flags & TEP_FIELD_IS_DYNAMIC &&
	       f->size == 4;
}

/* Version 1.7.1 of the library follows a null pointer where a __rel_loc field is
 * asked for its length. */
static bool has_length(const struct guard *g, const struct tep_format_field *f)
{
	return is_dynamic(g, f) && !(f->flags & TEP_FIELD_IS_RELATIVE);
}

/* A field is looked at before each print. */
static bool is_length_field(const struct guard *g,
			    const struct tep_print_arg *a)
{
	struct tep_format_field *f;

	if (a->type != TEP_PRINT_FIELD || g->out->n == AN_GUARD_LENGTHS)
		return false;
	f = field_named(g, a->field.name);
	if (!f || f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return false;
	g->out->lengths[g->out->n++] = f;
	return true;
}

/* How many elements of so many bytes: __get_dynamic_array_len(x) / bytes, a
 * constant, or a field. */
static bool is_length(const struct guard *g, const struct tep_print_arg *a,
		      unsigned long long element)
{
	unsigned long long n = 1;

	a = without_casts(a);
	if (is_op(a, "/")) {
		if (!constant(a->op.right, 0, &n) || !n)
			return false;
		a = without_casts(a->op.left);
	}
	if (!a)
		return false;
	if (a->type == TEP_PRINT_DYNAMIC_ARRAY_LEN)
		return n >= element && has_length(g, a->dynarray.field);
	return is_length_field(g, a) ||
	       (constant(a, 0, &n) && n <= MAX_LENGTH);
}

static bool is_array(const struct guard *g, const struct tep_print_arg *a)
{
	if (!a)
		return false;
	if (a->type == TEP_PRINT_DYNAMIC_ARRAY)
		return is_dynamic(g, a->dynarray.field);
	return a->type == TEP_PRINT_FIELD && field_named(g, a->field.name);
}

static bool hex_holds(const struct guard *g, const struct tep_print_arg *a)
{
	return is_array(g, a->hex.field) && is_length(g, a->hex.size, 1);
}

static bool ints_hold(const struct guard *g, const struct tep_print_arg *a)
{
	unsigned long long element;

	return is_array(g, a->int_array.field) &&
	       constant(a->int_array.el_size, 0, &element) &&
	       (element == 1 || element == 2 || element == 4 ||
		element == 8) &&
	       is_length(g, a->int_array.count, element);
}

/* An element at a place that is known here. */
static bool index_holds(const struct guard *g, const struct tep_print_arg *a)
{
	const struct tep_print_arg *of = without_casts(a->op.left);
	const struct tep_format_field *f;
	unsigned long long at;

	if (!is_array(g, of) || !constant(a->op.right, 0, &at))
		return false;
	if (of->type == TEP_PRINT_DYNAMIC_ARRAY)
		return at <= MAX_LENGTH && of->dynarray.field->elementsize <= 8;
	f = field_named(g, of->field.name);
	return f->elementsize && at < (unsigned)f->size / f->elementsize;
}

static bool op_holds(const struct guard *g, const struct tep_print_arg *a,
		     int depth)
{
	unsigned long long v;

	if (!a->op.op || !a->op.left || !a->op.right)
		return false;
	if (is_op(a, "["))
		return index_holds(g, a);
	if (is_op(a, "?") && !is_op(a->op.right, ":"))
		return false;
	if ((is_op(a, "/") || is_op(a, "%")) &&
	    (!constant(a->op.right, 0, &v) || !v))
		return false;
	return arg_holds(g, a->op.left, depth + 1) &&
	       arg_holds(g, a->op.right, depth + 1);
}

static bool names_hold(const struct tep_print_flag_sym *s)
{
	for (; s; s = s->next)
		if (!s->value || !s->str)
			return false;
	return true;
}

static bool arg_holds(const struct guard *g, const struct tep_print_arg *a,
		      int depth)
{
	if (!a || depth > MAX_DEPTH)
		return false;
	switch (a->type) {
	case TEP_PRINT_NULL: /* what a unary operator has on its left */
		return true;
	case TEP_PRINT_ATOM:
		return a->atom.atom != NULL;
	case TEP_PRINT_FIELD:
		return field_named(g, a->field.name) != NULL;
	case TEP_PRINT_FLAGS:
		return names_hold(a->flags.flags) &&
		       arg_holds(g, a->flags.field, depth + 1);
	case TEP_PRINT_SYMBOL:
		return names_hold(a->symbol.symbols) &&
		       arg_holds(g, a->symbol.field, depth + 1);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return hex_holds(g, a);
	case TEP_PRINT_INT_ARRAY:
		return ints_hold(g, a);
	case TEP_PRINT_TYPE:
		return a->typecast.type &&
		       arg_holds(g, a->typecast.item, depth + 1);
	case TEP_PRINT_STRING:
		return is_dynamic(g, field_named(g, a->string.string));
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		return is_dynamic(g, field_named(g, a->bitmask.bitmask));
	case TEP_PRINT_DYNAMIC_ARRAY:
		return is_dynamic(g, a->dynarray.field);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return has_length(g, a->dynarray.field);
	case TEP_PRINT_OP:
		return op_holds(g, a, depth);
	case TEP_PRINT_FUNC:    /* none are registered */
	case TEP_PRINT_BSTRING: /* only of trace_printk(), which is no
				 * tracepoint */
		return false;
	}
	return false;
}

static bool fields_hold(const struct guard *g,
			const struct tep_format_field *f)
{
	for (; f; f = f->next)
		if (!is_inside(g, f) ||
		    (f->flags & TEP_FIELD_IS_DYNAMIC && f->size != 4))
			return false;
	return true;
}

bool an_guard_event(struct an_guard *out, const struct tep_event *e,
		    uint32_t size)
{
	/* Looking a field up does not change the event. */
	struct guard g = { .out = out, .size = size,
			   .e = (struct tep_event *)(uintptr_t)e };

	out->n = 0;
	if (e->flags & (TEP_EVENT_FL_ISFTRACE | TEP_EVENT_FL_ISBPRINT) ||
	    !fields_hold(&g, e->format.common_fields) ||
	    !fields_hold(&g, e->format.fields))
		return false;
	for (const struct tep_print_arg *a = e->print_fmt.args; a; a = a->next)
		if (!arg_holds(&g, a, 0))
			return false;
	return true;
}

bool an_guard_record(const struct an_guard *g, const void *record)
{
	for (unsigned i = 0; i < g->n; i++) {
		unsigned long long n;

		/* The library's parameter is not const. */
		if (tep_read_number_field((struct tep_format_field *)(uintptr_t)
						  g->lengths[i], record, &n) ||
		    n > MAX_LENGTH)
			return false;
	}
	return true;
}
