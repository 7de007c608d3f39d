#include "tests/support/vectors.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const types[] = { NULL,   "u64",   "i64", "f64",
				     "bool", "bytes", "ref" };
static const char *const roles[] = { "value", "time", "id",   "serial",
				     "text",  "blob", "below" };

static unsigned word_of(const char *const *words, unsigned n, const char *w)
{
	for (unsigned i = 0; i < n; i++)
		if (words[i] && w && strcmp(words[i], w) == 0)
			return i;
	fail_msg("unknown word '%s'", w ? w : "");
	return 0;
}

static uint64_t number(const char *text, int base)
{
	char *end = NULL;
	uint64_t v = text[0] == '-' ? (uint64_t)strtoll(text, &end, base) :
				      strtoull(text, &end, base);

	if (end == text || *end)
		fail_msg("no number: '%s'", text);
	return v;
}

/* "616263", "61*300" or "-" */
static void put_hex(struct buf *to, const char *text)
{
	const char *star = strchr(text, '*');
	size_t n = star ? (size_t)(star - text) : strlen(text);
	uint64_t times = star ? number(star + 1, 10) : 1;

	if (strcmp(text, "-") == 0)
		return;
	if (n % 2 || (star && n != 2))
		fail_msg("no bytes: '%s'", text);
	for (uint64_t k = 0; k < times; k++)
		for (size_t i = 0; i < n; i += 2) {
			char digits[3] = { text[i], text[i + 1], 0 };

			buf_u8(to, (uint8_t)number(digits, 16));
		}
	assert_false(buf_failed(to));
}

static void put_all_hex(struct buf *to, char *rest)
{
	char *save = NULL;

	for (char *w = strtok_r(rest, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		put_hex(to, w);
}

static void take_column(struct vector *v, char *rest)
{
	struct tf_column *c = &v->schema[v->n_columns];
	char *save = NULL, *w;

	assert_true(v->n_columns < VECTOR_COLUMNS);
	c->id = (uint32_t)number(strtok_r(rest, " ", &save), 10);
	c->type = (enum tf_type)word_of(types, ARRAY_LEN(types),
					strtok_r(NULL, " ", &save));
	c->role = (enum tf_role)word_of(roles, ARRAY_LEN(roles),
					strtok_r(NULL, " ", &save));
	c->name = "c";
	c->unit = "";
	c->ref_table = c->type == TF_REF;
	c->privacy = TF_PRIVACY_NUMBER;
	while ((w = strtok_r(NULL, " ", &save)))
		if (strcmp(w, "list") == 0)
			c->list = true;
		else if (strncmp(w, "key=", 4) == 0)
			c->key = (uint32_t)number(w + 4, 10) + 1;
		else if (strncmp(w, "second=", 7) == 0)
			c->second = (uint32_t)number(w + 7, 10) + 1;
		else if (strncmp(w, "link=", 5) == 0)
			c->link = (uint32_t)number(w + 5, 10) + 1;
		else
			fail_msg("unknown word '%s'", w);
	v->n_columns++;
}

static uint64_t value(enum tf_type type, const char *text)
{
	uint64_t bits;
	double f;

	if (type != TF_F64 || strncmp(text, "0x", 2) == 0)
		return number(text, type == TF_F64 ? 16 : 10);
	f = strtod(text, NULL);
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* "[1", "2]", "[3]", "[]" */
static void take_item(struct vector_column *to, enum tf_type type, char *w,
		      uint32_t *rows)
{
	char *end;

	if (*w == '[') {
		w++;
		to->v[*rows] = 0;
	}
	end = strchr(w, ']');
	if (end)
		*end = 0;
	if (*w) {
		assert_true(to->n_items < VECTOR_VALUES);
		to->items[to->n_items++] = value(type, w);
		to->v[*rows]++;
	}
	if (end)
		++*rows;
}

static void take_values(struct vector *v, const struct tf_column *c,
			struct vector_column *to, char *rest)
{
	uint32_t rows = 0;
	char *save = NULL;

	for (char *w = strtok_r(rest, " ", &save); w;
	     w = strtok_r(NULL, " ", &save)) {
		size_t before = to->bytes.n;

		assert_true(rows < VECTOR_VALUES);
		if (c->list) {
			take_item(to, c->type, w, &rows);
		} else if (c->type == TF_BYTES) {
			put_hex(&to->bytes, w);
			to->v[rows++] = to->bytes.n - before;
		} else {
			to->v[rows++] = value(c->type, w);
		}
	}
	if (v->n_columns > 1)
		assert_int_equal(rows, v->rows);
	v->rows = rows;
}

static void take_stream(struct vector_column *to, char *rest)
{
	size_t before = to->streams.n;

	assert_true(to->n_streams < TF_MAX_STREAMS);
	put_all_hex(&to->streams, rest);
	to->lengths[to->n_streams++] = to->streams.n - before;
}

/* All but the first line of a vector are about its last column. */
static void take_line(struct vector *v, const char *word, char *rest)
{
	uint32_t last = v->n_columns ? v->n_columns - 1 : 0;
	struct vector_column *to = &v->columns[last];

	if (strcmp(word, "vector") == 0)
		snprintf(v->name, sizeof(v->name), "%s", rest);
	else if (strcmp(word, "column") == 0)
		take_column(v, rest);
	else if (strcmp(word, "values") == 0)
		take_values(v, &v->schema[last], to, rest);
	else if (strcmp(word, "statistics") == 0)
		put_all_hex(&to->statistics, rest);
	else if (strcmp(word, "encoding") == 0)
		put_all_hex(&to->encoding, rest);
	else if (strcmp(word, "stream") == 0)
		take_stream(to, rest);
	else if (strcmp(word, "writer") == 0 && strcmp(rest, "other") == 0)
		v->writer_differs = true;
	else
		fail_msg("unknown line '%s: %s'", word, rest);
}

bool vector_take(struct vector *out, FILE *from)
{
	char line[1000];

	memset(out, 0, sizeof(*out));
	while (fgets(line, sizeof(line), from)) {
		char *colon = strstr(line, ": ");

		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#')
			continue;
		if (!line[0] && out->name[0])
			break;
		if (!line[0])
			continue;
		if (!colon)
			fail_msg("no word: '%s'", line);
		*colon = 0;
		take_line(out, line, colon + 2);
	}
	return out->name[0];
}

void vector_fini(struct vector *v)
{
	for (uint32_t i = 0; i < VECTOR_COLUMNS; i++) {
		struct vector_column *c = &v->columns[i];

		buf_fini(&c->bytes);
		buf_fini(&c->statistics);
		buf_fini(&c->encoding);
		buf_fini(&c->streams);
	}
	memset(v, 0, sizeof(*v));
}
