/* mkgoldens FOLDER: writes the trace files of tests/golden/format. */
#include "tests/support/goldens.h"

#include <stdio.h>

static int write_one(const struct golden *g, const char *folder,
		     struct err *err)
{
	char path[4096];
	struct tf_sink *sink;
	int rc, closed;

	snprintf(path, sizeof(path), "%s/%s", folder, g->name);
	rc = tf_sink_open(&sink, path, err);
	if (rc)
		return rc;
	rc = g->make(sink, err);
	closed = tf_sink_close(sink, rc ? NULL : err);
	return rc ? rc : closed;
}

int main(int argc, char **argv)
{
	struct err err;

	if (argc != 2) {
		fprintf(stderr, "usage: mkgoldens FOLDER\n");
		return 2;
	}
	for (const struct golden *g = goldens; g->name; g++) {
		if (!write_one(g, argv[1], &err))
			continue;
		fprintf(stderr, "mkgoldens: %s: %s\n", g->name, err.text);
		return 1;
	}
	return 0;
}
