#include "record/symbol/symbols.h"
#include "tests/support/elfbuild.h"

#include "format/catalog.h"
#include "format/layout.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_WAIT 60000000000u

struct seen {
	size_t n, n_empty, n_troubles;
	char name[256], why[256];
	size_t name_size;
	uint64_t start, size;
	uint8_t build_id[64];
	size_t build_id_size;
};

static void on_symbol(void *ctx, const struct rec_symbol *s)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->n_empty += !s->name.n;
	seen->start = s->start;
	seen->size = s->size;
	seen->name_size = s->name.n;
	snprintf(seen->name, sizeof(seen->name), "%.*s", (int)s->name.n,
		 s->name.n ? (const char *)s->name.p : "");
}

static void on_build_id(void *ctx, uint32_t key, struct span id)
{
	struct seen *seen = ctx;

	(void)key;
	memcpy(seen->build_id, id.p, id.n);
	seen->build_id_size = id.n;
}

static void on_trouble(void *ctx, uint32_t key, const char *why)
{
	struct seen *seen = ctx;

	(void)key;
	seen->n_troubles++;
	snprintf(seen->why, sizeof(seen->why), "%s", why);
}

struct fixture {
	struct rec_symbols *s;
	struct seen seen;
	struct rec_symbols_events on;
	FILE *talk;
	struct log log;
	char *said;
	size_t said_size;
};

static void start(struct fixture *f, const char *root, size_t max_queued)
{
	struct rec_symbols_config cfg = { root, max_queued, &f->log };
	struct err err = { 0 };

	*f = (struct fixture){ 0 };
	f->talk = open_memstream(&f->said, &f->said_size);
	f->log = (struct log){ f->talk, "test", 0 };
	f->on = (struct rec_symbols_events){ on_symbol, on_build_id, on_trouble,
					     &f->seen };
	assert_int_equal(rec_symbols_start(&f->s, &cfg, &err), 0);
}

static void stop(struct fixture *f)
{
	rec_symbols_free(f->s);
	fclose(f->talk);
	free(f->said);
}

static void introduce(struct fixture *f, uint32_t key, uint8_t kind, int fd)
{
	struct rec_symbol_image image = { .key = key, .kind = kind,
					  .path = "/some/file" };

	assert_int_equal(rec_symbols_image(f->s, &image, fd, NULL), 0);
}

static void ask(struct fixture *f, uint32_t key, uint64_t address)
{
	assert_int_equal(rec_symbols_want(f->s, key, address, NULL), 0);
}

static void drain(struct fixture *f)
{
	assert_int_equal(rec_symbols_drain(f->s, &f->on, LONG_WAIT, NULL), 0);
}

/* The small program in a file that has no name any more. */
static int program_by(void (*build)(struct buf *out))
{
	FILE *file = tmpfile();
	struct buf b;
	int fd;

	build(&b);
	assert_int_equal(fwrite(b.p, 1, b.n, file), b.n);
	fflush(file);
	fd = dup(fileno(file));
	fclose(file);
	buf_fini(&b);
	return fd;
}

static int program(void)
{
	return program_by(elfbuild);
}

static void a_deleted_file_gives_names_by_its_descriptor(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ELF, program());
	ask(&f, 1, 0x118);
	drain(&f);
	assert_int_equal(f.seen.n, 1);
	assert_string_equal(f.seen.name, "helper");
	assert_int_equal(f.seen.start, 0x110);
	assert_int_equal(f.seen.size, 0x20);
	assert_int_equal(f.seen.build_id_size, 8);
	assert_int_equal(rec_symbols_unanswered(f.s), 0);
	stop(&f);
}

/* Behind 0x180, where the code ends, is nothing. */
static void a_function_and_a_stretch_without_one_are_said_once(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ELF, program());
	introduce(&f, 2, TF_IMAGE_ANON, -1);
	for (uint64_t a = 0x110; a < 0x130; a++)
		ask(&f, 1, a);
	drain(&f);
	assert_int_equal(f.seen.n, 1);
	ask(&f, 1, 0x9999);
	ask(&f, 1, 0x180);
	drain(&f);
	assert_int_equal(f.seen.n, 2);
	assert_int_equal(f.seen.n_empty, 1);
	assert_int_equal(f.seen.start, 0x180);
	assert_int_equal(f.seen.size, UINT64_MAX - 0x180);
	ask(&f, 2, 7);
	drain(&f);
	assert_int_equal(f.seen.n_empty, 2);
	assert_int_equal(f.seen.n_troubles, 0);
	stop(&f);
}

static void a_replaced_file_gives_trouble_and_no_names(void **state)
{
	static const uint8_t other[] = { 8, 7, 6 };
	struct rec_symbol_image image = { .key = 1, .kind = TF_IMAGE_ELF,
					  .build_id = other,
					  .build_id_size = sizeof(other) };
	struct fixture f;

	(void)state;
	start(&f, "", 0);
	assert_int_equal(rec_symbols_image(f.s, &image, program(), NULL), 0);
	ask(&f, 1, 0x118);
	ask(&f, 1, 0x119);
	drain(&f);
	assert_int_equal(f.seen.n_troubles, 1);
	assert_string_equal(f.seen.why,
			    "build-id differs: the file was replaced");
	assert_int_equal(f.seen.n, 2);
	assert_int_equal(f.seen.n_empty, 2);
	stop(&f);
}

static void an_unusable_file_is_said_once(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ELF, -1);
	introduce(&f, 2, TF_IMAGE_ELF, open("/dev/zero", O_RDONLY));
	ask(&f, 1, 1);
	ask(&f, 1, 2);
	drain(&f);
	assert_int_equal(f.seen.n_troubles, 1);
	assert_string_equal(f.seen.why, "its file could not be opened");
	ask(&f, 2, 1);
	drain(&f);
	assert_string_equal(f.seen.why, "not a regular file");
	stop(&f);
}

static void the_vdso_has_names(void **state)
{
	struct fixture f;
	bool found = false;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_VDSO, -1);
	for (uint64_t a = 0; a < 0x4000 && !found; a += 16) {
		ask(&f, 1, a);
		drain(&f);
		found = !strncmp(f.seen.name, "__vdso_", 7) ||
			!strncmp(f.seen.name, "__kernel_", 9);
	}
	stop(&f);
	if (f.seen.n_troubles)
		skip();
	assert_true(found);
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *const folders[] = {
	"", "/proc", "/usr", "/usr/lib", "/usr/lib/debug",
	"/usr/lib/debug/.build-id", "/usr/lib/debug/.build-id/01",
};

#define DEBUG_FILE "/usr/lib/debug/.build-id/01/02030405060708.debug"

static void make_root(char root[64])
{
	char path[256];

	snprintf(root, 64, "/tmp/test_symbols_XXXXXX");
	assert_non_null(mkdtemp(root));
	for (size_t i = 1; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

static void remove_root(const char *root)
{
	static const char *const files[] = { "/proc/kallsyms", "/proc/modules",
					     DEBUG_FILE };
	char path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s%s", root, files[i]);
		remove(path);
	}
	for (size_t i = sizeof(folders) / sizeof(*folders); i--;) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		remove(path);
	}
}

static void a_stripped_file_is_named_by_its_debug_file(void **state)
{
	static const uint8_t id[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct rec_symbol_image image = { .key = 1, .kind = TF_IMAGE_ELF,
					  .build_id = id,
					  .build_id_size = sizeof(id) };
	char root[64], path[256];
	struct fixture f;
	struct buf b;
	FILE *file;

	(void)state;
	make_root(root);
	snprintf(path, sizeof(path), "%s" DEBUG_FILE, root);
	file = fopen(path, "w");
	assert_non_null(file);
	elfbuild(&b);
	assert_int_equal(fwrite(b.p, 1, b.n, file), b.n);
	fclose(file);
	buf_fini(&b);
	start(&f, root, 0);
	assert_int_equal(rec_symbols_image(f.s, &image,
					   program_by(elfbuild_stripped), NULL),
			 0);
	ask(&f, 1, 0x118);
	drain(&f);
	assert_string_equal(f.seen.name, "helper");
	stop(&f);
	remove_root(root);
}

static void kernel_and_modules_come_from_the_given_root(void **state)
{
	struct rec_symbol_image module = { .key = 2, .kind = TF_IMAGE_MODULE,
					   .path = "[mod]" };
	char root[64];
	struct fixture f;

	(void)state;
	make_root(root);
	put_file(root, "proc/kallsyms", "ffffffff81000000 T _text\n"
		 "ffffffff81000040 T do_it\n"
		 "ffffffffc0000020 t open_it\t[mod]\n");
	put_file(root, "proc/modules", "mod 4096 0 - Live 0xffffffffc0000000\n");
	start(&f, root, 0);
	introduce(&f, 1, TF_IMAGE_KERNEL, -1);
	assert_int_equal(rec_symbols_image(f.s, &module, -1, NULL), 0);
	ask(&f, 1, 0x48);
	drain(&f);
	assert_string_equal(f.seen.name, "do_it");
	assert_int_equal(f.seen.start, 0x40);
	ask(&f, 2, 0x28);
	drain(&f);
	assert_string_equal(f.seen.name, "open_it");
	assert_int_equal(f.seen.start, 0x20);
	stop(&f);
	remove_root(root);
}

static void a_name_of_any_length_arrives_cut_to_the_limit(void **state)
{
	struct buf text;
	char root[64];
	struct fixture f;

	(void)state;
	make_root(root);
	buf_init(&text, 0);
	buf_printf(&text, "ffffffff81000000 T _text\nffffffff81000040 T %s",
		   "long_");
	for (int i = 0; i < 7000; i++)
		buf_printf(&text, "0123456789");
	buf_printf(&text, "\n");
	put_file(root, "proc/kallsyms", (char *)text.p);
	buf_fini(&text);
	start(&f, root, 0);
	introduce(&f, 1, TF_IMAGE_KERNEL, -1);
	ask(&f, 1, 0x48);
	drain(&f);
	assert_int_equal(f.seen.name_size, TF_MAX_STRING);
	assert_memory_equal(f.seen.name, "long_0123456789", 15);
	stop(&f);
	remove_root(root);
}

static void hidden_kernel_addresses_are_said(void **state)
{
	char root[64];
	struct fixture f;

	(void)state;
	make_root(root);
	put_file(root, "proc/kallsyms", "0000000000000000 T _text\n");
	start(&f, root, 0);
	introduce(&f, 1, TF_IMAGE_KERNEL, -1);
	ask(&f, 1, 0x48);
	drain(&f);
	assert_string_equal(f.seen.why,
			    "kallsyms shows no addresses (kptr_restrict)");
	assert_int_equal(f.seen.n_empty, 1);
	stop(&f);
	remove_root(root);
}

static void an_image_must_be_introduced_once_before_its_addresses(void **state)
{
	struct rec_symbol_image image = { .key = 1, .kind = TF_IMAGE_ELF };
	struct fixture f;

	(void)state;
	start(&f, "", 0);
	assert_int_equal(rec_symbols_want(f.s, 1, 0, NULL), ERR_USAGE);
	assert_int_equal(rec_symbols_image(f.s, &image, -1, NULL), 0);
	assert_int_equal(rec_symbols_image(f.s, &image, -1, NULL), ERR_USAGE);
	stop(&f);
}

static void a_full_queue_drops_the_oldest_and_counts_them(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "", 160);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	for (uint64_t a = 1; a <= 100; a++)
		ask(&f, 1, a);
	drain(&f);
	assert_int_equal(f.seen.n + rec_symbols_dropped(f.s), 100);
	assert_true(f.seen.n >= 10);
	assert_int_equal(f.seen.start, 100);
	assert_int_equal(rec_symbols_unanswered(f.s), 0);
	stop(&f);
}

static void many_addresses_are_all_answered(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	for (uint64_t a = 0; a < 50000; a++)
		ask(&f, 1, a);
	assert_int_equal(rec_symbols_unanswered(f.s), 50000);
	drain(&f);
	assert_int_equal(f.seen.n, 50000);
	assert_int_equal(rec_symbols_unanswered(f.s), 0);
	assert_int_equal(rec_symbols_dropped(f.s), 0);
	assert_false(rec_symbols_wants_write(f.s));
	stop(&f);
}

/* The only child of this process. */
static pid_t find_child(void)
{
	char path[64];
	int pid = 0;
	FILE *p;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	p = fopen(path, "r");
	if (p && fscanf(p, "%d", &pid) != 1)
		pid = 0;
	if (p)
		fclose(p);
	return pid;
}

static void a_killed_process_is_said_once_and_counted(void **state)
{
	struct fixture f;
	pid_t pid;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	pid = find_child();
	if (!pid)
		skip();
	kill(pid, SIGKILL);
	ask(&f, 1, 1);
	ask(&f, 1, 2);
	drain(&f);
	drain(&f);
	assert_int_equal(rec_symbols_unanswered(f.s), 2);
	ask(&f, 1, 3);
	introduce(&f, 2, TF_IMAGE_ELF, program());
	drain(&f);
	assert_int_equal(rec_symbols_unanswered(f.s), 3);
	assert_false(rec_symbols_wants_write(f.s));
	fflush(f.talk);
	assert_non_null(strstr(f.said, "killed by signal 9"));
	assert_ptr_equal(strstr(f.said, "warning"),
			 strstr(f.said, "warning: the symbolizer is gone"));
	assert_null(strstr(strstr(f.said, "warning") + 1, "warning"));
	stop(&f);
}

static void time_can_run_out(void **state)
{
	struct fixture f;
	pid_t pid;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	ask(&f, 1, 1);
	drain(&f);
	pid = find_child();
	if (!pid)
		skip();
	kill(pid, SIGSTOP);
	ask(&f, 1, 2);
	assert_int_equal(rec_symbols_drain(f.s, &f.on, 50000000, NULL), 1);
	assert_int_equal(rec_symbols_unanswered(f.s), 1);
	stop(&f);
}

static void expect_status(pid_t pid, const char *line)
{
	char path[64], text[8192];
	size_t n;
	FILE *p;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	p = fopen(path, "r");
	assert_non_null(p);
	n = fread(text, 1, sizeof(text) - 1, p);
	fclose(p);
	text[n] = '\0';
	assert_non_null(strstr(text, line));
}

static void the_process_has_no_rights(void **state)
{
	struct fixture f;
	pid_t pid;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	ask(&f, 1, 1);
	drain(&f);
	pid = find_child();
	if (!pid)
		skip();
	expect_status(pid, "Name:\trec-symbols\n");
	expect_status(pid, "NoNewPrivs:\t1\n");
	expect_status(pid, "CapEff:\t0000000000000000\n");
	expect_status(pid, "CapPrm:\t0000000000000000\n");
	if (geteuid() == 0) {
		expect_status(pid, "Uid:\t65534\t65534\t65534\t65534\n");
		expect_status(pid, "Gid:\t65534\t65534\t65534\t65534\n");
		expect_status(pid, "Groups:\t \n");
	}
	stop(&f);
}

/* Descriptors 3 to 6 are its own: whatever else was open must be gone. */
static void the_process_holds_no_file_of_ours(void **state)
{
	char path[64], to[256];
	struct fixture f;
	struct stat st;
	int mine = memfd_create("ours", 0);
	pid_t pid;

	(void)state;
	assert_true(dup2(mine, 100) == 100);
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	ask(&f, 1, 1);
	drain(&f);
	pid = find_child();
	snprintf(path, sizeof(path), "/proc/%d/fd/3", pid);
	if (!pid || lstat(path, &st) < 0)
		skip();
	for (int fd = 0; fd < 256; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		n = readlink(path, to, sizeof(to) - 1);
		if (n < 0)
			continue;
		to[n] = '\0';
		assert_true(fd < 7);
		assert_null(strstr(to, "ours"));
	}
	close(100);
	close(mine);
	stop(&f);
}

static void a_terminal_s_interrupt_does_not_end_it(void **state)
{
	struct fixture f;
	pid_t pid;

	(void)state;
	start(&f, "", 0);
	introduce(&f, 1, TF_IMAGE_ANON, -1);
	ask(&f, 1, 1);
	drain(&f);
	pid = find_child();
	if (!pid)
		skip();
	kill(pid, SIGINT);
	kill(pid, SIGTERM);
	kill(pid, SIGHUP);
	ask(&f, 1, 2);
	drain(&f);
	assert_int_equal(f.seen.n, 2);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deleted_file_gives_names_by_its_descriptor),
		cmocka_unit_test(
			a_function_and_a_stretch_without_one_are_said_once),
		cmocka_unit_test(a_replaced_file_gives_trouble_and_no_names),
		cmocka_unit_test(a_stripped_file_is_named_by_its_debug_file),
		cmocka_unit_test(an_unusable_file_is_said_once),
		cmocka_unit_test(the_vdso_has_names),
		cmocka_unit_test(kernel_and_modules_come_from_the_given_root),
		cmocka_unit_test(hidden_kernel_addresses_are_said),
		cmocka_unit_test(a_name_of_any_length_arrives_cut_to_the_limit),
		cmocka_unit_test(
			an_image_must_be_introduced_once_before_its_addresses),
		cmocka_unit_test(a_full_queue_drops_the_oldest_and_counts_them),
		cmocka_unit_test(many_addresses_are_all_answered),
		cmocka_unit_test(a_killed_process_is_said_once_and_counted),
		cmocka_unit_test(time_can_run_out),
		cmocka_unit_test(the_process_has_no_rights),
		cmocka_unit_test(the_process_holds_no_file_of_ours),
		cmocka_unit_test(a_terminal_s_interrupt_does_not_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
