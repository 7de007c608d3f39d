#include "record/tracepoint/field.h"

#include "format/base/mem.h"
#include "record/proc/procfs.h"

#include <string.h>

/* A longer array of numbers stays bytes. */
#define MAX_ARRAY_COLUMNS 16u

static bool has(struct span s, const char *text)
{
	return s.n && memmem(s.p, s.n, text, strlen(text)) != NULL;
}

static bool take_prefix(struct span *s, const char *text)
{
	size_t n = strlen(text);

	if (s->n < n || memcmp(s->p, text, n))
		return false;
	return span_skip(s, n);
}

static struct span trim(struct span s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		(void)span_skip(&s, 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* Up to a ';', which is taken away. */
static bool part(struct span *line, struct span *out)
{
	const uint8_t *at = line->n ? memchr(line->p, ';', line->n) : NULL;

	if (!at)
		return false;
	(void)span_take(line, (size_t)(at - line->p), out);
	(void)span_skip(line, 1);
	*out = trim(*out);
	return true;
}

static bool number_part(struct span *line, const char *key, uint64_t *out)
{
	struct span s;

	return part(line, &s) && take_prefix(&s, key) &&
	       rec_number(s, 10, out);
}

/* "char name[16]", "char[] name" (as __data_loc has it), "int x:4". */
static void declaration(struct span s, struct rec_field_line *out)
{
	const uint8_t *open = memrchr(s.p, '[', s.n);
	size_t end;

	if (open) {
		const uint8_t *close = memchr(open, ']',
					      s.n - (size_t)(open - s.p));
		struct span count, rest;

		out->is_array = close != NULL;
		if (close) {
			count = span_of(open + 1, (size_t)(close - open) - 1);
			if (!rec_number(count, 10, &out->length))
				out->length = 0;
			rest = span_of(close + 1,
				       s.n - (size_t)(close - s.p) - 1);
			if (trim(rest).n) { /* the name is behind */
				out->name = trim(rest);
				out->type = trim(span_of(
					s.p, (size_t)(open - s.p)));
				return;
			}
			s.n = (size_t)(open - s.p);
		}
	}
	s = trim(s);
	for (end = s.n; end && s.p[end - 1] != ' ' && s.p[end - 1] != '*'; end--)
		;
	out->name = span_of(s.p + end, s.n - end);
	out->type = trim(span_of(s.p, end));
}

bool rec_field_line(struct span line, struct rec_field_line *out)
{
	struct span decl;
	uint64_t is_signed = 0;
	const uint8_t *colon;

	*out = (struct rec_field_line){ 0 };
	line = trim(line);
	if (!take_prefix(&line, "field:") || !part(&line, &decl) ||
	    !number_part(&line, "offset:", &out->offset) ||
	    !number_part(&line, "size:", &out->size))
		return false;
	if (line.n && !number_part(&line, "signed:", &is_signed))
		return false;
	out->is_signed = is_signed != 0;
	out->relative = take_prefix(&decl, "__rel_loc ");
	out->dynamic = out->relative || take_prefix(&decl, "__data_loc ");
	declaration(decl, out);
	colon = out->name.n ? memchr(out->name.p, ':', out->name.n) : NULL;
	if (colon)
		out->name.n = (size_t)(colon - out->name.p);
	return out->name.n > 0;
}

static bool is_number_size(uint64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* Bytes of an element of a dynamic array; 0: no number, or one of a byte. */
static uint8_t element_of(struct span type)
{
	static const struct {
		const char *name;
		uint8_t size;
	} types[] = {
		{ "u16", 2 }, { "s16", 2 }, { "short", 2 },
		{ "unsigned short", 2 }, { "u32", 4 }, { "s32", 4 },
		{ "int", 4 }, { "unsigned int", 4 }, { "pid_t", 4 },
		{ "u64", 8 }, { "s64", 8 }, { "unsigned long long", 8 },
		{ "long long", 8 }, { "unsigned long", sizeof(long) },
		{ "long", sizeof(long) },
	};

	(void)take_prefix(&type, "__");
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (span_is(type, types[i].name))
			return types[i].size;
	return 0;
}

static void dynamic(const struct rec_field_line *l, struct rec_field *f)
{
	f->element = element_of(l->type);
	f->kind = span_is(l->type, "char") ? REC_FIELD_DYN_STRING :
		  f->element	      ? REC_FIELD_DYN_LIST :
					REC_FIELD_DYN_BYTES;
}

static void array(const struct rec_field_line *l, struct rec_field *f,
		  unsigned *n)
{
	uint64_t each = l->length ? l->size / l->length : 0;

	f->kind = REC_FIELD_BYTES;
	if (span_is(l->type, "char")) {
		f->kind = REC_FIELD_STRING;
	} else if (l->length && l->length <= MAX_ARRAY_COLUMNS &&
		   each * l->length == l->size && each > 1 &&
		   is_number_size(each)) {
		f->kind = REC_FIELD_NUMBER;
		f->element = (uint8_t)each;
		f->size = (uint16_t)each;
		*n = (unsigned)l->length;
	}
}

struct rec_field rec_field_of(const struct rec_field_line *l, unsigned *n)
{
	struct rec_field f = {
		.offset = (uint16_t)l->offset,
		.size = (uint16_t)l->size,
		.is_signed = l->is_signed,
		.relative = l->relative,
	};

	*n = 1;
	if (l->dynamic) {
		dynamic(l, &f);
	} else if (l->is_array) {
		array(l, &f, n);
	} else if (is_number_size(l->size)) {
		f.kind = REC_FIELD_NUMBER;
		f.element = (uint8_t)l->size;
	} else {
		f.kind = REC_FIELD_BYTES;
	}
	return f;
}

enum tf_privacy rec_field_privacy(const struct rec_field_line *l,
				  const struct rec_field *f, bool syscall)
{
	if (f->kind == REC_FIELD_STRING || f->kind == REC_FIELD_DYN_STRING) {
		if (has(l->name, "comm"))
			return TF_PRIVACY_NAME;
		if (has(l->name, "name") || has(l->name, "path"))
			return TF_PRIVACY_PATH;
		return TF_PRIVACY_CONTENT;
	}
	if (f->kind == REC_FIELD_BYTES || f->kind == REC_FIELD_DYN_BYTES)
		return TF_PRIVACY_CONTENT;
	if (syscall && !span_is(l->name, "id") && !span_is(l->name, "__syscall_nr"))
		return TF_PRIVACY_ARGUMENT;
	if (has(l->type, "*") || f->is_code)
		return TF_PRIVACY_ADDRESS;
	return TF_PRIVACY_NUMBER;
}

/* The next top-level argument of a print format: up to a comma that stands in
 * no brackets and no string. */
static struct span argument(struct span *args)
{
	bool quoted = false;
	int depth = 0;
	struct span out;
	size_t i;

	for (i = 0; i < args->n; i++) {
		uint8_t c = args->p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '(' || c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == ')' || c == '}' || c == ']'))
			depth--;
		else if (!quoted && c == ',' && depth <= 0)
			break;
	}
	if (i > args->n)
		i = args->n;
	(void)span_take(args, i, &out);
	if (args->n)
		(void)span_skip(args, 1);
	return out;
}

/* Whether the argument is about this field: "REC->name", no longer name. */
static bool mentions(struct span arg, struct span name)
{
	static const char rec[] = "REC->";
	const size_t n = sizeof(rec) - 1;

	while (arg.n >= n + name.n) {
		const uint8_t *at = memmem(arg.p, arg.n, rec, n);
		size_t skip;

		if (!at)
			return false;
		skip = (size_t)(at - arg.p) + n;
		(void)span_skip(&arg, skip);
		if (arg.n >= name.n && memcmp(arg.p, name.p, name.n) == 0 &&
		    (arg.n == name.n ||
		     !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
			     "WXYZ0123456789_", arg.p[name.n])))
			return true;
	}
	return false;
}

/* The next conversion of the format string: its argument number rises with
 * each, and with each '*'. *code: it shows the name of a function. */
static bool conversion(struct span *fmt, bool *code)
{
	const uint8_t *at = fmt->n ? memchr(fmt->p, '%', fmt->n) : NULL;
	size_t i;

	*code = false;
	if (!at)
		return false;
	(void)span_skip(fmt, (size_t)(at - fmt->p) + 1);
	for (i = 0; i < fmt->n && strchr("-+ #0123456789.*hlLqjzt", fmt->p[i]);
	     i++)
		;
	if (i + 1 < fmt->n && fmt->p[i] == 'p')
		*code = strchr("sSfFB", fmt->p[i + 1]) != NULL;
	(void)span_skip(fmt, i < fmt->n ? i + 1 : fmt->n);
	return true;
}

bool rec_field_is_code(struct span print, struct span name)
{
	struct span args = print, fmt = argument(&args);
	bool code;

	while (conversion(&fmt, &code)) {
		if (fmt.p[-1] == '%')
			continue;
		if (!args.n)
			return false;
		if (mentions(argument(&args), name) && code)
			return true;
	}
	return false;
}
