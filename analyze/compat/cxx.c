#include "analyze/compat/cxx.h"

#include <stdbool.h>
#include <string.h>

#define WORD(text) span_of(text, sizeof(text) - 1)

static bool begins_at(struct span text, size_t at, struct span with)
{
	return text.n - at >= with.n && !memcmp(text.p + at, with.p, with.n);
}

static bool ends_at(struct span text, size_t at, struct span with)
{
	return at >= with.n && !memcmp(text.p + at - with.n, with.p, with.n);
}

static bool is_word(uint8_t c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* "operator" as a whole word: what follows is of the name, blanks too. */
static bool is_operator(struct span name, size_t at)
{
	struct span word = WORD("operator");

	return begins_at(name, at, word) && (!at || !is_word(name.p[at - 1])) &&
	       (at + word.n == name.n || !is_word(name.p[at + word.n]));
}

/* A parenthesis that no arguments begin with. */
static bool is_of_type(struct span name, size_t at)
{
	return begins_at(name, at, WORD("(anonymous namespace)")) ||
	       ends_at(name, at, WORD("decltype")) ||
	       ends_at(name, at, WORD("decltype "));
}

/* "_ZT…" and "_ZG…" are tables, guards and thunks: "vtable for x". */
static bool is_function(struct span linkage)
{
	return linkage.n > 2 && !memcmp(linkage.p, "_Z", 2) &&
	       linkage.p[2] != 'T' && linkage.p[2] != 'G';
}

/* Behind the parenthesis that ends the group which begins at `at`. */
static size_t group_end(struct span name, size_t at)
{
	size_t depth = 0;

	for (; at < name.n; at++) {
		if (name.p[at] == '(')
			depth++;
		else if (name.p[at] == ')' && !--depth)
			return at + 1;
	}
	return name.n;
}

/* Behind the arguments of a function that something is local to:
 * "f(int) const::x"; `at` where those of the name itself begin. */
static size_t local_to(struct span name, size_t at)
{
	size_t end = group_end(name, at);

	if (begins_at(name, end, WORD(" const")))
		end += strlen(" const");
	return begins_at(name, end, WORD("::")) ? end : at;
}

struct span an_cxx_without_return(struct span name, struct span linkage)
{
	size_t depth = 0, begin = 0;

	if (!is_function(linkage))
		return name;
	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (!depth && is_operator(name, i))
			break;
		if (!depth && c == '(' && !is_of_type(name, i)) {
			size_t end = local_to(name, i);

			if (end == i)
				break;
			i = end;
			continue;
		}
		/* "decltype (x) f()": the blank is of the type. */
		if (!depth && c == ' ' && !ends_at(name, i, WORD("decltype")))
			begin = i + 1;
		if (c == '<' || c == '(' || c == '[' || c == '{')
			depth++;
		else if (depth && (c == ')' || c == ']' || c == '}' ||
				   (c == '>' && name.p[i - 1] != '-')))
			depth--;
	}
	span_skip(&name, begin);
	return name;
}
