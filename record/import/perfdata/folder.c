#include "record/import/perfdata/folder.h"

#include "format/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "data.";

/* "data.17", as perf itself writes the number; false: another file. */
static bool take_number(const char *name, uint32_t *number)
{
	const char *digits = name + sizeof(prefix) - 1;
	uint32_t n = 0;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 || !*digits ||
	    (*digits == '0' && digits[1]))
		return false;
	for (; *digits; digits++) {
		if (*digits < '0' || *digits > '9')
			return false;
		n = n * 10 + (uint32_t)(*digits - '0');
		if (n >= REC_PD_FILES_MAX)
			return false;
	}
	*number = n;
	return true;
}

static int add(struct rec_pd_folder *f, const char *name, struct err *err)
{
	uint32_t number;

	if (!take_number(name, &number))
		return 0;
	if (!mem_grow(&f->numbers, &f->cap, f->n + 1, sizeof(*f->numbers)))
		return err_nomem(err);
	f->numbers[f->n++] = number;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return CMP(*x, *y);
}

/* NULL: it cannot be read. A descriptor of its own, as a DIR takes it away. */
static DIR *open_list(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own < 0 ? NULL : fdopendir(own);

	if (!d && own >= 0)
		close(own);
	return d;
}

int rec_pd_folder_list(struct rec_pd_folder *f, int fd, struct err *err)
{
	DIR *d = open_list(fd);
	struct dirent *e;
	int rc = 0;

	*f = (struct rec_pd_folder){ .fd = fd };
	if (!d)
		return err_sys(err, errno, "cannot list the folder");
	while (!rc && (e = readdir(d)))
		rc = add(f, e->d_name, err);
	closedir(d);
	if (rc)
		rec_pd_folder_fini(f);
	else if (f->n)
		qsort(f->numbers, f->n, sizeof(*f->numbers), by_number);
	return rc;
}

void rec_pd_folder_fini(struct rec_pd_folder *f)
{
	free(f->numbers);
	*f = (struct rec_pd_folder){ 0 };
}

int rec_pd_folder_open(const struct rec_pd_folder *f, size_t i, int *fd,
		       uint64_t *size, struct err *err)
{
	struct stat st;
	char name[32];
	int got;

	snprintf(name, sizeof(name), "%s%u", prefix, (unsigned)f->numbers[i]);
	/* A pipe of that name would wait for somebody. */
	got = openat(f->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (got < 0)
		return err_sys(err, errno, "cannot open '%s' of the folder",
			       name);
	if (fstat(got, &st) || !S_ISREG(st.st_mode)) {
		close(got);
		return err_set(err, ERR_FORMAT, "'%s' of the folder is no file",
			       name);
	}
	*fd = got;
	*size = (uint64_t)st.st_size;
	return 0;
}
