/* What rec and its symbolizer say to each other: messages of one datagram, made
 * and parsed here only. Neither side trusts the other's. */
#ifndef RECORD_SYMBOL_WIRE_H
#define RECORD_SYMBOL_WIRE_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"
#include "record/symbol/symbols.h"

#include <stdint.h>

#define REC_WIRE_MAX_WANTS 2048        /* addresses of a message */
#define REC_WIRE_MAX_REQUEST (32u << 10)
#define REC_WIRE_BATCH (32u << 10)     /* answers are sent from this size on */
#define REC_WIRE_MAX_ANSWER (176u << 10) /* a batch and a row of two of the
					  * longest strings */

struct rec_want {
	uint64_t address;
	uint32_t key;
};

/* A request is an image, whose descriptor may travel with it, or addresses, or
 * to forget what was answered: functions are named again where they are asked
 * for again. */
enum rec_request_type {
	REC_REQUEST_IMAGE = 1,
	REC_REQUEST_WANTS = 2,
	REC_REQUEST_FORGET = 3,
};

struct rec_request_image {
	uint32_t key;
	uint8_t kind;
	struct span build_id;
	struct span path;
};

struct rec_request {
	enum rec_request_type type;
	union {
		struct rec_request_image image;
		struct span wants; /* see rec_wire_take_want() */
	};
};

void rec_wire_put_image(struct buf *out, const struct rec_symbol_image *image);
void rec_wire_put_wants(struct buf *out);
void rec_wire_put_want(struct buf *out, struct rec_want want);
void rec_wire_put_forget(struct buf *out);

int rec_wire_take_request(struct rec_request *out, struct span message,
			  struct err *err);
/* false: there are no more. */
bool rec_wire_take_want(struct span *wants, struct rec_want *out);

/* The key of a trouble that is the whole process'. */
#define REC_WIRE_NO_KEY UINT32_MAX

/* An answer message holds any number of these. */
enum rec_answer_type {
	REC_ANSWER_SYMBOL = 1,
	REC_ANSWER_BUILD_ID = 2,
	REC_ANSWER_TROUBLE = 3,
	REC_ANSWER_DONE = 4, /* so many addresses more were looked at */
};

struct rec_answer {
	enum rec_answer_type type;
	uint32_t key;
	union {
		struct rec_symbol symbol;
		struct span build_id;
		char why[256];
		struct {
			uint32_t done;
			uint32_t lost; /* nothing can be said of these */
		};
	};
};

/* Strings are cut to TF_MAX_STRING. */
void rec_wire_put_symbol(struct buf *out, const struct rec_symbol *symbol);
void rec_wire_put_build_id(struct buf *out, uint32_t key, struct span build_id);
void rec_wire_put_trouble(struct buf *out, uint32_t key, const char *why);
void rec_wire_put_done(struct buf *out, uint32_t done, uint32_t lost);

/* 1: the message is used up. Spans in *out point into it. */
int rec_wire_take_answer(struct rec_answer *out, struct span *message,
			 struct err *err);

#endif
