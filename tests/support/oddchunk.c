#include "tests/support/oddchunk.h"

#include "format/base/crc32c.h"
#include "format/base/varint.h"
#include "format/head.h"
#include "format/layout.h"

#define TEXT(s) s, sizeof(s) - 1

/* Table 300 "x:y", an event: time (u64, ns, time), v (u64, value). */
#define HEAD_300 "\xac\x02\x03x:y\x02"
#define COLUMN_TIME "\x0e\x00\x04time\x01\x00\x02ns\x00\x01\x01"
#define SCHEMA_300                                                             \
	"\x21" HEAD_300 "\x02" COLUMN_TIME                                     \
	"\x09\x01\x01v\x01\x00\x00\x00\x00\x01"

/* Of it 2 rows from 0 on, times 1000 to 1010. */
#define PART_300 "\xac\x02\x02\x00\x01\xe8\x07\x0a"
/* Its times: one stream of 2 bytes; DELTA, base 1000, 1 plane. */
#define TIMES "\x08\x00\x01\x02\x00\x03\xe8\x07\x01"
#define TIMES_BODY "\x00\x14"
/* v: one stream of 2 bytes; PLANES, 1 plane. */
#define VALUES "\x06\x01\x01\x02\x00\x00\x01"
#define VALUES_BODY "\x05\x06"

#define SCHEMA(s)                                                              \
	{ TF_CHUNK_SCHEMA, TF_CHUNK_PACKED, 0, "", 0, TEXT(s), 0 }
#define DATA(directory, body)                                                  \
	{ TF_CHUNK_DATA, TF_CHUNK_PACKED, 1, TEXT(directory), TEXT(body), 0 }
#define END { 0, 0, 0, "", 0, "", 0, 0 }

const struct oddchunk oddchunk_end = { TF_CHUNK_END, 0, 0, "", 0, "", 0, 0 };

/* All of it is known: what the others are measured by. */
const struct oddchunk oddchunks_nothing[] = {
	SCHEMA(SCHEMA_300),
	DATA("\x19" PART_300 "\x02" TIMES VALUES, TIMES_BODY VALUES_BODY),
	END,
};

const struct oddchunk oddchunks_table[] = {
	DATA("\x19" PART_300 "\x02" TIMES VALUES, TIMES_BODY VALUES_BODY),
	END,
};

/* Column 2 is not in the schema. */
const struct oddchunk oddchunks_column[] = {
	SCHEMA(SCHEMA_300),
	DATA("\x20" PART_300 "\x03" TIMES VALUES
	     "\x06\x02\x01\x02\x00\x00\x01",
	     TIMES_BODY VALUES_BODY "\x07\x08"),
	END,
};

/* v is of type 9, and what is in it has its own ways. */
const struct oddchunk oddchunks_type[] = {
	SCHEMA("\x21" HEAD_300 "\x02" COLUMN_TIME
	       "\x09\x01\x01v\x09\x00\x00\x00\x00\x01"),
	DATA("\x19" PART_300 "\x02" TIMES "\x06\x01\x01\x02\x00\x01\x02",
	     TIMES_BODY VALUES_BODY),
	END,
};

/* v is of encoding 42, which has parameters of 3 bytes. */
const struct oddchunk oddchunks_encoding[] = {
	SCHEMA(SCHEMA_300),
	DATA("\x1b" PART_300 "\x02" TIMES "\x08\x01\x01\x02\x00\x2a\x01\x02\x03",
	     TIMES_BODY VALUES_BODY),
	END,
};

/* time is KDELTA by v, which is of encoding 42. */
const struct oddchunk oddchunks_key[] = {
	SCHEMA(SCHEMA_300),
	DATA("\x1d" PART_300 "\x02"
	     "\x0b\x00\x02\x02\x02\x00\x04\x01\x01\xe8\x07\x01"
	     "\x07\x01\x01\x02\x00\x2a\x01\x02",
	     "\x00\x14" "\x00\x00" VALUES_BODY),
	END,
};

/* Not packed; the stream of v is of codec 7: 2 bytes, stored as 3. The
 * checksums are CRC-32C of 00 14 and of "abc". */
const struct oddchunk oddchunks_codec[] = {
	SCHEMA(SCHEMA_300),
	{ TF_CHUNK_DATA, 0, 1,
	  TEXT("\x25" PART_300 "\x02"
	       "\x0e\x00\x01\x00\x02\x02\xa2\x27\xa5\x26\x00\x03\xe8\x07\x01"
	       "\x0c\x01\x01\x07\x02\x03\xb7\x3f\x4b\x36\x00\x00\x01"),
	  TEXT(TIMES_BODY "abc"), 0 },
	END,
};

/* The packed body is of codec 7, whatever that is. */
const struct oddchunk oddchunks_body_codec[] = {
	SCHEMA(SCHEMA_300),
	{ TF_CHUNK_DATA, TF_CHUNK_PACKED, 1,
	  TEXT("\x19" PART_300 "\x02" TIMES VALUES),
	  TEXT(TIMES_BODY VALUES_BODY), 7 },
	END,
};

/* Kind 9; v has role 77 and privacy 99; further fields behind those known. */
const struct oddchunk oddchunks_schema_fields[] = {
	SCHEMA("\x29\xac\x02\x03x:y\x09\x02" COLUMN_TIME
	       "\x0f\x01\x01v\x01\x00\x00\x00\x4d\x63\x00\x00\x00\xaa\xbb\xcc"
	       "\xdd\xee"),
	DATA("\x19" PART_300 "\x02" TIMES VALUES, TIMES_BODY VALUES_BODY),
	END,
};

const struct oddchunk oddchunks_chunk[] = {
	{ 9, 0, 0, TEXT("directory"), TEXT("of another kind"), 0 },
	SCHEMA(SCHEMA_300),
	DATA("\x19" PART_300 "\x02" TIMES VALUES, TIMES_BODY VALUES_BODY),
	END,
};

#define CRITICAL                                                               \
	{ 9, TF_CHUNK_CRITICAL, 0, TEXT("directory"), TEXT("of another kind"), \
	  0 }

const struct oddchunk oddchunks_critical[] = {
	CRITICAL,
	END,
};

/* Strings are numbers. */
#define SCHEMA_WRONG                                                           \
	"\x18\x01\x06string\x01\x01"                                           \
	"\x0d\x00\x05" "bytes\x01\x00\x00\x00\x00\x01"

const struct oddchunk oddchunks_critical_first[] = {
	CRITICAL,
	SCHEMA(SCHEMA_WRONG),
	END,
};

const struct oddchunk oddchunks_schema_first[] = {
	SCHEMA(SCHEMA_WRONG),
	CRITICAL,
	END,
};

void oddchunk_put(struct buf *to, const struct oddchunk *c, uint64_t seq)
{
	struct tf_head h = { .type = c->type, .flags = c->flags,
			     .offset = to->n, .seq = seq, .parts = c->parts,
			     .body_size = (uint32_t)c->n_body };
	uint8_t head[TF_CHUNK_HEADER_SIZE];
	struct buf d = { 0 };

	if (c->flags & TF_CHUNK_PACKED) {
		buf_u8(&d, c->codec);
		buf_varint(&d, c->n_body);
		buf_u32(&d, crc32c(0, c->body, c->n_body));
	}
	buf_put(&d, c->directory, c->n_directory);
	h.dir_size = (uint32_t)d.n;
	h.dir_crc = crc32c(0, d.p, d.n);
	h.t_min = c->parts ? 1000 : 0;
	h.t_max = c->parts ? 1010 : 0;
	tf_head_put(head, &h, to->p + 32);
	buf_put(to, head, sizeof(head));
	buf_put(to, d.p, d.n);
	buf_put(to, c->body, c->n_body);
	buf_zero(to, (8 - (d.n + c->n_body) % 8) % 8);
	if (buf_failed(&d))
		to->failed = true;
	buf_fini(&d);
}
