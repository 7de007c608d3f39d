#include "record/state/kernel.h"

#include "format/base/mem.h"
#include "record/proc/procfs.h"
#include "record/symbol/buildid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel, its text and data, is mapped into at most this much behind _text
 * (x86: KERNEL_IMAGE_SIZE, 1 GiB; Documentation/arch/x86/x86_64/mm.rst). */
#define KERNEL_SPAN ((uint64_t)1 << 30)

/* kallsyms is sorted by address and the kernel's percpu symbols come first;
 * _text follows within a few hundred lines. */
#define KALLSYMS_HEAD ((size_t)256 * 1024)

static uint64_t find_text(struct span text)
{
	struct span line, address, type, name;
	uint64_t value;

	while (rec_line(&text, &line))
		if (rec_word(&line, &address) && rec_word(&line, &type) &&
		    rec_word(&line, &name) && span_is(name, "_text") &&
		    rec_number(address, 16, &value))
			return value;
	return 0;
}

static void read_text(struct rec_kernel *k, const char *root)
{
	char path[PATH_MAX];
	struct buf b;
	ssize_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* no kallsyms: nothing to name the kernel by */
	buf_init(&b, KALLSYMS_HEAD);
	/* A step at a time: the kernel makes the text as it is read. */
	while (n > 0 && !k->text) {
		uint8_t *at = buf_room(&b, 16 * 1024);

		n = at ? read(fd, at, 16 * 1024) : 0;
		if (n > 0)
			b.n += (size_t)n;
		k->text = find_text(span_of(b.p, b.n));
	}
	close(fd);
	buf_fini(&b);
}

static void read_notes(struct rec_image *image, const char *root,
		       const char *path)
{
	struct buf b;

	buf_init(&b, (size_t)1 << 20);
	if (rec_procfs_read(&b, NULL, root, "%s", path) == 0)
		rec_build_id_notes(image, span_of(b.p, b.n));
	buf_fini(&b);
}

static int add_kernel(struct rec_kernel *k, struct rec_images *images,
		      const char *root, struct err *err)
{
	static const char name[] = "[kernel.kallsyms]";
	struct rec_image image = { .kind = TF_IMAGE_KERNEL };

	read_notes(&image, root, "/sys/kernel/notes");
	return rec_images_add(images, &image, span_of(name, sizeof(name) - 1),
			      &k->image, err);
}

static bool is_within(const struct rec_kernel_area *a,
		      const struct rec_kernel_area *of)
{
	return of->start <= a->start && a->end <= of->end;
}

/* The new area takes the place of those that lie within it, so that programs
 * that come and go do not add up. */
static int add_area(struct rec_kernel *k, const struct rec_kernel_area *a,
		    struct err *err)
{
	size_t kept = 0;

	if (!mem_grow(&k->areas, &k->cap, k->n + 1, sizeof(*k->areas)))
		return err_nomem(err);
	for (size_t i = 0; i < k->n; i++)
		if (!is_within(&k->areas[i], a))
			k->areas[kept++] = k->areas[i];
	k->areas[kept] = *a;
	k->n = kept + 1;
	k->serial = 0;
	return 0;
}

static int add_module(struct rec_kernel *k, struct rec_images *images,
		      const char *root, struct span line, struct err *err)
{
	struct rec_image image = { .kind = TF_IMAGE_MODULE };
	struct rec_kernel_area area;
	struct span name, word;
	char path[PATH_MAX];
	uint64_t size = 0;
	int n, rc;

	if (!rec_word(&line, &name) || !rec_word(&line, &word) ||
	    !rec_number(word, 10, &size))
		return 0;
	for (int i = 0; i < 4; i++) /* users, their names, state, address */
		if (!rec_word(&line, &word))
			return 0;
	if (!rec_number(word, 16, &area.start) || !area.start ||
	    ckd_add(&area.end, area.start, size))
		return 0;
	snprintf(path, sizeof(path), "/sys/module/%.*s/notes/.note.gnu.build-id",
		 (int)name.n, (const char *)name.p);
	read_notes(&image, root, path);
	n = snprintf(path, sizeof(path), "[%.*s]", (int)name.n,
		     (const char *)name.p);
	rc = rec_images_add(images, &image, span_of(path, (size_t)n),
			    &area.image, err);
	return rc ? rc : add_area(k, &area, err);
}

static int read_modules(struct rec_kernel *k, struct rec_images *images,
			const char *root, struct err *err)
{
	struct span text, line;
	struct buf b;
	int rc = 0;

	buf_init(&b, (size_t)4 << 20);
	if (rec_procfs_read(&b, NULL, root, "/proc/modules") == 0) {
		text = span_of(b.p, b.n);
		while (rc == 0 && rec_line(&text, &line))
			rc = add_module(k, images, root, line, err);
	}
	buf_fini(&b);
	return rc;
}

int rec_kernel_init(struct rec_kernel *k, struct rec_images *images,
		    const char *root, struct err *err)
{
	int rc;

	*k = (struct rec_kernel){ 0 };
	read_text(k, root);
	rc = add_kernel(k, images, root, err);
	return rc ? rc : read_modules(k, images, root, err);
}

void rec_kernel_fini(struct rec_kernel *k)
{
	free(k->areas);
	*k = (struct rec_kernel){ 0 };
}

static struct span text_of(const char *s)
{
	return span_of(s, strlen(s));
}

static struct rec_image image_of(const struct rec_mmap *m,
				 enum tf_image_kind kind)
{
	struct rec_image image = { .kind = kind,
				   .build_id_size = m->build_id_size };

	memcpy(image.build_id, m->build_id, sizeof(image.build_id));
	return image;
}

/* Without the address of _text (kptr_restrict, perf before 2.6.34) the mapping
 * begins with it. */
static void map_text(struct rec_kernel *k, const struct rec_mmap *m)
{
	k->start = m->start;
	k->end = ckd_add(&k->end, m->start, m->size) ? UINT64_MAX : k->end;
	k->text = m->offset ? m->offset : m->start;
	k->serial = 0;
}

int rec_kernel_map(struct rec_kernel *k, struct rec_images *images,
		   const struct rec_mmap *m, const struct rec_build_ids *ids,
		   struct err *err)
{
	struct rec_kernel_area area = { .start = m->start };
	char name[REC_KERNEL_NAME];
	struct rec_image image =
		image_of(m, rec_image_kernel_kind(m->path, name));
	int rc;

	rec_build_ids_fill(ids, text_of(name), &image);
	if (image.kind == TF_IMAGE_KERNEL) {
		map_text(k, m);
		return rec_images_add(images, &image, text_of(name), &k->image,
				      err);
	}
	if (ckd_add(&area.end, m->start, m->size))
		return 0;
	rc = rec_images_add(images, &image, text_of(name), &area.image, err);
	return rc ? rc : add_area(k, &area, err);
}

int rec_kernel_identify(struct rec_kernel *k, struct rec_images *images,
			const struct rec_build_ids *ids, struct err *err)
{
	struct rec_image image = { .kind = TF_IMAGE_KERNEL };
	struct span name = text_of(images->items[k->image].path);

	rec_build_ids_fill(ids, name, &image);
	k->serial = 0;
	return rec_images_add(images, &image, name, &k->image, err);
}

int rec_kernel_ksymbol(struct rec_kernel *k, struct rec_images *images,
		       const struct rec_ksymbol *s, struct err *err)
{
	struct rec_image image = { .kind = TF_IMAGE_BPF };
	struct rec_kernel_area area = { .start = s->address };
	int rc;

	if ((s->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) ||
	    ckd_add(&area.end, s->address, (uint64_t)s->size))
		return 0; /* samples of it may still come: it stays known */
	image.generation = s->address;
	rc = rec_images_add(images, &image, s->name, &area.image, err);
	return rc ? rc : add_area(k, &area, err);
}

/* A recording tells where the kernel's text ends. What runs at boot only lies
 * behind that, before the first module, and is at the root of idle stacks. */
static bool is_behind_text(const struct rec_kernel *k, uint64_t start,
			   uint64_t ip)
{
	for (size_t i = 0; i < k->n && k->end; i++)
		if (k->areas[i].start >= k->end && k->areas[i].start <= ip)
			return false;
	return ip - start < KERNEL_SPAN;
}

/* The number of the newest area that `ip` is in; k->n: none. */
static size_t number_of(const struct rec_kernel *k, uint64_t ip)
{
	for (size_t i = k->n; i-- > 0;)
		if (k->areas[i].start <= ip && ip < k->areas[i].end)
			return i;
	return k->n;
}

uint32_t rec_kernel_find(const struct rec_kernel *k, uint64_t ip,
			 uint64_t *address)
{
	size_t i = number_of(k, ip);
	uint64_t start;

	if (i < k->n) {
		*address = ip - k->areas[i].start;
		return k->areas[i].image;
	}
	start = k->end ? k->start : k->text;
	if ((k->end || k->text) && ip >= start &&
	    (ip < k->end || is_behind_text(k, start, ip))) {
		*address = ip - k->text;
		return k->image;
	}
	*address = ip;
	return REC_IMAGE_UNKNOWN;
}

/* What the newest area around `ip` leaves of [*start, *end): those from number
 * `later` on count for more. */
static void cut_by_later(const struct rec_kernel *k, size_t later, uint64_t ip,
			 uint64_t *start, uint64_t *end)
{
	for (size_t i = later; i < k->n; i++) {
		const struct rec_kernel_area *a = &k->areas[i];

		if (a->end <= ip && a->end > *start)
			*start = a->end;
		if (a->start > ip && a->start < *end)
			*end = a->start;
	}
}

struct rec_area rec_kernel_area(const struct rec_kernel *k, uint64_t ip)
{
	struct rec_area area = { .start = ip };
	size_t i = number_of(k, ip);
	uint64_t address, start, end;

	area.image = rec_kernel_find(k, ip, &address);
	area.add = address - ip;
	if (i < k->n) {
		start = k->areas[i].start;
		end = k->areas[i].end;
		cut_by_later(k, i + 1, ip, &start, &end);
	} else {
		start = k->end ? k->start : k->text;
		end = k->end ? k->end : start + KERNEL_SPAN;
		/* Nothing, or what runs at boot only. */
		if (!start || ip < start || ip >= end)
			return area;
		cut_by_later(k, 0, ip, &start, &end);
	}
	area.start = start;
	area.size = end - start;
	return area;
}
