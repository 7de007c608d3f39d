/* Runs a fuzz target on files, and on all files of folders, without a fuzzer:
 * what was found once is a test for ever, with any compiler. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, size_t size)
{
	/* Exactly as large as the file: reading past it is seen. */
	uint8_t *bytes = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");
	int rc = 1;

	if (f && bytes && fread(bytes, 1, size, f) == size) {
		LLVMFuzzerTestOneInput(bytes, size);
		rc = 0;
	} else {
		fprintf(stderr, "replay: cannot read '%s'\n", path);
	}
	if (f)
		fclose(f);
	free(bytes);
	return rc;
}

static int replay(const char *path);

static int replay_folder(const char *path)
{
	struct dirent *e;
	DIR *d = opendir(path);
	int rc = 0;

	if (!d) {
		fprintf(stderr, "replay: cannot open '%s'\n", path);
		return 1;
	}
	while ((e = readdir(d))) {
		char inner[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		rc |= replay(inner);
	}
	closedir(d);
	return rc;
}

static int replay(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		fprintf(stderr, "replay: cannot open '%s'\n", path);
		return 1;
	}
	if (S_ISDIR(st.st_mode))
		return replay_folder(path);
	return replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	int rc = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		rc |= replay(argv[i]);
	return rc;
}
