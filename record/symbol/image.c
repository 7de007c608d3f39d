#include "record/symbol/image.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "record/symbol/demangle.h"
#include "record/symbol/notes.h"
#include "record/symbol/vdso.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A module that came after the last reading costs another one: 30 ms. */
#define MAX_KALLSYMS_READS 100

enum state { UNREAD, READY, UNUSABLE };

struct rec_known_image {
	uint32_t key;
	uint8_t kind;
	enum state state;
	int fd, debug_fd;     /* until it is read; -1: none */
	struct span build_id; /* as rec knows it */
	const char *path;
	struct rec_symtab symtab; /* of ELF files */
	struct map64 said;    /* starts of functions that were answered */
};

struct found {
	const char *linkage; /* NULL: there is none, where `hit` says */
	struct rec_symtab_hit hit;
};

void rec_known_init(struct rec_known *s, const struct rec_known_files *files)
{
	*s = (struct rec_known){
		.files = *files,
		.loader = &rec_loader_elf,
		.nursery = REC_NO_NURSERY,
		.reads_left = MAX_KALLSYMS_READS,
	};
	buf_init(&s->name, 0);
}

static void close_files(struct rec_known_image *im)
{
	if (im->fd >= 0)
		close(im->fd);
	if (im->debug_fd >= 0)
		close(im->debug_fd);
	im->fd = -1;
	im->debug_fd = -1;
}

void rec_known_fini(struct rec_known *s)
{
	for (size_t i = 0; i < s->n; i++) {
		close_files(&s->items[i]);
		rec_symtab_fini(&s->items[i].symtab);
		map64_fini(&s->items[i].said);
	}
	free(s->items);
	rec_nursery_end(&s->nursery);
	map64_fini(&s->by_key);
	arena_fini(&s->strings);
	rec_kallsyms_fini(&s->kallsyms);
	buf_fini(&s->name);
	*s = (struct rec_known){ 0 };
}

void rec_known_forget(struct rec_known *s)
{
	for (size_t i = 0; i < s->n; i++)
		map64_fini(&s->items[i].said);
}

static bool keep_strings(struct rec_known *s, struct rec_known_image *im,
			 const struct rec_request_image *image)
{
	const char *id = arena_dup(&s->strings, image->build_id.p,
				   image->build_id.n);

	im->build_id = span_of(id, image->build_id.n);
	im->path = arena_dup(&s->strings, image->path.p, image->path.n);
	return id && im->path;
}

int rec_known_add(struct rec_known *s, const struct rec_request_image *image,
		  int fd, int debug_fd, struct err *err)
{
	struct rec_known_image im = {
		.key = image->key,
		.kind = image->kind,
		.fd = fd,
		.debug_fd = debug_fd,
	};
	bool is_new;

	if (!mem_grow(&s->items, &s->cap, s->n + 1, sizeof(*s->items)) ||
	    !keep_strings(s, &im, image) ||
	    !map64_put(&s->by_key, im.key, (uint32_t)s->n, &is_new)) {
		close_files(&im);
		return err_nomem(err);
	}
	if (is_new)
		s->items[s->n++] = im;
	else
		close_files(&im);
	return 0;
}

static void say_build_id(struct rec_known_image *im, struct span found,
			 struct buf *out)
{
	if (!im->build_id.n && found.n)
		rec_wire_put_build_id(out, im->key, found);
}

static int read_elf(struct rec_known *s, struct rec_known_image *im, int fd,
		    struct span bytes, struct buf *out, struct err *err)
{
	struct rec_elf_source source = { fd, im->debug_fd, bytes,
					 im->build_id };
	struct rec_elf elf;
	int rc = rec_loader_run(s->loader, &s->nursery, &elf, &source, err);

	if (rc < 0)
		return rc;
	say_build_id(im, span_of(elf.build_id, elf.build_id_size), out);
	im->symtab = elf.symtab;
	if (!im->symtab.n)
		return err_set(err, ERR_UNSUPPORTED, "it has no symbols");
	return 0;
}

static int load_file(struct rec_known *s, struct rec_known_image *im,
		     struct buf *out, struct err *err)
{
	struct stat st;

	if (im->fd < 0)
		return err_set(err, ERR_IO, "its file could not be opened");
	if (fstat(im->fd, &st) < 0)
		return err_sys(err, errno, "fstat");
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_UNSUPPORTED, "not a regular file");
	return read_elf(s, im, im->fd, (struct span){ 0 }, out, err);
}

static int load_vdso(struct rec_known *s, struct rec_known_image *im,
		     struct buf *out, struct err *err)
{
	struct span image = rec_vdso_image();

	if (!image.n)
		return err_set(err, ERR_UNSUPPORTED, "there is no vDSO");
	return read_elf(s, im, -1, image, out, err);
}

static bool find_in_file(struct rec_known *s, const struct rec_known_image *im,
			 uint64_t address, struct found *out)
{
	(void)s;
	if (!rec_symtab_find(&im->symtab, address, &out->hit))
		return false;
	out->linkage = rec_symtab_name(&im->symtab, out->hit.row);
	return true;
}

static int read_kallsyms(struct rec_known *s, struct err *err)
{
	if (s->files.kallsyms < 0)
		return err_set(err, ERR_IO, "kallsyms could not be opened");
	if (!s->reads_left)
		return err_set(err, ERR_LIMIT,
			       "kallsyms was read too many times");
	s->reads_left--;
	return rec_kallsyms_read(&s->kallsyms, s->files.kallsyms,
				 s->files.modules, err);
}

/* A recording of another kernel must not get this one's names. */
static int check_kernel(struct rec_known *s, struct rec_known_image *im,
			struct buf *out, struct err *err)
{
	uint8_t notes[4096];
	ssize_t n = s->files.notes < 0 ? 0 :
		    pread(s->files.notes, notes, sizeof(notes), 0);
	struct span id = rec_notes_build_id(
		span_of(notes, n > 0 ? (size_t)n : 0));

	say_build_id(im, id, out);
	if (im->build_id.n && id.n &&
	    (id.n != im->build_id.n || memcmp(id.p, im->build_id.p, id.n) != 0))
		return err_set(err, ERR_FORMAT,
			       "build-id differs: another kernel runs here");
	return 0;
}

static int load_kernel(struct rec_known *s, struct rec_known_image *im,
		       struct buf *out, struct err *err)
{
	int rc = check_kernel(s, im, out, err);

	if (rc < 0 || s->kallsyms.symtab.n)
		return rc;
	return read_kallsyms(s, err);
}

static bool find_in_kernel(struct rec_known *s,
			   const struct rec_known_image *im,
			   uint64_t address, struct found *out)
{
	(void)im;
	if (!rec_kallsyms_find(&s->kallsyms, address, &out->hit))
		return false;
	out->linkage = rec_symtab_name(&s->kallsyms.symtab, out->hit.row);
	return true;
}

static int load_module(struct rec_known *s, struct rec_known_image *im,
		       struct buf *out, struct err *err)
{
	int rc = 0;

	(void)out;
	if (!rec_kallsyms_module(&s->kallsyms, im->path))
		rc = read_kallsyms(s, err);
	if (!rc && !rec_kallsyms_module(&s->kallsyms, im->path))
		return err_set(err, ERR_UNSUPPORTED,
			       "the kernel has no such module any more");
	return rc;
}

static bool find_in_module(struct rec_known *s,
			   const struct rec_known_image *im,
			   uint64_t address, struct found *out)
{
	const struct rec_kallsyms_module *m =
		rec_kallsyms_module(&s->kallsyms, im->path);

	if (!m || !rec_kallsyms_find_in(&s->kallsyms, m, address, &out->hit))
		return false;
	out->linkage = rec_symtab_name(&s->kallsyms.symtab, out->hit.row);
	return true;
}

/* How the images of a kind get their names. */
static const struct kind {
	int (*load)(struct rec_known *s, struct rec_known_image *im, struct buf *out,
		    struct err *err);
	bool (*find)(struct rec_known *s, const struct rec_known_image *im,
		     uint64_t address, struct found *out);
} kinds[] = {
	[TF_IMAGE_ELF] = { load_file, find_in_file },
	[TF_IMAGE_KERNEL] = { load_kernel, find_in_kernel },
	[TF_IMAGE_MODULE] = { load_module, find_in_module },
	[TF_IMAGE_VDSO] = { load_vdso, find_in_file },
};

static const struct kind *kind_of(const struct rec_known_image *im)
{
	if (im->kind >= ARRAY_LEN(kinds) || !kinds[im->kind].load)
		return NULL;
	return &kinds[im->kind];
}

/* An image without names still has answers: that there are none. */
static void load(struct rec_known *s, struct rec_known_image *im,
		 struct buf *out)
{
	const struct kind *kind = kind_of(im);
	struct err why = { 0 };

	im->state = READY;
	if (kind && kind->load(s, im, out, &why) < 0) {
		rec_wire_put_trouble(out, im->key, why.text);
		im->state = UNUSABLE;
	} else if (!kind) {
		im->state = UNUSABLE;
	}
	close_files(im);
}

/* The address alone, or all that is known to have no function around it. */
static void say_unknown(struct buf *out, uint32_t key,
			const struct rec_symtab_hit *where)
{
	rec_wire_put_symbol(out, &(struct rec_symbol){
		.key = key,
		.start = where->start,
		.size = where->size,
	});
}

static void say_function(struct rec_known *s, const struct rec_known_image *im,
			 const struct found *found, struct buf *out)
{
	struct rec_symbol symbol = {
		.key = im->key,
		.start = found->hit.start,
		.size = found->hit.size,
		.name = span_of(found->linkage, strlen(found->linkage)),
	};

	if (rec_demangle(&s->name, found->linkage)) {
		symbol.linkage = symbol.name;
		symbol.name = span_of(s->name.p, s->name.n);
	}
	rec_wire_put_symbol(out, &symbol);
}

static int answer(struct rec_known *s, struct rec_known_image *im,
		  struct rec_want want, struct buf *out, struct err *err)
{
	struct found found = { .hit = { .start = want.address, .size = 1 } };
	bool is_new;

	if (im->state == UNUSABLE) {
		say_unknown(out, im->key, &found.hit);
		return 0;
	}
	/* Programs without frame pointers leave words anywhere: each would have
	 * a row of its own. */
	(void)kind_of(im)->find(s, im, want.address, &found);
	if (!map64_put(&im->said, found.hit.start, 0, &is_new))
		return err_nomem(err);
	if (is_new && found.linkage)
		say_function(s, im, &found, out);
	else if (is_new)
		say_unknown(out, im->key, &found.hit);
	return 0;
}

int rec_known_ask(struct rec_known *s, struct rec_want want, struct buf *out,
		   struct err *err)
{
	uint32_t at;
	int rc;

	if (!map64_get(&s->by_key, want.key, &at))
		return err_set(err, ERR_USAGE, "an address in an image that "
			       "nobody spoke of");
	if (s->items[at].state == UNREAD)
		load(s, &s->items[at], out);
	rc = answer(s, &s->items[at], want, out, err);
	if (!rc && buf_failed(out))
		return err_nomem(err);
	return rc;
}
