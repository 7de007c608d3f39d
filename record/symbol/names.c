#include "record/symbol/names.h"

#include "record/symbol/buildid.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The mapped file itself, which may be deleted, replaced or in another mount
 * namespace: by the mapping where the kernel lets us, else by its path there.*/
static int open_mapped(const struct rec_names *n, const struct rec_mm *mm,
		       const struct rec_mapping *map, const char *path)
{
	char name[PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%s/proc/%d/map_files/%llx-%llx", n->root,
		 (int)mm->pid, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || path[0] != '/')
		return fd;
	if (snprintf(name, sizeof(name), "%s/proc/%d/root%s", n->root,
		     (int)mm->pid, path) >= (int)sizeof(name))
		return -1;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0)
		return fd;
	/* The process is gone: what is at the path now is checked against the
	 * build-id before it names anything. */
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
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

void rec_names_image(struct rec_names *n, uint32_t index,
		     const struct rec_mm *mm, const struct rec_mapping *map)
{
	struct rec_image *im = &n->defs->images->items[index];
	int fd = -1;

	if (im->introduced)
		return;
	im->introduced = true;
	if (mm && im->kind == TF_IMAGE_ELF) {
		fd = open_mapped(n, mm, map, im->path);
		if (!im->build_id_size) {
			rec_build_id_read(im, fd);
			/* A mapping may have brought its row into the epoch
			 * without the build-id that its names go by. */
			im->epoch = 0;
		}
	}
	if (n->symbols)
		introduce(n, index, fd);
	else if (fd >= 0)
		close(fd);
}

static bool has_symbols(enum tf_image_kind kind)
{
	return kind == TF_IMAGE_ELF || kind == TF_IMAGE_KERNEL ||
	       kind == TF_IMAGE_MODULE || kind == TF_IMAGE_VDSO;
}

void rec_names_frame(struct rec_names *n, uint32_t image, uint64_t address,
		     enum tf_frame_kind kind)
{
	if (!has_symbols(n->defs->images->items[image].kind))
		return;
	if (kind == TF_FRAME_RETURN && address)
		address--; /* the call, not what follows it */
	if (!n->symbols ||
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

uint64_t rec_names_finish(struct rec_names *n)
{
	if (n->symbols)
		n->unasked += rec_symbols_unanswered(n->symbols) +
			      rec_symbols_dropped(n->symbols);
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
