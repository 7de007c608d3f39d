#include "format/head.h"

#include "format/base/crc32c.h"

#include <inttypes.h>
#include <string.h>

static void put16(uint8_t *to, uint16_t v)
{
	to[0] = (uint8_t)v;
	to[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *to, uint32_t v)
{
	put16(to, (uint16_t)v);
	put16(to + 2, (uint16_t)(v >> 16));
}

static void put64(uint8_t *to, uint64_t v)
{
	put32(to, (uint32_t)v);
	put32(to + 4, (uint32_t)(v >> 32));
}

void tf_file_header_put(uint8_t to[TF_FILE_HEADER_SIZE],
			const struct tf_file_header *h)
{
	memset(to, 0, TF_FILE_HEADER_SIZE);
	memcpy(to, TF_MAGIC, TF_MAGIC_SIZE);
	put16(to + 8, h->major);
	put16(to + 10, h->minor);
	put32(to + 12, TF_FILE_HEADER_SIZE);
	put64(to + 16, h->incompatible);
	put64(to + 24, h->compatible);
	memcpy(to + 32, h->file_id, TF_FILE_ID_SIZE);
	put64(to + 48, h->start_unix_ns);
	put32(to + 60, crc32c(0, to, 60));
}

static int check_version(const struct tf_file_header *h, struct err *err)
{
	if (h->major > TF_MAJOR)
		return err_set(err, ERR_NEWER,
			       "format version %u.%u, this reader knows %d.%d",
			       h->major, h->minor, TF_MAJOR, TF_MINOR);
	if (h->incompatible & ~(uint64_t)TF_INCOMPAT_KNOWN)
		return err_set(err, ERR_NEWER,
			       "format version %u.%u with features %#" PRIx64
			       " that this reader of %d.%d does not know",
			       h->major, h->minor, h->incompatible, TF_MAJOR,
			       TF_MINOR);
	return 0;
}

int tf_file_header_take(struct tf_file_header *out, uint32_t *size,
			struct span in, struct err *err)
{
	struct span all = in, magic, id;
	struct tf_file_header h;
	uint32_t n, zero, crc;
	int rc;

	if (!in.n)
		return err_set(err, ERR_FORMAT, "the file is empty");
	if (!span_take(&in, TF_MAGIC_SIZE, &magic) ||
	    memcmp(magic.p, TF_MAGIC, TF_MAGIC_SIZE) != 0)
		return err_set(err, ERR_FORMAT, "not a coltrace file");
	if (!span_u16(&in, &h.major) || !span_u16(&in, &h.minor) ||
	    !span_u32(&in, &n) || !span_u64(&in, &h.incompatible) ||
	    !span_u64(&in, &h.compatible) ||
	    !span_take(&in, TF_FILE_ID_SIZE, &id) ||
	    !span_u64(&in, &h.start_unix_ns) || !span_u32(&in, &zero) ||
	    !span_u32(&in, &crc))
		return err_set(err, ERR_FORMAT, "file header cut short");
	if (crc != crc32c(0, all.p, 60))
		return err_set(err, ERR_FORMAT,
			       "file header: checksum differs");
	memcpy(h.file_id, id.p, TF_FILE_ID_SIZE);
	rc = check_version(&h, err);
	if (rc)
		return rc;
	if (n < TF_FILE_HEADER_SIZE || n > TF_MAX_FILE_HEADER ||
	    n % TF_ALIGN || zero)
		return err_set(err, ERR_FORMAT, "file header: length %" PRIu32
			       ", reserved bytes %#" PRIx32, n, zero);
	*out = h;
	*size = n;
	return 0;
}

void tf_head_put(uint8_t to[TF_CHUNK_HEADER_SIZE], const struct tf_head *h,
		 const uint8_t file_id[TF_FILE_ID_SIZE])
{
	memset(to, 0, TF_CHUNK_HEADER_SIZE);
	memcpy(to, TF_SYNC, TF_SYNC_SIZE);
	put16(to + 4, h->type);
	put16(to + 6, h->flags);
	put64(to + 8, h->offset);
	put64(to + 16, h->seq);
	memcpy(to + 24, file_id, 4);
	put32(to + 28, h->epoch);
	put64(to + 32, h->t_min);
	put64(to + 40, h->t_max);
	put32(to + 48, h->parts);
	put32(to + 52, h->dir_size);
	put32(to + 56, h->body_size);
	put32(to + 60, h->dir_crc);
	put64(to + 64, h->aux);
	put32(to + 76, crc32c(0, to, 76));
}

/* What a sound checksum does not promise. */
static const char *check_fields(const struct tf_head *h, uint32_t zero)
{
	bool known = h->type == TF_CHUNK_SCHEMA || h->type == TF_CHUNK_DATA ||
		     h->type == TF_CHUNK_INDEX;

	if (h->flags & ~TF_CHUNK_FLAGS_KNOWN)
		return "chunk header has unknown flags";
	if (zero || (known && h->aux))
		return "chunk header has reserved bytes that are not zero";
	if (h->parts > TF_MAX_PARTS || h->dir_size > TF_MAX_DIRECTORY ||
	    h->body_size > TF_MAX_BODY)
		return "chunk header is over a limit";
	if (h->t_min > h->t_max)
		return "chunk header has its times in the wrong order";
	return NULL;
}

const char *tf_head_take(struct tf_head *out, struct span in, uint64_t at,
			 const uint8_t file_id[TF_FILE_ID_SIZE])
{
	struct span all = in, sync, id;
	struct tf_head h;
	uint32_t zero, crc;
	const char *why;

	if (!span_take(&in, TF_SYNC_SIZE, &sync) || !span_u16(&in, &h.type) ||
	    !span_u16(&in, &h.flags) || !span_u64(&in, &h.offset) ||
	    !span_u64(&in, &h.seq) || !span_take(&in, 4, &id) ||
	    !span_u32(&in, &h.epoch) || !span_u64(&in, &h.t_min) ||
	    !span_u64(&in, &h.t_max) || !span_u32(&in, &h.parts) ||
	    !span_u32(&in, &h.dir_size) || !span_u32(&in, &h.body_size) ||
	    !span_u32(&in, &h.dir_crc) || !span_u64(&in, &h.aux) ||
	    !span_u32(&in, &zero) || !span_u32(&in, &crc))
		return "chunk header cut short";
	if (memcmp(sync.p, TF_SYNC, TF_SYNC_SIZE) != 0)
		return "no chunk header here";
	if (crc != crc32c(0, all.p, 76))
		return "chunk header: checksum differs";
	if (memcmp(id.p, file_id, 4) != 0)
		return "chunk header of another file";
	if (h.offset != at)
		return "chunk header of another offset";
	why = check_fields(&h, zero);
	if (!why)
		*out = h;
	return why;
}

bool tf_head_begins(struct span in, uint64_t at,
		    const uint8_t file_id[TF_FILE_ID_SIZE])
{
	uint8_t want[28] = TF_SYNC;

	put64(want + 8, at);
	memcpy(want + 24, file_id, 4);
	for (size_t i = 0; i < in.n && i < sizeof(want); i++) {
		bool fixed = i < 4 || (i >= 8 && i < 16) || i >= 24;

		if (fixed && in.p[i] != want[i])
			return false;
	}
	return true;
}

uint64_t tf_head_size(const struct tf_head *h)
{
	uint64_t n = (uint64_t)h->dir_size + h->body_size;

	return TF_CHUNK_HEADER_SIZE +
	       (n + TF_ALIGN - 1) / TF_ALIGN * TF_ALIGN;
}

struct tf_chunk_info tf_head_info(const struct tf_head *h)
{
	return (struct tf_chunk_info){
		.offset = h->offset,
		.size = tf_head_size(h),
		.seq = h->seq,
		.epoch = h->epoch,
		.type = h->type,
		.flags = h->flags,
		.parts = h->parts,
		.t_min = h->t_min,
		.t_max = h->t_max,
		.tables = UINT64_MAX,
	};
}
