/* A perf.data that is a folder: its files are one recording. */
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/perfdataimport.h"
#include "tests/support/perfdatausual.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

struct folder {
	char path[64];
	struct imported got;
};

static void folder_init(struct folder *f)
{
	*f = (struct folder){ .path = "/tmp/test_folder.XXXXXX" };
	assert_non_null(mkdtemp(f->path));
}

static void folder_put(const struct folder *f, const char *name,
		       struct pdb *file)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_true(put_bytes(fd, span_of(file->b.p, file->b.n)));
	close(fd);
	buf_fini(&file->b);
}

static void import_path(struct imported *out, const char *path, FILE *to)
{
	struct rec_intake intake = { .to = to };
	struct rec_input *in = NULL;

	out->rc = rec_input_open(&in, path, &out->err);
	if (out->rc == 0)
		out->rc = rec_import_perf_data.run(
			in, &intake, &(struct rec_import_options){ 0 },
			&out->err);
	rec_input_close(in);
	out->samples = intake.samples;
}

static void folder_import(struct folder *f)
{
	size_t size;
	FILE *to = open_memstream(&f->got.text, &size);

	assert_non_null(to);
	import_path(&f->got, f->path, to);
	fclose(to);
}

static void folder_fini(struct folder *f)
{
	static const char *const names[] = { "data", "data.0", "data.1",
					     "data.2", "data.10", "data.01",
					     "data.x", "data.", "data.65535" };

	free(f->got.text);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", f->path, names[i]);
		if (unlink(path))
			(void)rmdir(path);
	}
	assert_int_equal(rmdir(f->path), 0);
}

/* Names that tell the folder, of feature 24 with one word. */
static const struct pdb_feature in_folder = { 24, { (const uint8_t[8]){ 1 },
						    8 } };

static void first_file(struct pdb *out, const struct pdb *data)
{
	out->big = data->big;
	pdb_file(out, &(struct pdb_file){ .attrs = usual_events, .n_attrs = 2,
					  .data = { data->b.p, data->b.n },
					  .features = &in_folder,
					  .n_features = 1 });
}

static void put_first(const struct folder *f, bool big)
{
	struct pdb data = { .big = big }, p = { 0 };

	usual_mmap2(&data, 1000, 0x400000);
	pdb_end(&data, pdb_begin(&data, ROUND, 0));
	pdb_end(&data, pdb_begin(&data, ROUND, 0));
	usual_sample(&data, 11, 5000, 0, 1);
	first_file(&p, &data);
	buf_fini(&data.b);
	folder_put(f, "data", &p);
}

static void put_samples(const struct folder *f, const char *name, bool big,
			uint64_t first, uint64_t then)
{
	struct pdb p = { .big = big };

	usual_sample(&p, 12, first, 1, 1);
	usual_sample(&p, 21, then, 1, 1);
	folder_put(f, name, &p);
}

/* Times of the samples, one behind another. */
static const char *times(const struct folder *f, char to[200])
{
	size_t n = 0;

	to[0] = '\0';
	for (const char *at = f->got.text; (at = strstr(at, "\nsample "));
	     at++) {
		const char *time = strstr(at, "time ");

		n += (size_t)snprintf(to + n, 200 - n, "%.*s ",
				      (int)strcspn(time + 5, " "), time + 5);
	}
	return to;
}

static void the_records_of_all_files_are_one_by_time(void **state)
{
	char got[200];

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct folder f;

		folder_init(&f);
		put_first(&f, big);
		put_samples(&f, "data.0", big, 2000, 6000);
		put_samples(&f, "data.1", big, 3000, 3500);
		put_samples(&f, "data.10", big, 2500, 9000);
		folder_import(&f);
		assert_int_equal(f.got.rc, 0);
		assert_string_equal(times(&f, got), "2000 2500 3000 3500 5000 "
						    "6000 9000 ");
		assert_non_null(strstr(f.got.text, "fact import.mode a folder, "
						   "with 3 files"));
		folder_fini(&f);
	}
}

static void other_files_of_the_folder_are_left_alone(void **state)
{
	static const char *const others[] = { "data.01", "data.x", "data.",
					      "data.65535" };
	struct folder f;
	char got[200];

	(void)state;
	folder_init(&f);
	put_first(&f, false);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		put_samples(&f, others[i], false, 1, 2);
	folder_import(&f);
	assert_int_equal(f.got.rc, 0);
	assert_string_equal(times(&f, got), "5000 ");
	folder_fini(&f);
}

/* Each has a stream of its own. */
static void compressed_files_are_read(void **state)
{
	struct pdb p = { 0 }, out = { 0 };
	struct folder f;

	(void)state;
	folder_init(&f);
	put_first(&f, false);
	for (int i = 0; i < 2; i++) {
		usual_compressed_records(&p, 100, COMPRESSED2);
		folder_put(&f, i ? "data.1" : "data.0", &p);
		p = out;
	}
	folder_import(&f);
	assert_int_equal(f.got.rc, 0);
	/* Five in each of them. */
	assert_int_equal(f.got.samples, 1 + 2 * 5);
	folder_fini(&f);
}

static void what_is_wrong_is_told_with_its_file(void **state)
{
	struct pdb p = { 0 };
	struct folder f;
	char got[200];

	(void)state;
	folder_init(&f);
	put_first(&f, false);
	usual_sample(&p, 12, 2000, 1, 1);
	pdb_u32(&p, SAMPLE);
	folder_put(&f, "data.0", &p);
	p = (struct pdb){ 0 };
	usual_sample(&p, 99, 2100, 1, 1); /* an id of nobody */
	usual_sample(&p, 12, 2200, 1, 1);
	folder_put(&f, "data.1", &p);
	folder_import(&f);
	assert_int_equal(f.got.rc, 1);
	assert_string_equal(times(&f, got), "2000 2200 5000 ");
	assert_string_equal(f.got.err.text, "data.0: record at offset 88: cut "
					    "short after 4 bytes");
	free(f.got.text);
	put_samples(&f, "data.0", false, 2000, 2300);
	folder_import(&f);
	assert_int_equal(f.got.rc, 1);
	assert_string_equal(f.got.err.text, "1 records make no sense, the "
					    "first: data.1: record at offset "
					    "0: sample of no event");
	folder_fini(&f);
}

static void what_is_no_file_ends_it(void **state)
{
	struct folder f;
	char path[128];

	(void)state;
	folder_init(&f);
	put_first(&f, false);
	snprintf(path, sizeof(path), "%s/data.2", f.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	folder_import(&f);
	assert_int_equal(f.got.rc, ERR_FORMAT);
	assert_string_equal(f.got.err.text, "'data.2' of the folder is no "
					    "file");
	folder_fini(&f);
}

static void another_folder_is_refused(void **state)
{
	struct folder f;
	char path[128];

	(void)state;
	folder_init(&f);
	folder_import(&f);
	assert_int_equal(f.got.rc, ERR_IO);
	assert_non_null(strstr(f.got.err.text, "Is a directory"));
	free(f.got.text);
	snprintf(path, sizeof(path), "%s/data", f.path);
	assert_int_equal(mkdir(path, 0700), 0);
	folder_import(&f);
	assert_int_equal(f.got.rc, ERR_IO);
	folder_fini(&f);
}

static void the_first_file_alone_says_that_others_are_missing(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	usual_sample(&data, 11, 5000, 0, 1);
	first_file(&p, &data);
	buf_fini(&data.b);
	i = import_bytes(span_of(p.b.p, p.b.n), false);
	buf_fini(&p.b);
	assert_int_equal(i.rc, 1);
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.err.text, "(try: the folder)"));
}

static void each_allocation_may_fail(void **state)
{
	struct folder f;
	bool hit = true;

	(void)state;
	folder_init(&f);
	put_first(&f, false);
	put_samples(&f, "data.0", false, 2000, 6000);
	put_samples(&f, "data.1", false, 3000, 3500);
	for (long n = 1; hit; n++) {
		struct imported i = { 0 };

		failalloc_at(n);
		import_path(&i, f.path, NULL);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(i.rc, hit ? ERR_NOMEM : 0);
		assert_true(!hit || i.err.text[0]);
	}
	folder_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_records_of_all_files_are_one_by_time),
		cmocka_unit_test(other_files_of_the_folder_are_left_alone),
		cmocka_unit_test(compressed_files_are_read),
		cmocka_unit_test(what_is_wrong_is_told_with_its_file),
		cmocka_unit_test(what_is_no_file_ends_it),
		cmocka_unit_test(another_folder_is_refused),
		cmocka_unit_test(
			the_first_file_alone_says_that_others_are_missing),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
