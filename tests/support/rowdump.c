/* rowdump FILE: prints a trace as JSON, one value a line, in the words of
 * tests/golden/format/README.md. A part of more than 64 rows is printed as a
 * checksum a column, which is that of colhash. */
#include "format/base/json.h"
#include "format/reader.h"
#include "tests/support/valuehash.h"

#include <inttypes.h>
#include <stdio.h>

#define MANY_ROWS 64
#define MANY_BYTES 64

static void put_hex(struct json *j, const char *key, struct span s)
{
	char text[2 * MANY_BYTES + 1] = "";

	for (size_t i = 0; i < s.n && i < MANY_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", s.p[i]);
	json_cstr(j, key, text);
}

static void put_checksum(struct json *j, const char *key, uint32_t crc)
{
	char text[9];

	snprintf(text, sizeof(text), "%08" PRIx32, crc);
	json_cstr(j, key, text);
}

static void put_number(struct json *j, const char *key, enum tf_type type,
		       uint64_t v)
{
	char bits[19];

	snprintf(bits, sizeof(bits), "0x%016" PRIx64, v);
	if (type == TF_I64)
		json_i64(j, key, (int64_t)v);
	else if (type == TF_F64)
		json_cstr(j, key, bits);
	else
		json_u64(j, key, v);
}

static void put_bytes(struct json *j, const char *key, struct span s)
{
	struct valuehash h;

	if (s.n <= MANY_BYTES) {
		put_hex(j, key, s);
		return;
	}
	valuehash_init(&h);
	valuehash_add(&h, s.p, s.n);
	json_object(j, key);
	json_u64(j, "bytes", s.n);
	put_checksum(j, "crc32", valuehash_sum(&h));
	json_end_object(j);
}

static void put_value(struct json *j, const struct tf_view *v, uint32_t c,
		      uint32_t row)
{
	const struct tf_column *column = &v->table->columns[c];
	const struct tf_values *x = &v->columns[c];

	if (column->list) {
		json_array(j, column->name);
		for (uint32_t i = x->offsets[row]; i < x->offsets[row + 1];
		     i++)
			put_number(j, NULL, column->type, x->items[i]);
		json_end_array(j);
	} else if (column->type == TF_BYTES) {
		put_bytes(j, column->name, tf_view_bytes(v, c, row));
	} else {
		put_number(j, column->name, column->type, x->v[row]);
	}
}

static void put_column_sum(struct json *j, const struct tf_view *v, uint32_t c)
{
	struct valuehash h;

	valuehash_init(&h);
	for (uint32_t i = 0; i < v->rows; i++)
		valuehash_add_value(&h, v, c, i);
	put_checksum(j, v->table->columns[c].name, valuehash_sum(&h));
}

static void begin_line(struct json *j, const struct tf_view *v, uint32_t row)
{
	json_init(j, stdout);
	json_object(j, NULL);
	json_cstr(j, "table", v->table->name);
	json_u64(j, "chunk", v->chunk);
	json_u64(j, "epoch", v->epoch);
	json_u64(j, "row", v->base_row + row);
}

static void end_line(struct json *j)
{
	json_end_object(j);
	putchar('\n');
}

static void print_rows(const struct tf_view *v)
{
	bool many = v->rows > MANY_ROWS;
	struct json j;

	for (uint32_t i = 0; i < (many ? 1 : v->rows); i++) {
		begin_line(&j, v, i);
		if (many)
			json_u64(&j, "rows", v->rows);
		json_object(&j, many ? "crc32" : "values");
		for (uint32_t c = 0; c < v->table->n_columns; c++)
			if (!v->columns[c].present)
				continue;
			else if (many)
				put_column_sum(&j, v, c);
			else
				put_value(&j, v, c, i);
		json_end_object(&j);
		end_line(&j);
	}
}

static int print_table(const struct tf_reader *r, const struct tf_table *t,
		       struct err *err)
{
	struct tf_query q = { .table = t->id, .columns = UINT64_MAX };
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	struct json j;
	int rc = tf_cursor_new(&c, r, &q, err);

	while (rc == 0 && (rc = tf_cursor_next(c, &v, err)) != 1) {
		if (rc == 0) {
			print_rows(v);
		} else if (rc != ERR_NOMEM && rc != ERR_IO) {
			json_init(&j, stdout);
			json_object(&j, NULL);
			json_cstr(&j, "table", t->name);
			json_bool(&j, "lost", true);
			end_line(&j);
			rc = 0;
		}
	}
	tf_cursor_free(c);
	return rc < 0 ? rc : 0;
}

static void print_chunk(size_t i, const struct tf_chunk_info *c)
{
	struct json j;

	json_init(&j, stdout);
	json_object(&j, NULL);
	json_u64(&j, "chunk", i);
	json_u64(&j, "offset", c->offset);
	json_u64(&j, "type", c->type);
	json_u64(&j, "flags", c->flags);
	json_u64(&j, "seq", c->seq);
	json_u64(&j, "epoch", c->epoch);
	json_u64(&j, "parts", c->parts);
	json_u64(&j, "t_min", c->t_min);
	json_u64(&j, "t_max", c->t_max);
	end_line(&j);
}

static void print_file(const struct tf_reader *r)
{
	static const char *const endings[] = {
		[TF_CLOSED] = "closed",
		[TF_UNCLOSED] = "unclosed",
		[TF_CUT] = "cut",
		[TF_FOLLOWED] = "followed",
	};
	const struct tf_file_header *h = tf_reader_header(r);
	const struct tf_gap *gaps;
	size_t n = tf_reader_gaps(r, &gaps);
	struct json j;

	json_init(&j, stdout);
	json_object(&j, NULL);
	json_u64(&j, "major", h->major);
	json_u64(&j, "minor", h->minor);
	json_u64(&j, "compatible", h->compatible);
	put_hex(&j, "id", span_of(h->file_id, TF_FILE_ID_SIZE));
	json_u64(&j, "start", h->start_unix_ns);
	json_cstr(&j, "ending", endings[tf_reader_ending(r)]);
	json_u64(&j, "end", tf_reader_end(r));
	end_line(&j);
	for (size_t i = 0; i < n; i++) {
		json_init(&j, stdout);
		json_object(&j, NULL);
		json_u64(&j, "gap", gaps[i].offset);
		json_u64(&j, "size", gaps[i].size);
		end_line(&j);
	}
	for (size_t i = 0; i < tf_reader_chunks(r); i++)
		print_chunk(i, tf_reader_chunk(r, i));
}

/* A file that is refused is a result, too. */
static void print_refused(int rc)
{
	struct json j;

	json_init(&j, stdout);
	json_object(&j, NULL);
	json_cstr(&j, "refused", rc == ERR_NEWER ? "newer" : "no trace");
	end_line(&j);
}

int main(int argc, char **argv)
{
	const struct tf_schema *schema;
	struct tf_source *source = NULL;
	struct tf_reader *r = NULL;
	struct err err = { 0 };
	int rc;

	if (argc != 2)
		return 2;
	rc = tf_source_open(&source, argv[1], NULL, &err);
	if (rc < 0)
		goto out;
	rc = tf_reader_open(&r, source, &err);
	if (rc == ERR_NEWER || rc == ERR_FORMAT) {
		print_refused(rc);
		rc = 0;
		goto out;
	}
	if (rc < 0)
		goto out;
	print_file(r);
	schema = tf_reader_schema(r);
	for (size_t i = 0; i < schema->n && rc == 0; i++)
		rc = print_table(r, schema->tables[i], &err);
out:
	if (rc < 0)
		fprintf(stderr, "rowdump: %s\n", err.text);
	tf_reader_free(r);
	tf_source_close(source);
	return rc < 0;
}
