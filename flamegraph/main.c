/* flamegraph: folded text in, a picture out. */
#include "fg.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_EMPTY = 1,		/* no stacks in the input */
	EXIT_USAGE = 2,
	EXIT_DAMAGED = 6,	/* no usable line in the input */
	EXIT_OTHER = 7,
};

struct args {
	struct fg_options svg;
	enum fg_columns columns;
	bool reverse, collapse, help;
	const char *in, *out;	/* NULL: standard input, output */
};

/* An option of the command line; `set` says false to a value it refuses. */
struct option_row {
	const char *name, *value, *help;
	char letter;
	bool (*set)(struct args *args, const char *value);
};

static bool set_title(struct args *a, const char *v)
{
	a->svg.title = v;
	return true;
}

static bool set_subtitle(struct args *a, const char *v)
{
	a->svg.subtitle = v;
	return true;
}

static bool set_unit(struct args *a, const char *v)
{
	a->svg.unit = v;
	return true;
}

static bool parse_px(const char *v, double least, double *out)
{
	char *end;
	double px = strtod(v, &end);

	if (end == v || *end || !(px >= least && px <= 100000))
		return false;
	*out = px;
	return true;
}

static bool set_width(struct args *a, const char *v)
{
	return parse_px(v, 300, &a->svg.width_px);
}

static bool set_min_width(struct args *a, const char *v)
{
	return parse_px(v, 0, &a->svg.min_width_px);
}

static bool set_icicle(struct args *a, const char *v)
{
	(void)v;
	a->svg.icicle = true;
	return true;
}

static bool set_reverse(struct args *a, const char *v)
{
	(void)v;
	a->reverse = true;
	return true;
}

static bool set_collapse(struct args *a, const char *v)
{
	(void)v;
	a->collapse = true;
	return true;
}

static bool set_palette(struct args *a, const char *v)
{
	a->svg.palette = fg_palette_find(v);
	return a->svg.palette;
}

static bool set_columns(struct args *a, const char *v)
{
	a->columns = *v == '1' ? FG_COLUMNS_ONE : FG_COLUMNS_TWO;
	return !strcmp(v, "1") || !strcmp(v, "2");
}

static bool set_no_script(struct args *a, const char *v)
{
	(void)v;
	a->svg.no_script = true;
	return true;
}

static bool set_out(struct args *a, const char *v)
{
	a->out = strcmp(v, "-") ? v : NULL;
	return true;
}

static bool set_help(struct args *a, const char *v)
{
	(void)v;
	a->help = true;
	return true;
}

static const struct option_row rows[] = {
	{ "title", "TEXT", "title of the picture", 't', set_title },
	{ "subtitle", "TEXT", "shown before the totals", 's', set_subtitle },
	{ "unit", "TEXT", "what the counts count (samples)", 'u', set_unit },
	{ "width", "PX", "width of the picture (1200)", 'w', set_width },
	{ "min-width", "PX", "fold narrower frames, 0 none (0.1)", 'm',
	  set_min_width },
	{ "icicle", NULL, "the root on top", 'i', set_icicle },
	{ "reverse", NULL, "merge from the last callee", 'r', set_reverse },
	{ "collapse", NULL, "merge direct recursion", 'c', set_collapse },
	{ "palette", "NAME", "colours, see below", 'p', set_palette },
	{ "columns", "1|2", "counts on a line, if unclear", 'n', set_columns },
	{ "no-script", NULL, "a still picture", 'S', set_no_script },
	{ "output", "FILE", "write to FILE", 'o', set_out },
	{ "help", NULL, "this text", 'h', set_help },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static void print_usage(FILE *to)
{
	const struct fg_palette *p;

	fputs("usage: flamegraph [OPTIONS] [FILE|-] > out.svg\n\n", to);
	fputs("Draws folded stacks as a flame graph.\n\nOptions\n", to);
	for (size_t i = 0; i < N_ROWS; i++) {
		const char *value = rows[i].value ? rows[i].value : "";
		int width = 20 - (int)strlen(rows[i].name);

		fprintf(to, "  -%c, --%s %-*s   %s\n", rows[i].letter,
			rows[i].name, width, value, rows[i].help);
	}
	fputs("\nPalettes\n", to);
	for (size_t i = 0; (p = fg_palette_at(i)); i++)
		fprintf(to, "  %-30s%s\n", fg_palette_name(p),
			fg_palette_summary(p));
}

/* Completion for shells: the candidates, or what asks the shell for files, in
 * the way of the other programs. */
static void say(const char *dashes, const char *word, const char *about,
		const char *typed)
{
	size_t skip = strlen(dashes), n = strlen(typed);

	if (strncmp(typed, dashes, n < skip ? n : skip) == 0 &&
	    (n < skip || strncmp(word, typed + skip, n - skip) == 0))
		printf("%s%s\t%s\n", dashes, word, about);
}

static void complete_value(const struct option_row *row, const char *typed)
{
	const struct fg_palette *p;

	for (size_t i = 0; row->set == set_palette && (p = fg_palette_at(i));
	     i++)
		say("", fg_palette_name(p), fg_palette_summary(p), typed);
	if (row->set == set_columns) {
		say("", "1", "", typed);
		say("", "2", "before and after", typed);
	}
	if (row->set == set_out)
		puts(":files \t0");
}

/* The option that `word` names and that waits for a value. */
static const struct option_row *waits(const char *word)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].value && word[0] == '-' &&
		    ((word[1] == rows[i].letter && !word[2]) ||
		     (word[1] == '-' && !strcmp(word + 2, rows[i].name))))
			return &rows[i];
	return NULL;
}

/* "N -- WORD...": word N is being typed. */
static int complete(int argc, char **argv)
{
	long at = argc > 1 ? strtol(argv[0], NULL, 10) : -1;
	const char *typed;
	const struct option_row *row;

	if (at < 0 || at >= argc - 2 || strcmp(argv[1], "--") != 0)
		return EXIT_USAGE;
	typed = argv[2 + at];
	row = at > 0 ? waits(argv[1 + at]) : NULL;
	if (row)
		complete_value(row, typed);
	else if (*typed == '-')
		for (size_t i = 0; i < N_ROWS; i++)
			say("--", rows[i].name, rows[i].help, typed);
	else
		puts(":files \t0");
	return fflush(stdout) ? EXIT_OTHER : EXIT_DONE;
}

static void fill_getopt(struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (size_t i = 0; i < N_ROWS; i++) {
		longs[i] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].value ? required_argument :
						   no_argument,
			.val = rows[i].letter,
		};
		*shorts++ = rows[i].letter;
		if (rows[i].value)
			*shorts++ = ':';
	}
	longs[N_ROWS] = (struct option){ 0 };
	*shorts = '\0';
}

static int usage_error(const char *what, const char *subject)
{
	fprintf(stderr, "flamegraph: %s '%s' (try: flamegraph -h)\n", what,
		subject);
	return EXIT_USAGE;
}

static int set_option(struct args *a, int letter, const char *value)
{
	char text[64];

	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].letter != letter || rows[i].set(a, value))
			continue;
		snprintf(text, sizeof(text), "option '--%s' does not take",
			 rows[i].name);
		return usage_error(text, value);
	}
	return EXIT_DONE;
}

static int parse_args(struct args *a, int argc, char **argv)
{
	struct option longs[N_ROWS + 1];
	char shorts[2 * N_ROWS + 2];
	int c, rc = EXIT_DONE;

	fill_getopt(longs, shorts);
	while (!rc && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
		if (c == '?')
			rc = usage_error("unknown option", argv[optind - 1]);
		else if (c == ':')
			rc = usage_error("no value for", argv[optind - 1]);
		else
			rc = set_option(a, c, optarg);
	if (!rc && optind + 1 < argc)
		rc = usage_error("more than one input:", argv[optind + 1]);
	if (!rc && optind < argc && strcmp(argv[optind], "-"))
		a->in = argv[optind];
	return rc;
}

static int failure(const char *verb, const char *subject, int rc)
{
	fprintf(stderr, "flamegraph: cannot %s '%s': %s\n", verb, subject,
		strerror(-rc));
	return EXIT_OTHER;
}

static void report_lines(const char *name, const struct fg_read_stats *s)
{
	for (size_t i = 0; i < s->n_bad && i < FG_MAX_BAD_SHOWN; i++)
		fprintf(stderr, "flamegraph: '%s': line %llu: no count at its "
			"end, left out\n", name,
			(unsigned long long)s->bad_line[i]);
	if (s->n_bad > FG_MAX_BAD_SHOWN)
		fprintf(stderr, "flamegraph: '%s': %llu lines left out\n", name,
			(unsigned long long)s->n_bad);
	if (s->n_fractions)
		fprintf(stderr, "flamegraph: '%s': decimals of %llu counts cut "
			"off\n", name, (unsigned long long)s->n_fractions);
}

static int read_input(struct fg_tree *tree, const struct args *a,
		      struct fg_read_stats *stats)
{
	const char *name = a->in ? a->in : "stdin";
	FILE *in = a->in ? fopen(a->in, "r") : stdin;
	int rc;

	if (!in)
		return failure("open", name, -errno);
	rc = fg_read_folded(tree, in, a->columns, stats);
	if (in != stdin)
		fclose(in);
	if (rc)
		return failure("read", name, rc);
	report_lines(name, stats);
	return EXIT_DONE;
}

/* Puts fn(*tree) in the place of *tree. */
static int replace(struct fg_tree **tree,
		   int (*fn)(const struct fg_tree *, struct fg_tree **))
{
	struct fg_tree *fresh;
	int rc = fn(*tree, &fresh);

	if (rc)
		return failure("merge", "stacks", rc);
	fg_tree_free(*tree);
	*tree = fresh;
	return EXIT_DONE;
}

static int write_output(const struct fg_tree *tree, const struct args *a)
{
	const char *name = a->out ? a->out : "stdout";
	FILE *out = a->out ? fopen(a->out, "w") : stdout;
	int rc;

	if (!out)
		return failure("open", name, -errno);
	rc = fg_write_svg(tree, &a->svg, out);
	if (out != stdout && fclose(out) && !rc)
		rc = -errno;
	return rc ? failure("write", name, rc) : EXIT_DONE;
}

static int verdict(const struct fg_tree *tree, const struct args *a,
		   const struct fg_read_stats *stats)
{
	if (fg_tree_total(tree))
		return EXIT_DONE;
	fprintf(stderr, "flamegraph: '%s': no samples\n",
		a->in ? a->in : "stdin");
	return stats->n_bad ? EXIT_DAMAGED : EXIT_EMPTY;
}

static int run(const struct args *a)
{
	struct fg_read_stats stats;
	struct fg_tree *tree = NULL;
	int rc = fg_tree_new(&tree);

	if (rc)
		return failure("start", "tree", rc);
	rc = read_input(tree, a, &stats);
	if (!rc && a->collapse)
		rc = replace(&tree, fg_collapse);
	if (!rc && a->reverse)
		rc = replace(&tree, fg_reverse);
	if (!rc)
		rc = write_output(tree, a);
	if (!rc)
		rc = verdict(tree, a, &stats);
	fg_tree_free(tree);
	return rc;
}

int main(int argc, char **argv)
{
	struct args args = { 0 };
	int rc;

	/* For shells: not in the usage. */
	if (argc > 1 && strcmp(argv[1], "--complete") == 0)
		return complete(argc - 2, argv + 2);
	fg_options_init(&args.svg);
	rc = parse_args(&args, argc, argv);
	if (rc)
		return rc;
	if (args.help) {
		print_usage(stdout);
		return fflush(stdout) ? EXIT_OTHER : EXIT_DONE;
	}
	return run(&args);
}
