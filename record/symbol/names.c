#include "record/symbol/names.h"

#include "record/symbol/buildid.h"
#include "record/symbol/own.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Processes through which the file of an image is looked for. */
#define MAX_TRIES 8

void rec_names_start(struct rec_names *n, struct rec_defs *defs,
		     const char *root, const struct log *log)
{
	struct rec_symbols_config cfg = { .root = root, .log = log };
	struct err err = { 0 };

	*n = (struct rec_names){ .defs = defs, .root = root, .log = log };
	if (rec_symbols_start(&n->symbols, &cfg, &err) < 0) {
		n->symbols = NULL;
		log_warn(log, "recording without function names: %s", err.text);
	}
}

static bool same_build_id(const struct rec_image *im, int fd)
{
	struct rec_image found = { 0 };

	rec_build_id_read(&found, fd);
	return found.build_id_size == im->build_id_size &&
	       memcmp(found.build_id, im->build_id, im->build_id_size) == 0;
}

/* Whether an open file is the one that was mapped. Between the mapping and now
 * the range may hold another file, and the path may name another. By its path
 * a file is found in its own mount, where the inode number tells; the device
 * that the kernel gave is not always the one that stat() shows (overlayfs,
 * btrfs). */
static bool is_image(const struct rec_image *im, int fd, bool by_path)
{
	struct stat st;

	if (im->build_id_size)
		return same_build_id(im, fd);
	if (!im->inode || fstat(fd, &st) || st.st_ino != im->inode)
		return false;
	return by_path || im->device == ((uint64_t)major(st.st_dev) << 32 |
					 minor(st.st_dev));
}

static int open_checked(const struct rec_image *im, const char *name,
			bool by_path)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0 && !is_image(im, fd, by_path)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The mapped file, which may be deleted, replaced or in another mount
 * namespace: by the mapping where the kernel lets us, else by its path there,
 * else, when the process is gone, by its path here. -1: it cannot be had. */
static int open_mapped(const struct rec_names *n, const struct rec_image *im,
		       const struct rec_mm *mm, const struct rec_mapping *map)
{
	char name[PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%s/proc/%d/map_files/%llx-%llx", n->root,
		 (int)mm->pid, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	fd = open_checked(im, name, false);
	if (fd >= 0 || im->path[0] != '/')
		return fd;
	if (snprintf(name, sizeof(name), "%s/proc/%d/root%s", n->root,
		     (int)mm->pid, im->path) < (int)sizeof(name))
		fd = open_checked(im, name, true);
	return fd >= 0 ? fd : open_checked(im, im->path, true);
}

static void introduce(struct rec_names *n, uint32_t index, int fd)
{
	const struct rec_image *im = &n->defs->images->items[index];
	struct rec_symbol_image what = {
		.key = index,
		.kind = (uint8_t)im->kind,
		.path = im->path,
		.build_id = im->build_id_size ? im->build_id : NULL,
		.build_id_size = im->build_id_size,
	};
	struct err err = { 0 };

	if (rec_symbols_image(n->symbols, &what, fd, &err) < 0) {
		n->troubles++;
		log_verbose(n->log, "no names from '%s': %s", im->path,
			    err.text);
	}
}

/* What tells an image without a build-id from another at the same path. */
static void identify(struct rec_image *im, int fd)
{
	rec_build_id_read(im, fd);
	if (!im->build_id_size)
		im->generation = im->inode;
	/* A mapping may have brought its row into the epoch without these. */
	memset(im->row, 0, sizeof(im->row));
}

/* Asks for what was touched while the file could not be had. */
static void ask_again(struct rec_names *n, uint32_t index)
{
	const struct rec_image *im = &n->defs->images->items[index];
	uint64_t address;

	for (unsigned i = 0; i < REC_SHARDS_MAX * REC_FRAME_KINDS; i++) {
		unsigned kind = i % REC_FRAME_KINDS;
		const struct map64 *m = &im->frames[i / REC_FRAME_KINDS][kind];

		for (size_t at = 0; map64_next(m, &at, &address);) {
			n->unasked--;
			rec_names_frame(n, index, address,
					(enum tf_frame_kind)kind);
		}
	}
}

/* Once: what is not there now will not come. */
static void introduce_foreign(struct rec_names *n, uint32_t index)
{
	struct rec_image *im = &n->defs->images->items[index];
	int fd = -1;

	im->tries = MAX_TRIES;
	switch (im->kind) {
	case TF_IMAGE_ELF:
		fd = rec_foreign_open(n->foreign, im);
		im->introduced = fd >= 0;
		break;
	case TF_IMAGE_KERNEL:
	case TF_IMAGE_MODULE:
		im->introduced = rec_foreign_is_here(n->foreign, im);
		break;
	case TF_IMAGE_VDSO: /* is compared by the symbolizer */
		im->introduced = im->build_id_size != 0;
		break;
	default:
		break;
	}
	if (im->introduced)
		introduce(n, index, fd);
}

void rec_names_image(struct rec_names *n, uint32_t index,
		     const struct rec_mm *mm, const struct rec_mapping *map)
{
	struct rec_image *im = &n->defs->images->items[index];
	bool file = mm && im->kind == TF_IMAGE_ELF;
	int fd = -1;

	if (im->introduced || im->tries >= MAX_TRIES)
		return;
	if (n->foreign) {
		if (n->symbols)
			introduce_foreign(n, index);
		return;
	}
	if (file)
		fd = open_mapped(n, im, mm, map);
	if (file && !im->tries++ && !im->build_id_size)
		identify(im, fd);
	im->introduced = !file || fd >= 0;
	if (!im->introduced) {
		if (im->tries == MAX_TRIES && n->symbols) {
			n->troubles++;
			log_verbose(n->log, "no names from '%s': the file that "
				    "was mapped cannot be had any more",
				    im->path);
		}
		return;
	}
	if (!n->symbols) {
		if (fd >= 0)
			close(fd);
		return;
	}
	introduce(n, index, fd);
	if (im->tries > 1)
		ask_again(n, index);
}

static bool has_symbols(enum tf_image_kind kind)
{
	return kind == TF_IMAGE_ELF || kind == TF_IMAGE_KERNEL ||
	       kind == TF_IMAGE_MODULE || kind == TF_IMAGE_VDSO;
}

/* The recording itself holds the names of its kernel. */
static bool is_own(const struct rec_names *n, const struct rec_image *im)
{
	return n->foreign && n->foreign->own &&
	       (im->kind == TF_IMAGE_KERNEL || im->kind == TF_IMAGE_MODULE);
}

void rec_names_frame(struct rec_names *n, uint32_t image, uint64_t address,
		     enum tf_frame_kind kind)
{
	const struct rec_image *im = &n->defs->images->items[image];

	if (!has_symbols(im->kind))
		return;
	if (kind == TF_FRAME_RETURN && address)
		address--; /* the call, not what follows it */
	if (is_own(n, im)) {
		n->defs->failed |= !rec_own_want(n->foreign->own, image,
						 address);
		return;
	}
	if (n->foreign && !im->introduced)
		return;
	if (!n->symbols || !im->introduced ||
	    rec_symbols_want(n->symbols, image, address, NULL) < 0)
		n->unasked++;
}

static void on_symbol(void *ctx, const struct rec_symbol *s)
{
	struct rec_names *n = ctx;
	struct tf_builder *b;
	uint32_t image, name, linkage;

	if (s->key >= n->defs->images->n ||
	    !rec_sink_reserve_wait(n->defs->sink))
		return;
	image = rec_defs_image(n->defs, s->key);
	name = rec_defs_string(n->defs, s->name.p, s->name.n);
	linkage = rec_defs_string(n->defs, s->linkage.p, s->linkage.n);
	b = rec_sink_rows(n->defs->sink, TF_TABLE_SYMBOL);
	tf_builder_set(b, TF_SYMBOL_IMAGE, image);
	tf_builder_set(b, TF_SYMBOL_START, s->start);
	tf_builder_set(b, TF_SYMBOL_SIZE, s->size ? s->size : 1);
	tf_builder_set(b, TF_SYMBOL_NAME, name);
	tf_builder_set(b, TF_SYMBOL_LINKAGE, linkage);
	if (!tf_builder_commit(b))
		n->defs->failed = true;
	n->named += s->name.n != 0;
}

static void on_build_id(void *ctx, uint32_t key, struct span build_id)
{
	(void)ctx, (void)key, (void)build_id; /* read before it was handed over*/
}

static void on_trouble(void *ctx, uint32_t key, const char *why)
{
	struct rec_names *n = ctx;
	const char *path = key < n->defs->images->n
				   ? n->defs->images->items[key].path
				   : "?";

	n->troubles++;
	log_verbose(n->log, "no names from '%s': %s", path, why);
}

static struct rec_symbols_events handlers(struct rec_names *n)
{
	return (struct rec_symbols_events){ on_symbol, on_build_id, on_trouble,
					    n };
}

static void ended(struct rec_names *n, const struct err *err)
{
	log_warn(n->log, "no more function names: %s", err->text);
	n->unasked += rec_symbols_unanswered(n->symbols);
	rec_symbols_free(n->symbols);
	n->symbols = NULL;
}

void rec_names_poll(struct rec_names *n)
{
	struct rec_symbols_events on = handlers(n);
	struct err err = { 0 };

	if (n->symbols && rec_symbols_poll(n->symbols, &on, &err) < 0)
		ended(n, &err);
}

int rec_names_wait(struct rec_names *n, uint64_t timeout_ns)
{
	struct rec_symbols_events on = handlers(n);
	struct err err = { 0 };
	int rc = 0;

	if (n->symbols)
		rc = rec_symbols_drain(n->symbols, &on, timeout_ns, &err);
	if (rc < 0)
		ended(n, &err);
	return rc == 1;
}

uint64_t rec_names_pending(const struct rec_names *n)
{
	return n->symbols ? rec_symbols_pending(n->symbols) : 0;
}

void rec_names_forget(struct rec_names *n)
{
	if (n->symbols)
		rec_symbols_forget(n->symbols);
}

uint64_t rec_names_unanswered(const struct rec_names *n)
{
	if (!n->symbols)
		return n->unasked;
	return n->unasked + rec_symbols_unanswered(n->symbols) +
	       rec_symbols_dropped(n->symbols);
}

uint64_t rec_names_finish(struct rec_names *n)
{
	n->unasked = rec_names_unanswered(n);
	rec_symbols_free(n->symbols);
	n->symbols = NULL;
	return n->unasked;
}

int rec_names_fd(const struct rec_names *n)
{
	return n->symbols ? rec_symbols_fd(n->symbols) : -1;
}

pid_t rec_names_pid(const struct rec_names *n)
{
	return n->symbols ? rec_symbols_pid(n->symbols) : 0;
}
