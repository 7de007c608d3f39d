/* Every allocation may fail: the n-th one does, for each n. The library's own
 * files are compiled here, with allocation functions that can refuse. */
#include <stdbool.h>
#include <stdlib.h>

static struct {
	size_t made, fail_at;		/* calls; the call that fails */
	size_t live;			/* blocks not given back */
} heap;

static bool heap_refuses(void)
{
	return ++heap.made == heap.fail_at;
}

static void *heap_malloc(size_t size)
{
	void *p = heap_refuses() ? NULL : malloc(size);

	heap.live += p != NULL;
	return p;
}

static void *heap_calloc(size_t n, size_t size)
{
	void *p = heap_refuses() ? NULL : calloc(n, size);

	heap.live += p != NULL;
	return p;
}

static void *heap_realloc(void *old, size_t size)
{
	void *p = heap_refuses() ? NULL : realloc(old, size);

	heap.live += p && !old;
	return p;
}

static void heap_free(void *p)
{
	heap.live -= p != NULL;
	free(p);
}

#define malloc heap_malloc
#define calloc heap_calloc
#define realloc heap_realloc
#define free heap_free

#include "flamegraph/box.c"
#include "flamegraph/color.c"
#include "flamegraph/emit.c"
#include "flamegraph/folded.c"
#include "flamegraph/frame_text.c"
#include "flamegraph/layout.c"
#include "flamegraph/svg.c"
#include "flamegraph/text.c"
#include "flamegraph/transform.c"
#include "flamegraph/tree.c"
#include "flamegraph/utf8.c"
#include "flamegraph/walk.c"
#include "flamegraph/xml.c"

#undef malloc
#undef calloc
#undef realloc
#undef free

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* As much of the library as one run can touch: growth, both columns, UTF-16,
 * pictures of trees made from trees. */
static int use_everything(FILE *in, FILE *out)
{
	struct fg_tree *t = NULL, *reversed = NULL, *collapsed = NULL;
	int rc = fg_tree_new(&t);

	rewind(in);
	if (!rc)
		rc = fg_read_folded(t, in, FG_COLUMNS_TWO, NULL);
	if (!rc)
		rc = fg_collapse(t, &collapsed);
	if (!rc)
		rc = fg_reverse(collapsed, &reversed);
	if (!rc)
		rc = fg_write_folded(reversed, out);
	if (!rc)
		rc = fg_write_svg(reversed, NULL, out);
	fg_tree_free(t);
	fg_tree_free(collapsed);
	fg_tree_free(reversed);
	return rc;
}

static FILE *make_input(void)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	fputs("\xff\xfe", f);
	for (int i = 0; i < 300; i++) {
		char line[64];
		int n = snprintf(line, sizeof(line), "a;b%d;a;a;c%d_[k] %d 7\n",
				 i % 40, i, i);

		for (int k = 0; k < n; k++) {
			fputc(line[k], f);
			fputc(0, f);
		}
	}
	fflush(f);
	return f;
}

static void every_nth_allocation_may_fail_without_a_leak(void **state)
{
	FILE *in = make_input(), *out = fopen("/dev/null", "w");
	size_t n = 1;
	int rc;

	(void)state;
	for (;; n++) {
		heap.made = 0;
		heap.fail_at = n;
		rc = use_everything(in, out);
		assert_int_equal(heap.live, 0);
		if (heap.made < n)
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_int_equal(rc, 0);
	assert_true(n > 100);
	fclose(in);
	fclose(out);
}

static void a_tree_survives_a_failure_and_goes_on(void **state)
{
	struct fg_tree *t = NULL;
	uint32_t node = 0, child, frame, made = 0;

	(void)state;
	heap.fail_at = 0;
	assert_int_equal(fg_tree_new(&t), 0);
	assert_int_equal(fg_add_before(t, 0, 1), 0);
	for (int i = 0; i < 2000; i++) {
		char name[16];
		size_t size = (size_t)snprintf(name, sizeof(name), "f%d",
					       i % 700);

		/* The next allocation fails, or the one after it. */
		heap.fail_at = heap.made + 1 + (size_t)i % 2;
		if (fg_frame(t, name, size, FG_USER, &frame))
			assert_int_equal(fg_frame(t, name, size, FG_USER,
						  &frame), 0);
		heap.fail_at = heap.made + 1 + (size_t)i % 3;
		if (fg_child(t, i % 5 ? node : 0, frame, &child))
			assert_int_equal(fg_child(t, i % 5 ? node : 0, frame,
						  &child), 0);
		node = child;
		assert_int_equal(fg_add(t, node, 1), 0);
		made++;
	}
	heap.fail_at = 0;
	assert_int_equal(fg_tree_total(t), made);
	assert_int_equal(fg_tree_n_nodes(t), 700);
	fg_tree_free(t);
	assert_int_equal(heap.live, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_nth_allocation_may_fail_without_a_leak),
		cmocka_unit_test(a_tree_survives_a_failure_and_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
