#include "record/proc/folder.h"

#include "format/base/mem.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct rec_folder *f, const char *name, struct err *err)
{
	char *copy;

	if (!mem_grow(&f->names, &f->cap, f->n + 1, sizeof(*f->names)))
		return err_nomem(err);
	copy = strdup(name);
	if (!copy)
		return err_nomem(err);
	f->names[f->n++] = copy;
	return 0;
}

int rec_folder_read(struct rec_folder *f, const char *path, struct err *err)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int rc = 0;

	*f = (struct rec_folder){ 0 };
	if (!d)
		return 1;
	while (!rc && (e = readdir(d)))
		if (e->d_name[0] != '.')
			rc = add(f, e->d_name, err);
	closedir(d);
	if (rc)
		rec_folder_fini(f);
	else if (f->n)
		qsort(f->names, f->n, sizeof(*f->names), by_name);
	return rc;
}

void rec_folder_fini(struct rec_folder *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->names[i]);
	free(f->names);
	*f = (struct rec_folder){ 0 };
}
