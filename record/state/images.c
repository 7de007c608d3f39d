#include "record/state/images.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_cstr(struct rec_images *im, enum tf_image_kind kind,
		    const char *path, struct err *err)
{
	struct rec_image what = { .kind = kind };
	uint32_t index;

	return rec_images_add(im, &what, span_of(path, strlen(path)), &index,
			      err);
}

int rec_images_init(struct rec_images *im, struct err *err)
{
	int rc;

	*im = (struct rec_images){ 0 };
	rc = add_cstr(im, TF_IMAGE_UNKNOWN, "", err);
	return rc ? rc : add_cstr(im, TF_IMAGE_SPECIAL, "[truncated]", err);
}

static void forget_frames(struct rec_image *im, unsigned shard)
{
	for (unsigned kind = 0; kind < REC_FRAME_KINDS; kind++)
		map64_fini(&im->frames[shard][kind]);
}

void rec_images_fini(struct rec_images *im)
{
	for (size_t i = 0; i < im->n; i++)
		for (unsigned k = 0; k < REC_SHARDS_MAX; k++)
			forget_frames(&im->items[i], k);
	free(im->items);
	intern_fini(&im->keys);
	intern_fini(&im->paths);
	*im = (struct rec_images){ 0 };
}

/* Two mappings show the same image when all that identifies it agrees. With a
 * build-id the inode does not matter: a copy of a file has the same names. */
static void put_key(struct buf *key, const struct rec_image *what,
		    struct span path)
{
	buf_u8(key, (uint8_t)what->kind);
	buf_varint(key, what->generation);
	buf_u8(key, what->build_id_size);
	buf_put(key, what->build_id, what->build_id_size);
	if (!what->build_id_size) {
		buf_u64(key, what->device);
		buf_u64(key, what->inode);
	}
	buf_put(key, path.p, path.n);
}

static int append(struct rec_images *im, const struct rec_image *what,
		  struct span path, struct err *err)
{
	struct rec_image *to;
	uint32_t id;

	if (!mem_grow(&im->items, &im->cap, im->n + 1, sizeof(*im->items)) ||
	    !intern_put(&im->paths, path.p, path.n, &id, NULL))
		return err_nomem(err);
	to = &im->items[im->n++];
	*to = *what;
	to->path = (const char *)intern_get(&im->paths, id).p;
	to->introduced = false;
	memset(to->row, 0, sizeof(to->row));
	memset(to->frames, 0, sizeof(to->frames));
	return 0;
}

int rec_images_add(struct rec_images *im, const struct rec_image *what,
		   struct span path, uint32_t *index, struct err *err)
{
	struct buf key;
	bool fresh = false;
	int rc = 0;

	buf_init(&key, 0);
	put_key(&key, what, path);
	if (buf_failed(&key) ||
	    !intern_put(&im->keys, key.p, key.n, index, &fresh))
		rc = err_nomem(err);
	else if (fresh)
		/* Were an earlier append lost, the indexes would disagree. */
		rc = *index == im->n ? append(im, what, path, err)
				     : err_nomem(err);
	else if (*index >= im->n)
		rc = err_nomem(err);
	buf_fini(&key);
	return rc;
}

enum tf_image_kind rec_image_kind(struct span path)
{
	if (span_begins(path, "[vdso]"))
		return TF_IMAGE_VDSO;
	/* What the kernel calls memory without a file, and files that only
	 * stand for memory. */
	if (!path.n || span_begins(path, "//anon") || span_begins(path, "[") ||
	    span_begins(path, "anon_inode:") || span_begins(path, "/dev/zero") ||
	    span_begins(path, "/SYSV"))
		return TF_IMAGE_ANON;
	return TF_IMAGE_ELF;
}

static bool is_kernel_path(struct span path)
{
	return span_begins(path, "[kernel.") || span_begins(path, "[kernel]") ||
	       span_begins(path, "[guest.kernel.") || span_begins(path, "/proc/kcore") ||
	       span_begins(span_base_name(path), "vmlinu");
}

/* "/lib/modules/…/snd-pcm.ko.xz" is "[snd_pcm]", as the kernel says it. */
static void module_name(struct span path, char name[REC_KERNEL_NAME])
{
	struct span base = span_base_name(path);
	const uint8_t *end = base.n ? memmem(base.p, base.n, ".ko", 3) : NULL;

	if (!end) {
		snprintf(name, REC_KERNEL_NAME, "%.*s", (int)path.n,
			 (const char *)path.p);
		return;
	}
	snprintf(name, REC_KERNEL_NAME, "[%.*s]", (int)(end - base.p),
		 (const char *)base.p);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
}

enum tf_image_kind rec_image_kernel_kind(struct span path,
					 char name[REC_KERNEL_NAME])
{
	if (path.n >= REC_KERNEL_NAME)
		path.n = REC_KERNEL_NAME - 1;
	if (is_kernel_path(path)) {
		snprintf(name, REC_KERNEL_NAME, "[kernel.kallsyms]");
		return TF_IMAGE_KERNEL;
	}
	module_name(path, name);
	return TF_IMAGE_MODULE;
}

size_t rec_images_size(const struct rec_images *im, unsigned shard)
{
	size_t size = 0;

	for (size_t i = 0; i < im->n; i++)
		for (unsigned kind = 0; kind < REC_FRAME_KINDS; kind++)
			size += map64_size(&im->items[i].frames[shard][kind]);
	return size;
}

void rec_images_new_epoch(struct rec_images *im, unsigned shard)
{
	for (size_t i = 0; i < im->n; i++)
		forget_frames(&im->items[i], shard);
}
