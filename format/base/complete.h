/* What a command line that is being typed can go on with, from the rows that
 * parse it: for the completion of shells. The answer is lines of text,
 *
 *	CANDIDATE <tab> WHAT IT IS     a word in the place of the typed one
 *	:files SUFFIX <tab> KEPT       ask for files; SUFFIX may be empty
 *	:dirs <tab> KEPT
 *	:users <tab> KEPT
 *	:command N                     words N and on are a command line
 *
 * where KEPT bytes of the typed word stay before the name, and where only a
 * line of the other kinds begins with ':'. */
#ifndef BASE_COMPLETE_H
#define BASE_COMPLETE_H

#include "opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A command line behind the name of its program. `at` may be `n`: then an empty
 * word is being typed at the end. */
struct complete_line {
	char *const *words;
	int n;
	int at;
};

enum complete_what {
	COMPLETE_OPTION,
	COMPLETE_VALUE,
	COMPLETE_OPERAND,
};

struct complete {
	FILE *to;
	enum complete_what what;
	const struct opt *opt; /* whose value */
	bool optional;         /* the value; the word may be an operand */
	const char *word;      /* what is typed so far */
	size_t kept;           /* bytes of it that stay: "--event=cycles," */
	int n_operands;        /* before it */
	int first_operand;     /* index among all words, -1: there is none */
};

/* Reads "N -- WORD..." as a shell calls it; argv[0] is not looked at. */
int complete_line_parse(struct complete_line *out, int argc, char **argv,
			struct err *err);

/* Finds the place of the typed word. Words that are no valid options are passed
 * over. */
void complete_find(struct complete *out, const struct opt *rows,
		   enum opt_order order, const struct complete_line *line,
		   FILE *to);

/* A candidate, where it begins with what is typed; `about` may be NULL. One with
 * control characters is left out, and one that begins with ':'. */
void complete_say(const struct complete *c, const char *text,
		  const char *about);
void complete_words(const struct complete *c, const char *const *words);

/* The words that are the value of the option by its row: those of a MODE, and
 * "one|other" in usage. */
void complete_values(const struct complete *c);

/* Asks the shell: "files", ".ctr". */
void complete_ask(const struct complete *c, const char *what,
		  const char *detail);

/* Asks for words of the command that begins at the first operand, or at the
 * typed word, which is number `at`. */
void complete_command(const struct complete *c, int at);

/* The options, as far as one is being typed; their negations once "--no-" is.*/
void complete_options(const struct complete *c, const struct opt *rows);

/* What stands for the value in usage, up to the first character that is no
 * capital: "PID" of "PID,…". */
bool complete_takes(const struct complete *c, const char *arg);

#endif
