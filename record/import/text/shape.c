#include "record/import/text/shape.h"

#include "format/base/mem.h"
#include "record/import/text/scan.h"

#define HEAD 8u /* struct trace_entry */

/* Offsets of a record's dynamic fields have 16 bits. */
#define RECORD_MAX 65535u

static bool signed_decimal(struct span s, int64_t *out)
{
	bool minus = s.n && s.p[0] == '-';
	uint64_t v;

	if (!rec_text_decimal(rec_text_from(s, minus), &v))
		return false;
	/* What is greater keeps its bits. */
	*out = (int64_t)(minus ? 0 - v : v);
	return true;
}

/* "0x1f"; as %p prints it, "(nil)", "00000000245c3f0c"; %08x. Decimal digits
 * alone are such a number only where a zero leads. */
static bool looks_hex(struct span s)
{
	bool letters = false;

	if (span_is(s, "(nil)") || span_is(s, "(null)"))
		return true;
	if (span_begins(s, "0x") || span_begins(s, "0X"))
		return s.n > 2;
	if (s.n != 8 && s.n != 16)
		return false;
	for (size_t i = 0; i < s.n; i++)
		letters |= !rec_text_digit(s.p[i]);
	return letters || s.p[0] == '0';
}

static bool hex(struct span s, int64_t *out)
{
	uint64_t v = 0;

	if (span_is(s, "(nil)") || span_is(s, "(null)")) {
		*out = 0;
		return true;
	}
	if (span_begins(s, "0x") || span_begins(s, "0X"))
		s = rec_text_from(s, 2);
	if (!rec_text_hex(s, &v))
		return false;
	*out = (int64_t)v;
	return true;
}

/* The letters by which the kernel prints the state that a thread is left in;
 * "+" is that it was preempted. Those that only older kernels have (K, W, N)
 * have no bit any more, and go with another one. */
static bool state(struct span s, int64_t *out)
{
	static const struct { uint8_t letter; uint16_t bit; } bits[] = {
		{ 'R', 0 }, { 'S', 1 }, { 'D', 2 }, { 'T', 4 }, { 't', 8 },
		{ 'X', 0x10 }, { 'x', 0x10 }, { 'Z', 0x20 }, { 'P', 0x40 },
		{ 'I', 0x80 }, { '+', 0x100 },
	};
	bool known = false;

	*out = 0;
	for (size_t i = 0; i < s.n; i++) {
		size_t k = 0;

		while (k < ARRAY_LEN(bits) && bits[k].letter != s.p[i])
			k++;
		if (k < ARRAY_LEN(bits)) {
			*out |= bits[k].bit;
			known = true;
		} else if (!strchr("|KWN", s.p[i])) {
			return signed_decimal(s, out);
		}
	}
	return known;
}

static bool number(struct span s, int64_t *out)
{
	if (span_is(s, "true") || span_is(s, "false")) {
		*out = span_is(s, "true");
		return true;
	}
	return signed_decimal(s, out) ||
	       (span_begins(s, "0x") && hex(s, out));
}

/* A name may consist of digits, too. */
static bool is_name(struct span key)
{
	static const char *const names[] = { "driver", "timeline", "ring" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (span_is(key, names[i]))
			return true;
	return span_ends(key, "comm") || span_ends(key, "name");
}

static enum rec_text_type type_of(const struct rec_text_pair *p)
{
	int64_t v;

	if (span_is(p->key, "prev_state"))
		return REC_TEXT_STATE;
	if (is_name(p->key))
		return REC_TEXT_STRING;
	if (p->hex)
		return REC_TEXT_HEX;
	/* Signed, in whatever base. */
	if (span_is(p->key, "ret") && number(p->value, &v))
		return REC_TEXT_NUMBER;
	if (looks_hex(p->value) && hex(p->value, &v))
		return REC_TEXT_HEX;
	return number(p->value, &v) ? REC_TEXT_NUMBER : REC_TEXT_STRING;
}

/* As a name of C; "text" is that of the whole. */
static void field_name(char to[32], struct span key)
{
	size_t n = key.n < 30 ? key.n : 30;

	for (size_t i = 0; i < n; i++)
		to[i] = key.p[i] == '-' ? '_' : (char)key.p[i];
	to[n] = '\0';
	/* Those that every record has. */
	if (strncmp(to, "common_", 7) == 0)
		to[0] = 'C';
	if (strcmp(to, "text") == 0)
		memcpy(to, "text_", sizeof("text_"));
}

static struct rec_text_field *find(const struct rec_text_shape *s,
				   const char *name, size_t hint)
{
	if (hint < s->n && strcmp(s->fields[hint].name, name) == 0)
		return (struct rec_text_field *)&s->fields[hint];
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->fields[i].name, name) == 0)
			return (struct rec_text_field *)&s->fields[i];
	return NULL;
}

static void copy_name(char to[64], struct span from)
{
	size_t n = from.n < 63 ? from.n : 63;

	if (n)
		memcpy(to, from.p, n);
	to[n] = '\0';
}

static void write_format(const struct rec_text_shape *s, struct buf *to)
{
	static const char *const types[] = {
		[REC_TEXT_NUMBER] = "s64", [REC_TEXT_HEX] = "u64",
		[REC_TEXT_STATE] = "long", [REC_TEXT_STRING] = "__data_loc char[]",
	};

	buf_printf(to, "name: %s\nID: %u\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
		   "\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;"
		   "\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;"
		   "\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		   s->name, s->id);
	for (size_t i = 0; i < s->n; i++) {
		const struct rec_text_field *f = &s->fields[i];

		buf_printf(to, "\tfield:%s %s;\toffset:%u;\tsize:%u;"
			   "\tsigned:%u;\n", types[f->type], f->name,
			   f->offset, f->type == REC_TEXT_STRING ? 4 : 8,
			   f->type == REC_TEXT_NUMBER ||
			   f->type == REC_TEXT_STATE);
	}
	buf_printf(to, "\tfield:__data_loc char[] text;\toffset:%u;\tsize:4;"
		   "\tsigned:0;\n\nprint fmt: \"%%s\", __get_str(text)\n",
		   s->text);
}

void rec_text_shape_make(struct rec_text_shape *s, struct span system,
			 struct span name, uint16_t id, struct span payload,
			 struct buf *format)
{
	struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX];
	size_t n = rec_text_pairs(name, payload, pairs);

	*s = (struct rec_text_shape){ .id = id, .size = HEAD };
	copy_name(s->system, system);
	copy_name(s->name, name);
	for (size_t i = 0; i < n; i++) {
		struct rec_text_field *f = &s->fields[s->n];

		field_name(f->name, pairs[i].key);
		if (find(s, f->name, i))
			continue;
		f->type = type_of(&pairs[i]);
		f->offset = s->size;
		s->size = (uint16_t)(s->size + 8);
		s->n++;
	}
	s->text = s->size;
	s->size = (uint16_t)(s->size + 4);
	write_format(s, format);
}

static void put_word(struct buf *raw, uint16_t offset, const void *p, size_t n)
{
	if (!buf_failed(raw))
		memcpy(raw->p + offset, p, n);
}

/* Behind the record so far, with a zero at its end. */
static void put_string(struct buf *raw, uint16_t offset, struct span text)
{
	size_t room = raw->n < RECORD_MAX ? RECORD_MAX - raw->n : 0;
	uint32_t word;

	if (!room)
		return;
	if (text.n > room - 1)
		text.n = room - 1;
	word = (uint32_t)((text.n + 1) << 16 | raw->n);
	put_word(raw, offset, &word, sizeof(word));
	buf_put(raw, text.p, text.n);
	buf_u8(raw, 0);
}

static bool put_field(const struct rec_text_field *f, struct span value,
		      struct buf *raw)
{
	int64_t v;
	bool ok = true;

	switch (f->type) {
	case REC_TEXT_STRING:
		put_string(raw, f->offset, value);
		return true;
	case REC_TEXT_HEX:
		ok = hex(value, &v);
		break;
	case REC_TEXT_STATE:
		ok = state(value, &v);
		break;
	case REC_TEXT_NUMBER:
		ok = number(value, &v);
		break;
	}
	if (ok)
		put_word(raw, f->offset, &v, sizeof(v));
	return ok;
}

void rec_text_shape_record(const struct rec_text_shape *s, int32_t pid,
			   struct span payload, struct buf *raw,
			   uint64_t *misfits)
{
	struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX];
	size_t n = rec_text_pairs(span_of(s->name, strlen(s->name)), payload,
				  pairs);
	uint64_t done = 0;

	buf_clear(raw);
	buf_zero(raw, s->size);
	put_word(raw, 0, &s->id, sizeof(s->id));
	put_word(raw, 4, &pid, sizeof(pid));
	/* The whole text comes first, as what does not fit is cut. */
	put_string(raw, s->text, payload);
	for (size_t i = 0; i < n; i++) {
		struct rec_text_field *f;
		char name[32];

		field_name(name, pairs[i].key);
		f = find(s, name, i);
		/* A key that comes twice: the first one is the field. */
		if (f && done >> (f - s->fields) & 1)
			continue;
		if (f)
			done |= (uint64_t)1 << (f - s->fields);
		if (!f || !put_field(f, pairs[i].value, raw))
			(*misfits)++;
	}
}
