#include "complete.h"

#include "utf8.h"

#include <stdlib.h>
#include <string.h>

int complete_line_parse(struct complete_line *out, int argc, char **argv,
			struct err *err)
{
	char *end = NULL;
	long at = argc > 1 ? strtol(argv[1], &end, 10) : -1;

	if (argc < 3 || *end || at < 0 || at > argc - 3 ||
	    strcmp(argv[2], "--") != 0)
		return err_set(err, ERR_USAGE, "'--complete' wants N -- WORD…");
	*out = (struct complete_line){ argv + 3, argc - 3, (int)at };
	return 0;
}

/* Where the part of a list that is being typed begins. Events come in braces,
 * too: "{cycles,instructions". */
static size_t list_at(const struct opt *o, const char *word, size_t from)
{
	size_t at = from;

	if (!o->arg || !strchr(o->arg, ','))
		return from;
	for (size_t i = from; word[i]; i++)
		if (word[i] == ',' || word[i] == '{')
			at = i + 1;
	return at;
}

static void find_value(struct complete *c, const struct opt *o, size_t from)
{
	c->what = COMPLETE_VALUE;
	c->opt = o;
	c->kept = list_at(o, c->word, from);
}

/* The row of a long option and where its value begins in the word: 0, none. */
static const struct opt *long_row(const struct opt *rows, const char *word,
				  size_t *value)
{
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct opt *o = NULL;

	*value = eq ? n + 1 : 0;
	if (n < 3 || opt_by_name(rows, word + 2, n - 2, &o, NULL))
		return NULL;
	return o;
}

/* The same of letters: "-ge" is waiting for a value, "-gecycles" has one. */
static const struct opt *letters_row(const struct opt *rows, const char *word,
				     size_t *value)
{
	for (size_t i = 1; word[i]; i++) {
		const struct opt *o = opt_by_letter(rows, word[i]);

		if (o && opt_takes_value(o)) {
			*value = word[i + 1] ? i + 1 : 0;
			return o;
		}
	}
	return NULL;
}

static const struct opt *row_of(const struct opt *rows, const char *word,
				size_t *value)
{
	*value = 0;
	return word[1] == '-' ? long_row(rows, word, value) :
				letters_row(rows, word, value);
}

static bool is_option_word(const char *word)
{
	return word[0] == '-' && word[1];
}

static bool begins(const char *text, const char *start, size_t n)
{
	return strncmp(text, start, n) == 0;
}

/* The typed word, with the row that the word before it may have left open. */
static void find_place(struct complete *c, const struct opt *rows, bool over,
		       const struct opt *open)
{
	const struct opt *o = NULL;
	size_t value = 0;

	c->what = COMPLETE_OPERAND;
	if (open) {
		c->optional = open->kind == OPT_KIND_MODE;
		find_value(c, open, 0);
	} else if (!over && c->word[0] == '-') {
		o = row_of(rows, c->word, &value);
		if (o && value && opt_takes_value(o))
			find_value(c, o, value);
		else
			c->what = COMPLETE_OPTION;
	}
}

struct walk {
	const struct opt *rows;
	enum opt_order order;
	bool over;              /* "--" or a command was passed */
	const struct opt *open; /* waits for its value */
};

/* Whether the word is not the value of the option before it. */
static bool is_free(struct walk *w, const char *word)
{
	const struct opt *open = w->open;

	w->open = NULL;
	return !open || (open->kind == OPT_KIND_MODE &&
			 !opt_is_mode(open, word));
}

/* Passes a word that is not typed; returns whether it is an operand. */
static bool pass(struct walk *w, const char *word)
{
	const struct opt *o;
	size_t value;

	if (!is_free(w, word))
		return false;
	if (w->over || !is_option_word(word)) {
		w->over = w->over || w->order == OPT_FIRST;
		return true;
	}
	if (strcmp(word, "--") == 0) {
		w->over = true;
		return false;
	}
	o = row_of(w->rows, word, &value);
	w->open = o && !value && opt_takes_value(o) ? o : NULL;
	return false;
}

void complete_find(struct complete *out, const struct opt *rows,
		   enum opt_order order, const struct complete_line *line,
		   FILE *to)
{
	struct walk w = { .rows = rows, .order = order };

	*out = (struct complete){ .to = to, .word = "", .first_operand = -1 };
	for (int i = 0; i < line->n; i++) {
		bool operand;

		if (i == line->at) {
			out->word = line->words[i];
			find_place(out, rows, w.over, w.open);
			w.open = NULL;
			continue;
		}
		operand = pass(&w, line->words[i]);
		out->n_operands += operand && i < line->at;
		if (operand && out->first_operand < 0)
			out->first_operand = i;
	}
	if (line->at == line->n)
		find_place(out, rows, w.over, w.open);
}

/* What could be taken for an answer of the other kind, or does something to a
 * terminal, is not worth typing. */
static bool is_plain(const struct complete *c, const char *text)
{
	for (const char *t = text; *t; t++)
		if ((unsigned char)*t < ' ' || *t == 0x7f)
			return false;
	return *text && (c->kept || *text != ':');
}

void complete_say(const struct complete *c, const char *text,
		  const char *about)
{
	const char *typed = c->word + c->kept;

	if (!is_plain(c, text) || !begins(text, typed, strlen(typed)))
		return;
	fprintf(c->to, "%.*s%s", (int)c->kept, c->word, text);
	if (about && *about) {
		putc('\t', c->to);
		utf8_print_cstr(c->to, about);
	}
	putc('\n', c->to);
}

void complete_words(const struct complete *c, const char *const *words)
{
	for (; *words; words++)
		complete_say(c, *words, NULL);
}

void complete_ask(const struct complete *c, const char *what,
		  const char *detail)
{
	fprintf(c->to, ":%s %s\t%zu\n", what, detail, c->kept);
}

void complete_command(const struct complete *c, int at)
{
	bool begun = c->first_operand >= 0 && c->first_operand < at;

	fprintf(c->to, ":command %d\n", begun ? c->first_operand : at);
}

void complete_values(const struct complete *c)
{
	const char *arg = c->opt->arg ? c->opt->arg : "";
	char word[32];

	if (c->opt->words) {
		complete_words(c, c->opt->words);
		return;
	}
	while (*arg) {
		size_t n = strcspn(arg, "|");

		snprintf(word, sizeof(word), "%.*s", (int)n, arg);
		if (*arg < 'A' || *arg > 'Z')
			complete_say(c, word, NULL);
		arg += n + (arg[n] == '|');
	}
}

static void say_option(const struct complete *c, const struct opt *o)
{
	char text[80];

	if (o->name) {
		snprintf(text, sizeof(text), "--%s", o->name);
		complete_say(c, text, o->help);
	}
	if (o->name && o->kind == OPT_KIND_FLAG && begins(c->word, "--no-", 5)) {
		snprintf(text, sizeof(text), "--no-%s", o->name);
		complete_say(c, text, o->help);
	}
	/* A letter is nothing that typing could be saved on. */
	if (o->letter && !o->name) {
		snprintf(text, sizeof(text), "-%c", o->letter);
		complete_say(c, text, o->help);
	}
}

void complete_options(const struct complete *c, const struct opt *rows)
{
	for (const struct opt *o = rows; o->kind != OPT_KIND_END; o++)
		if (o->kind != OPT_KIND_GROUP && !o->hidden)
			say_option(c, o);
}

bool complete_takes(const struct complete *c, const char *arg)
{
	const char *have = c->opt->arg ? c->opt->arg : "";
	size_t n = strlen(arg);

	return begins(have, arg, n) && !(have[n] >= 'A' && have[n] <= 'Z');
}
