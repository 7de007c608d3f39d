/* Command lines from rows: an option names a field of an arguments struct, and
 * usage, completion and the man page read the same rows. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_GROUP, /* a heading in the usage text */
	OPT_KIND_FLAG,  /* bool; --no-NAME clears it */
	OPT_KIND_COUNT, /* int, one more for each */
	OPT_KIND_STR,   /* const char *, the last one wins */
	OPT_KIND_LIST,  /* struct opt_list, each one is kept */
	OPT_KIND_U64,   /* uint64_t */
	OPT_KIND_F64,   /* double */
	OPT_KIND_SIZE,  /* uint64_t; suffix B, K, M, G are powers of 1024 */
	OPT_KIND_TIME,  /* uint64_t ns; see time_parse, a bare number in `unit` */
	OPT_KIND_MODE,  /* const char *; the value may be left out: it is taken
			 * from the next word only if that begins with one of
			 * `words`, or with a number before a comma or with a
			 * point in it ("0.5,caller"), else it is words[0] */
	OPT_KIND_IGNORED, /* nothing; for those who are used to it. A number
			   * behind the letter, or a value behind '=', is
			   * taken */
	OPT_KIND_REFUSED, /* a failure whose reason is `help` */
};

struct opt;

/* Several options may name the same list, which then keeps their order. */
struct opt_list {
	const char **items; /* points into argv */
	const struct opt **rows; /* by which option each came */
	size_t n;
	size_t cap, rows_cap;
};

struct opt {
	enum opt_kind kind;
	char letter;             /* 0: none */
	const char *name;        /* long name, or the heading */
	const char *arg;         /* what stands for the value in usage */
	size_t field;            /* offset in the arguments struct */
	size_t seen;             /* offset + 1 of a bool set when given, or 0 */
	uint64_t unit;           /* ns of a bare number, for TIME */
	const char *const *words; /* NULL-ended, for MODE */
	const char *help;
	bool hidden;             /* accepted, not shown */
};

#define OPT_GROUP(text) { .kind = OPT_KIND_GROUP, .name = text }
#define OPT_FLAG(l, nm, type, f, text)                                         \
	{ .kind = OPT_KIND_FLAG, .letter = l, .name = nm,                      \
	  .field = offsetof(type, f), .help = text }
#define OPT_COUNT(l, nm, type, f, text)                                        \
	{ .kind = OPT_KIND_COUNT, .letter = l, .name = nm,                     \
	  .field = offsetof(type, f), .help = text }
#define OPT_STR(l, nm, a, type, f, text)                                       \
	{ .kind = OPT_KIND_STR, .letter = l, .name = nm, .arg = a,             \
	  .field = offsetof(type, f), .help = text }
#define OPT_LIST(l, nm, a, type, f, text)                                      \
	{ .kind = OPT_KIND_LIST, .letter = l, .name = nm, .arg = a,            \
	  .field = offsetof(type, f), .help = text }
#define OPT_U64(l, nm, a, type, f, text)                                       \
	{ .kind = OPT_KIND_U64, .letter = l, .name = nm, .arg = a,             \
	  .field = offsetof(type, f), .help = text }
#define OPT_F64(l, nm, a, type, f, text)                                       \
	{ .kind = OPT_KIND_F64, .letter = l, .name = nm, .arg = a,             \
	  .field = offsetof(type, f), .help = text }
#define OPT_SIZE(l, nm, a, type, f, text)                                      \
	{ .kind = OPT_KIND_SIZE, .letter = l, .name = nm, .arg = a,            \
	  .field = offsetof(type, f), .help = text }
#define OPT_TIME(l, nm, a, type, f, u, text)                                   \
	{ .kind = OPT_KIND_TIME, .letter = l, .name = nm, .arg = a,            \
	  .field = offsetof(type, f), .unit = u, .help = text }
#define OPT_MODE(l, nm, a, type, f, w, text)                                   \
	{ .kind = OPT_KIND_MODE, .letter = l, .name = nm, .arg = a,            \
	  .field = offsetof(type, f), .words = w, .help = text }
#define OPT_IGNORED(l, nm, text)                                               \
	{ .kind = OPT_KIND_IGNORED, .letter = l, .name = nm, .help = text }
#define OPT_REFUSED(l, nm, reason)                                             \
	{ .kind = OPT_KIND_REFUSED, .letter = l, .name = nm, .help = reason,   \
	  .hidden = true }
#define OPT_END { .kind = OPT_KIND_END }

enum opt_order {
	OPT_ANYWHERE, /* options and operands in any order, "--" ends options */
	OPT_FIRST,    /* the first operand ends the options (rec OPTIONS CMD) */
};

/* Parses argv[1..argc-1]. Operands are moved to the front of argv[1..]: their
 * number is returned in *n_operands. An unknown or ambiguous option or a bad
 * value is ERR_USAGE with a message that names it. Long options may be cut
 * short while they stay unique; "--name=value" and "-nvalue" work. */
int opt_parse(const struct opt *rows, enum opt_order order, void *args,
	      int argc, char **argv, int *n_operands, struct err *err);

/* The rows as an option summary: what stands before the help of an option ends
 * before column OPT_HELP_AT, two blanks at least are between them, and further
 * lines of the help begin there. The man pages are made from this text. */
#define OPT_HELP_AT 32
void opt_usage(const struct opt *rows, FILE *to);

/* The row of a letter, or NULL. */
const struct opt *opt_by_letter(const struct opt *rows, char letter);

/* The row of a long name, which may be cut short: 0 found, 1 there is none,
 * negative ambiguous. */
int opt_by_name(const struct opt *rows, const char *name, size_t n,
		const struct opt **out, struct err *err);
bool opt_takes_value(const struct opt *o);

/* Whether text begins with one of the words of a MODE, or with a number that
 * cannot be a file or a command. */
bool opt_is_mode(const struct opt *o, const char *text);

void opt_list_fini(struct opt_list *l);

#endif
