#include "record/symbol/foreign.h"

#include "record/symbol/buildid.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX_ID (2 * REC_BUILD_ID_MAX + 1)

void rec_foreign_fini(struct rec_foreign *f)
{
	if (f->read) {
		rec_kernel_fini(&f->here);
		rec_images_fini(&f->images);
	}
	f->read = false;
}

static bool same_id(const struct rec_image *a, const struct rec_image *b)
{
	return a->build_id_size && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static int open_if_same(const struct rec_image *im, const char *path)
{
	struct rec_image found = { 0 };
	struct stat st;
	int fd;

	/* Opening a device may do something. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;
	rec_build_id_read(&found, fd);
	if (same_id(im, &found))
		return fd;
	close(fd);
	return -1;
}

static void hex_id(const struct rec_image *im, char to[HEX_ID])
{
	to[0] = '\0';
	for (unsigned i = 0; i < im->build_id_size; i++)
		snprintf(to + 2 * i, 3, "%02x", im->build_id[i]);
}

/* Below a folder that is sorted by build-id. */
static int open_by_id(const struct rec_image *im, const char *folder,
		      const char *below, const char *end)
{
	char path[PATH_MAX], id[HEX_ID];

	hex_id(im, id);
	if (snprintf(path, sizeof(path), "%s%s/.build-id/%.2s/%s%s", folder,
		     below, id, id + 2, end) >= (int)sizeof(path))
		return -1;
	return open_if_same(im, path);
}

/* perf keeps a copy as ID/elf; before 4.12 the id was the file itself. */
static int open_cached(const struct rec_foreign *f, const struct rec_image *im)
{
	int fd;

	if (!f->home)
		return -1;
	fd = open_by_id(im, f->home, "/.debug", "/elf");
	return fd >= 0 ? fd : open_by_id(im, f->home, "/.debug", "");
}

int rec_foreign_open(const struct rec_foreign *f, const struct rec_image *im)
{
	int fd = -1;

	if (im->build_id_size < 2)
		return -1;
	if (im->path[0] == '/')
		fd = open_if_same(im, im->path);
	if (fd < 0)
		fd = open_cached(f, im);
	/* Some distributions have the file itself there; a debug file is of use
	 * where it says what its segments were (eu-strip). */
	if (fd < 0)
		fd = open_by_id(im, "/usr/lib", "/debug", "");
	return fd >= 0 ? fd : open_by_id(im, "/usr/lib", "/debug", ".debug");
}

static bool read_here(struct rec_foreign *f)
{
	if (f->read)
		return true;
	if (rec_images_init(&f->images, NULL) ||
	    rec_kernel_init(&f->here, &f->images, f->root, NULL)) {
		rec_kernel_fini(&f->here);
		rec_images_fini(&f->images);
		return false;
	}
	f->read = true;
	return true;
}

/* An image of this kernel's of that name and build-id. */
static bool has(const struct rec_foreign *f, const struct rec_image *im)
{
	for (size_t i = 0; i < f->images.n; i++) {
		const struct rec_image *mine = &f->images.items[i];

		if (mine->kind == im->kind && same_id(mine, im) &&
		    strcmp(mine->path, im->path) == 0)
			return true;
	}
	return false;
}

bool rec_foreign_is_here(struct rec_foreign *f, const struct rec_image *im)
{
	if (!im->build_id_size || !read_here(f) ||
	    f->here.text != f->kernel->text)
		return false;
	return f->here.text && has(f, im);
}
