#include "record/symbol/wire.h"

#include "format/base/mem.h"
#include "format/layout.h"

#include <limits.h>
#include <string.h>

#define WANT_BYTES 12
#define MAX_BUILD_ID 64

void rec_wire_put_image(struct buf *out, const struct rec_symbol_image *image)
{
	size_t id_size = image->build_id ? image->build_id_size : 0;
	size_t path_size = image->path ? strnlen(image->path, PATH_MAX) : 0;

	if (id_size > MAX_BUILD_ID)
		id_size = MAX_BUILD_ID;
	buf_u8(out, REC_REQUEST_IMAGE);
	buf_u32(out, image->key);
	buf_u8(out, image->kind);
	buf_u8(out, (uint8_t)id_size);
	buf_put(out, image->build_id, id_size);
	buf_u16(out, (uint16_t)path_size);
	buf_put(out, image->path, path_size);
}

void rec_wire_put_wants(struct buf *out)
{
	buf_u8(out, REC_REQUEST_WANTS);
}

void rec_wire_put_want(struct buf *out, struct rec_want want)
{
	buf_u32(out, want.key);
	buf_u64(out, want.address);
}

void rec_wire_put_forget(struct buf *out)
{
	buf_u8(out, REC_REQUEST_FORGET);
}

static bool take_image(struct rec_request_image *out, struct span *in)
{
	uint8_t id_size;
	uint16_t path_size;

	return span_u32(in, &out->key) && span_u8(in, &out->kind) &&
	       span_u8(in, &id_size) && id_size <= MAX_BUILD_ID &&
	       span_take(in, id_size, &out->build_id) &&
	       span_u16(in, &path_size) && path_size <= PATH_MAX &&
	       span_take(in, path_size, &out->path) && !in->n;
}

int rec_wire_take_request(struct rec_request *out, struct span message,
			  struct err *err)
{
	uint8_t type = 0;
	bool good = false;

	if (span_u8(&message, &type) && type == REC_REQUEST_IMAGE) {
		good = take_image(&out->image, &message);
	} else if (type == REC_REQUEST_WANTS) {
		good = message.n % WANT_BYTES == 0;
		out->wants = message;
	} else if (type == REC_REQUEST_FORGET) {
		good = message.n == 0;
	}
	if (!good)
		return err_set(err, ERR_FORMAT, "bad request of type %u", type);
	out->type = (enum rec_request_type)type;
	return 0;
}

bool rec_wire_take_want(struct span *wants, struct rec_want *out)
{
	return span_u32(wants, &out->key) && span_u64(wants, &out->address);
}

static void put_string(struct buf *out, struct span s)
{
	uint32_t n = s.n < TF_MAX_STRING ? (uint32_t)s.n : TF_MAX_STRING;

	buf_u32(out, n);
	buf_put(out, s.p, n);
}

static bool take_string(struct span *in, struct span *out)
{
	uint32_t n;

	return span_u32(in, &n) && n <= TF_MAX_STRING && span_take(in, n, out);
}

static void put_head(struct buf *out, enum rec_answer_type type, uint32_t key)
{
	buf_u8(out, (uint8_t)type);
	buf_u32(out, key);
}

void rec_wire_put_symbol(struct buf *out, const struct rec_symbol *symbol)
{
	put_head(out, REC_ANSWER_SYMBOL, symbol->key);
	buf_u64(out, symbol->start);
	buf_u64(out, symbol->size);
	put_string(out, symbol->name);
	put_string(out, symbol->linkage);
}

void rec_wire_put_build_id(struct buf *out, uint32_t key, struct span build_id)
{
	put_head(out, REC_ANSWER_BUILD_ID, key);
	put_string(out, build_id);
}

void rec_wire_put_trouble(struct buf *out, uint32_t key, const char *why)
{
	put_head(out, REC_ANSWER_TROUBLE, key);
	put_string(out, span_of(why, strlen(why)));
}

void rec_wire_put_done(struct buf *out, uint32_t done, uint32_t lost)
{
	put_head(out, REC_ANSWER_DONE, REC_WIRE_NO_KEY);
	buf_u32(out, done);
	buf_u32(out, lost);
}

/* Size 0 and ends past 2^64 would break whoever keeps ranges. */
static bool take_symbol(struct rec_answer *out, struct span *in)
{
	struct rec_symbol *s = &out->symbol;
	uint64_t last;

	s->key = out->key;
	return span_u64(in, &s->start) && span_u64(in, &s->size) && s->size &&
	       !ckd_add(&last, s->start, s->size - 1) &&
	       take_string(in, &s->name) && take_string(in, &s->linkage);
}

/* It goes to a terminal: what is not plain text becomes '?'. */
static bool take_why(struct rec_answer *out, struct span *in)
{
	struct span text;
	size_t n;

	if (!take_string(in, &text))
		return false;
	n = text.n < sizeof(out->why) ? text.n : sizeof(out->why) - 1;
	for (size_t i = 0; i < n; i++)
		out->why[i] = text.p[i] < ' ' || text.p[i] > '~' ?
				      '?' : (char)text.p[i];
	out->why[n] = '\0';
	return true;
}

static bool take_body(struct rec_answer *out, uint8_t type, struct span *in)
{
	switch (type) {
	case REC_ANSWER_SYMBOL:
		return take_symbol(out, in);
	case REC_ANSWER_BUILD_ID:
		return take_string(in, &out->build_id) &&
		       out->build_id.n <= MAX_BUILD_ID;
	case REC_ANSWER_TROUBLE:
		return take_why(out, in);
	case REC_ANSWER_DONE:
		return span_u32(in, &out->done) && span_u32(in, &out->lost);
	}
	return false;
}

int rec_wire_take_answer(struct rec_answer *out, struct span *message,
			 struct err *err)
{
	uint8_t type;

	if (!message->n)
		return 1;
	if (!span_u8(message, &type) || !span_u32(message, &out->key) ||
	    !take_body(out, type, message))
		return err_set(err, ERR_FORMAT, "an answer makes no sense");
	out->type = (enum rec_answer_type)type;
	return 0;
}
