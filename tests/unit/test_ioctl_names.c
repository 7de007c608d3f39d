/* Numbers of ioctls. Those expected are of the kernel's own headers, where these
 * are installed, and of its documentation. */
#include "analyze/syscall/ioctl_names.h"
#include "format/base/mem.h"

#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/sync_file.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

static void is_called(enum an_ioctl_space space, unsigned long cmd,
		      const char *want)
{
	struct buf b;

	buf_init(&b, 0);
	an_ioctl_put(&b, space, (uint32_t)cmd);
	buf_u8(&b, 0);
	assert_string_equal((char *)b.p, want);
	buf_fini(&b);
}

static enum an_ioctl_space space(const char *path, const char *driver)
{
	return an_ioctl_space_of(span_of(path, strlen(path)), driver);
}

static void a_file_says_whose_numbers_its_ioctls_are(void **state)
{
	(void)state;
	assert_int_equal(space("", NULL), AN_IOCTL_UNKNOWN);
	assert_int_equal(space("/dev/null", NULL), AN_IOCTL_OTHER);
	assert_int_equal(space("/dev/dri", NULL), AN_IOCTL_OTHER);
	assert_int_equal(space("/dev/dri/card0", NULL), AN_IOCTL_DRM);
	assert_int_equal(space("/dev/dri/card0", "i915"), AN_IOCTL_I915);
	assert_int_equal(space("/dev/dri/renderD128", "amdgpu"),
			 AN_IOCTL_AMDGPU);
	assert_int_equal(space("/dev/dri/renderD128", "xe"), AN_IOCTL_XE);
	assert_int_equal(space("/dev/dri/card1", "virtio-pci"),
			 AN_IOCTL_VIRTGPU);
	assert_int_equal(space("/dev/dri/card1", "nouveau"), AN_IOCTL_NOUVEAU);
	assert_int_equal(space("/dev/dri/card1", "vc4"), AN_IOCTL_DRM);
	assert_int_equal(space("/dev/accel/accel0", NULL), AN_IOCTL_DRM);
	assert_int_equal(space("/dev/nvidia0", NULL), AN_IOCTL_NVIDIA);
	assert_int_equal(space("/dev/nvidiactl", NULL), AN_IOCTL_NVIDIA);
	assert_int_equal(space("/dev/nvidia-uvm", NULL), AN_IOCTL_UVM);
	assert_int_equal(space("/dev/nvidia-uvm-tools", NULL), AN_IOCTL_UVM);
}

static void numbers_of_gpus_have_their_names(void **state)
{
	(void)state;
	/* struct drm_mode_crtc_page_flip has 24 bytes. */
	is_called(AN_IOCTL_DRM, _IOWR('d', 0xb0, char[24]),
		  "DRM_IOCTL_MODE_PAGE_FLIP");
	is_called(AN_IOCTL_UNKNOWN, 0xc01864b0, "DRM_IOCTL_MODE_PAGE_FLIP");
	/* Another version's size. */
	is_called(AN_IOCTL_I915, _IOWR('d', 0xb0, char[32]),
		  "DRM_IOCTL_MODE_PAGE_FLIP");
	is_called(AN_IOCTL_I915, _IOW('d', 0x69, char[64]),
		  "DRM_IOCTL_I915_GEM_EXECBUFFER2");
	is_called(AN_IOCTL_AMDGPU, _IOWR('d', 0x44, char[24]),
		  "DRM_IOCTL_AMDGPU_CS");
	is_called(AN_IOCTL_XE, _IOW('d', 0x49, char[56]), "DRM_IOCTL_XE_EXEC");
	is_called(AN_IOCTL_VIRTGPU, _IOWR('d', 0x42, char[32]),
		  "DRM_IOCTL_VIRTGPU_EXECBUFFER");
	is_called(AN_IOCTL_NOUVEAU, _IOWR('d', 0x81, char[64]),
		  "DRM_IOCTL_NOUVEAU_GEM_PUSHBUF");
	is_called(AN_IOCTL_DRM, _IOWR('d', 0x44, char[24]),
		  "DRM driver+0x04");
	is_called(AN_IOCTL_I915, _IOWR('d', 0x9f, char[24]), "DRM I915+0x5f");
	/* No driver's and no name: as it is made. */
	is_called(AN_IOCTL_I915, _IOWR('d', 0xff, char[24]),
		  "_IOWR('d', 0xff, 24)");
	is_called(AN_IOCTL_NVIDIA, _IOWR('F', 0x2a, char[32]),
		  "NV_ESC_RM_CONTROL");
	is_called(AN_IOCTL_NVIDIA, _IOWR('F', 0x2b, char[48]),
		  "NV_ESC_RM_ALLOC");
	is_called(AN_IOCTL_NVIDIA, _IOWR('F', 201, int), "NV_ESC_REGISTER_FD");
	is_called(AN_IOCTL_UNKNOWN, _IOWR('F', 0x2a, char[32]),
		  "NV_ESC_RM_CONTROL");
	is_called(AN_IOCTL_UVM, 0x30000001, "UVM_INITIALIZE");
	is_called(AN_IOCTL_UVM, 51, "UVM_MIGRATE");
	is_called(AN_IOCTL_UVM, 999, "UVM 999");
}

/* FBIOGET_VSCREENINFO of a framebuffer is 0x4600, and others have a 'd'. */
static void a_magic_on_a_file_of_another_kind_says_nothing(void **state)
{
	(void)state;
	is_called(AN_IOCTL_UNKNOWN, 0x4600, "_IO('F', 0x00)");
	is_called(AN_IOCTL_OTHER, 0x462a, "_IO('F', 0x2a)");
	is_called(AN_IOCTL_OTHER, _IOWR('d', 0xb0, char[24]),
		  "_IOWR('d', 0xb0, 24)");
	is_called(AN_IOCTL_NVIDIA, _IOWR('d', 0xb0, char[24]),
		  "_IOWR('d', 0xb0, 24)");
	is_called(AN_IOCTL_OTHER, 51, "_IO(0x00, 0x33)");
}

static void what_has_no_name_is_taken_apart(void **state)
{
	(void)state;
	is_called(AN_IOCTL_OTHER, _IO('V', 1), "_IO('V', 0x01)");
	is_called(AN_IOCTL_OTHER, _IOR('V', 2, char[8]), "_IOR('V', 0x02, 8)");
	is_called(AN_IOCTL_OTHER, _IOW('V', 3, char[300]),
		  "_IOW('V', 0x03, 300)");
	is_called(AN_IOCTL_OTHER, _IOWR('\'', 4, int), "_IOWR(0x27, 0x04, 4)");
	is_called(AN_IOCTL_OTHER, 0xffffffff, "_IOWR(0xff, 0xff, 16383)");
	is_called(AN_IOCTL_OTHER, 0, "_IO(0x00, 0x00)");
}

#define SAME(name) { name, #name }

static void numbers_that_any_file_has_are_those_of_the_headers(void **state)
{
	static const struct {
		unsigned long cmd;
		const char *name;
	} cases[] = {
		SAME(TCGETS), SAME(TCSETS), SAME(TCSETSW), SAME(TCSETSF),
		SAME(TIOCSCTTY), SAME(TIOCGPGRP), SAME(TIOCSPGRP),
		SAME(TIOCOUTQ), SAME(TIOCGWINSZ), SAME(TIOCSWINSZ),
		SAME(FIONREAD), SAME(FIONBIO), SAME(TIOCGSID),
		SAME(TIOCGPTN), SAME(TIOCSPTLCK), SAME(FIONCLEX),
		SAME(FIOCLEX), SAME(FIOASYNC), SAME(FIOQSIZE),
		SAME(FS_IOC_GETFLAGS), SAME(FS_IOC_SETFLAGS), SAME(FICLONE),
		SAME(FICLONERANGE), SAME(BLKGETSIZE64), SAME(BLKSSZGET),
		SAME(RNDGETENTCNT), SAME(PERF_EVENT_IOC_ENABLE),
		SAME(PERF_EVENT_IOC_DISABLE), SAME(PERF_EVENT_IOC_RESET),
		SAME(SYNC_IOC_MERGE), SAME(SYNC_IOC_FILE_INFO),
		SAME(DMA_BUF_IOCTL_SYNC),
#ifdef DMA_BUF_IOCTL_EXPORT_SYNC_FILE
		SAME(DMA_BUF_IOCTL_EXPORT_SYNC_FILE),
		SAME(DMA_BUF_IOCTL_IMPORT_SYNC_FILE),
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		is_called(AN_IOCTL_OTHER, cases[i].cmd, cases[i].name);
		is_called(AN_IOCTL_UNKNOWN, cases[i].cmd, cases[i].name);
		is_called(AN_IOCTL_DRM, cases[i].cmd, cases[i].name);
	}
}

static FILE *open_header(const char *name)
{
	static const char *const folders[] = { "/usr/include/drm",
					       "/usr/include/libdrm" };
	char path[256];
	FILE *f = NULL;

	for (size_t i = 0; i < ARRAY_LEN(folders) && !f; i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		f = fopen(path, "r");
	}
	return f;
}

/* "#define DRM_IOCTL_GEM_CLOSE	DRM_IOW (0x09, struct …)" */
static void all_numbers_of_drm_are_those_of_its_header(void **state)
{
	FILE *f = open_header("drm.h");
	char line[512], name[128], macro[16];
	unsigned number, n = 0;

	(void)state;
	if (!f)
		skip();
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "#define %127[A-Z0-9_] %15[A-Z_] ( %x", name,
			   macro, &number) == 3 &&
		    strncmp(name, "DRM_IOCTL_", 10) == 0 &&
		    strncmp(macro, "DRM_IO", 6) == 0) {
			is_called(AN_IOCTL_DRM, _IOWR('d', number, int), name);
			n++;
		}
	fclose(f);
	assert_true(n > 80);
}

/* "#define DRM_I915_GEM_BUSY	0x17"; only those that an ioctl is made of, where
 * the header has these. */
static void driver_is_that_of_its_header(const char *file, const char *prefix,
					 enum an_ioctl_space s, unsigned least)
{
	FILE *f = open_header(file);
	char line[512], name[128], want[160], text[1 << 18];
	size_t size;
	unsigned number, n = 0;

	if (!f)
		skip();
	size = fread(text, 1, sizeof(text) - 1, f);
	text[size] = 0;
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "#define %127[A-Z0-9_] 0x%x", name,
			   &number) != 2 ||
		    strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(want, sizeof(want), "DRM_COMMAND_BASE + %s,", name);
		if (strstr(text, "DRM_COMMAND_BASE + ") && !strstr(text, want))
			continue;
		snprintf(want, sizeof(want), "DRM_IOCTL_%s", name + 4);
		is_called(s, _IOWR('d', 0x40 + number, int), want);
		n++;
	}
	fclose(f);
	assert_true(n >= least);
}

static void numbers_of_drivers_are_those_of_their_headers(void **state)
{
	(void)state;
	driver_is_that_of_its_header("i915_drm.h", "DRM_I915_", AN_IOCTL_I915,
				     40);
	driver_is_that_of_its_header("amdgpu_drm.h", "DRM_AMDGPU_",
				     AN_IOCTL_AMDGPU, 14);
	driver_is_that_of_its_header("virtgpu_drm.h", "DRM_VIRTGPU_",
				     AN_IOCTL_VIRTGPU, 7);
	driver_is_that_of_its_header("nouveau_drm.h", "DRM_NOUVEAU_",
				     AN_IOCTL_NOUVEAU, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_says_whose_numbers_its_ioctls_are),
		cmocka_unit_test(numbers_of_gpus_have_their_names),
		cmocka_unit_test(a_magic_on_a_file_of_another_kind_says_nothing),
		cmocka_unit_test(what_has_no_name_is_taken_apart),
		cmocka_unit_test(
			numbers_that_any_file_has_are_those_of_the_headers),
		cmocka_unit_test(all_numbers_of_drm_are_those_of_its_header),
		cmocka_unit_test(numbers_of_drivers_are_those_of_their_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
