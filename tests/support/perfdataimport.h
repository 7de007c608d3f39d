/* Imports bytes as perf.data into the stand-in for the intake, which this brings
 * along: included once in a program. */
#ifndef TESTS_SUPPORT_PERFDATAIMPORT_H
#define TESTS_SUPPORT_PERFDATAIMPORT_H

#include "record/import/importer.h"
#include "tests/support/standin_intake.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct imported {
	int rc;
	struct err err;
	char *text;      /* of the stand-in, to be freed; NULL unless asked */
	uint64_t samples;
};

static bool put_bytes(int fd, struct span s)
{
	while (s.n) {
		ssize_t n = write(fd, s.p, s.n);

		if (n <= 0)
			return false;
		(void)span_skip(&s, (size_t)n);
	}
	return true;
}

static void import_open(struct imported *out, int fd, FILE *to)
{
	struct rec_intake intake = { .to = to };
	struct rec_input *in;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	out->rc = rec_input_open(&in, path, &out->err);
	if (out->rc)
		return;
	out->rc = rec_import_perf_data.run(
		in, &intake, &(struct rec_import_options){ 0 }, &out->err);
	rec_input_close(in);
	out->samples = intake.samples;
}

static struct imported import_bytes(struct span file, bool with_text)
{
	struct imported out = { .rc = ERR_IO };
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	size_t size;
	FILE *to = with_text ? open_memstream(&out.text, &size) : NULL;

	if (fd >= 0 && put_bytes(fd, file))
		import_open(&out, fd, to);
	if (to)
		fclose(to);
	if (fd >= 0)
		close(fd);
	return out;
}

#endif
