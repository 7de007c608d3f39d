/* mkgoldens ROOT [NAME...]: writes the stored trace files of those names, or in
 * folders of those names, or all, under the root of the tree. Those that were
 * cut off, are damaged or unknown are made of the stored sound ones. */
#include "tests/support/goldens.h"
#include "tests/support/oddgoldens.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool chosen(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++) {
		size_t size = strlen(names[i]);

		if (strncmp(names[i], name, size) == 0 &&
		    (!name[size] || name[size] == '/'))
			return true;
	}
	return n == 0;
}

static int write_file(const char *root, const char *folder, const char *name,
		      const struct buf *bytes)
{
	char path[4096];
	FILE *f;
	bool whole;

	snprintf(path, sizeof(path), "%s/%s/%s", root, folder, name);
	f = fopen(path, "w");
	if (!f)
		return 1;
	whole = fwrite(bytes->p, 1, bytes->n, f) == bytes->n;
	return fclose(f) || !whole;
}

static int write_sound(const struct golden *g, const char *root)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };
	int rc = golden_bytes(g, &bytes, &err);

	rc = rc || write_file(root, g->folder, g->name, &bytes);
	if (rc)
		fprintf(stderr, "mkgoldens: %s: %s\n", g->name, err.text);
	buf_fini(&bytes);
	return rc;
}

static int write_odd(const struct oddgolden *o, const char *root)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };
	int rc = oddgolden_make(o, &bytes, &err);

	rc = rc || write_file(root, GOLDEN_FOLDER, o->name, &bytes);
	if (rc)
		fprintf(stderr, "mkgoldens: %s: %s\n", o->name, err.text);
	buf_fini(&bytes);
	return rc;
}

static int write_chosen(const struct golden *g, const char *root, char **names,
			int n)
{
	int rc = 0;

	for (; g->name && !rc; g++)
		if (chosen(g->name, names, n))
			rc = write_sound(g, root);
	return rc;
}

int main(int argc, char **argv)
{
	int rc;

	if (argc < 2) {
		fprintf(stderr, "usage: mkgoldens ROOT [NAME...]\n");
		return 2;
	}
	rc = write_chosen(goldens, argv[1], argv + 2, argc - 2);
	if (!rc)
		rc = write_chosen(moregoldens, argv[1], argv + 2, argc - 2);
	for (const struct oddgolden *o = oddgoldens; o->name && !rc; o++)
		if (chosen(o->name, argv + 2, argc - 2))
			rc = write_odd(o, argv[1]);
	return rc != 0;
}
