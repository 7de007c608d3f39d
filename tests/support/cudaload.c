/* Keeps a GPU of NVIDIA busy, by the driver's own library: no CUDA toolkit is
 * needed, neither here nor there.
 *     cudaload SECONDS BLOCKS MIB
 * runs kernels of BLOCKS blocks (0: as many as fill it) one after the other, with
 * MIB of memory held. Prints "PID SMS" once it runs. Exits with 77 where there is
 * no such GPU, and says why. The kernel multiplies and adds 32-bit floats. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SM_COUNT 16 /* number of that attribute of a device */
#define THREADS 256
#define BLOCKS_OF_AN_SM 8 /* 2048 threads: as many as one has room for */

/* PTX is the driver's own input: it is translated for whatever GPU there is. */
static const char ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	".visible .entry work(.param .u64 out, .param .u32 n)\n{\n"
	"  .reg .pred %p;\n  .reg .f32 %a, %b;\n  .reg .u32 %i, %n, %t;\n"
	"  .reg .u64 %o;\n"
	"  ld.param.u64 %o, [out];\n  ld.param.u32 %n, [n];\n"
	"  cvta.to.global.u64 %o, %o;\n"
	"  mov.u32 %t, %tid.x;\n  cvt.rn.f32.u32 %a, %t;\n"
	"  mov.f32 %b, 0f3F000000;\n  mov.u32 %i, 0;\n"
	"loop:\n"
	"  fma.rn.f32 %a, %a, %b, %b;\n  fma.rn.f32 %a, %a, %b, %b;\n"
	"  fma.rn.f32 %a, %a, %b, %b;\n  fma.rn.f32 %a, %a, %b, %b;\n"
	"  fma.rn.f32 %a, %a, %b, %b;\n  fma.rn.f32 %a, %a, %b, %b;\n"
	"  fma.rn.f32 %a, %a, %b, %b;\n  fma.rn.f32 %a, %a, %b, %b;\n"
	"  add.u32 %i, %i, 1;\n  setp.lt.u32 %p, %i, %n;\n"
	"  @%p bra loop;\n"
	"  st.global.f32 [%o], %a;\n  ret;\n}\n";

struct cuda {
	int (*init)(unsigned);
	int (*device)(int *, int);
	int (*attribute)(int *, int, int device);
	int (*retain)(void **, int device);
	int (*current)(void *);
	int (*allocate)(uint64_t *, size_t);
	int (*load)(void **, const void *);
	int (*function)(void **, void *, const char *);
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
		      unsigned, unsigned, void *, void **, void **);
	int (*wait)(void);
};

static void leave(const char *what, int code)
{
	printf("%s: %d\n", what, code);
	exit(77);
}

static void check(int code, const char *what)
{
	if (code)
		leave(what, code);
}

static void find(void *lib, void *to, const char *name)
{
	void *f = dlsym(lib, name);

	if (!f)
		leave(name, -1);
	memcpy(to, &f, sizeof(f));
}

static void load(struct cuda *c)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);

	if (!lib) {
		printf("%s\n", dlerror());
		exit(77);
	}
	find(lib, &c->init, "cuInit");
	find(lib, &c->device, "cuDeviceGet");
	find(lib, &c->attribute, "cuDeviceGetAttribute");
	find(lib, &c->retain, "cuDevicePrimaryCtxRetain");
	find(lib, &c->current, "cuCtxSetCurrent");
	find(lib, &c->allocate, "cuMemAlloc_v2");
	find(lib, &c->load, "cuModuleLoadData");
	find(lib, &c->function, "cuModuleGetFunction");
	find(lib, &c->launch, "cuLaunchKernel");
	find(lib, &c->wait, "cuCtxSynchronize");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A loop of eight dependent operations takes some 20 ns: 50 ms a kernel. Two are
 * under way at a time, so that there is no gap between them. */
static void work(const struct cuda *c, void *f, unsigned blocks, uint64_t out,
		 double seconds)
{
	unsigned n = 2500000;
	void *args[] = { &out, &n };
	double end = now() + seconds;

	while (now() < end) {
		for (int i = 0; i < 2; i++)
			check(c->launch(f, blocks, 1, 1, THREADS, 1, 1, 0, NULL,
					args, NULL), "cuLaunchKernel");
		check(c->wait(), "cuCtxSynchronize");
	}
}

int main(int argc, char **argv)
{
	struct cuda c;
	void *context, *module, *f;
	unsigned blocks;
	uint64_t out;
	int device, sms = 0;

	if (argc != 4)
		return 2;
	load(&c);
	check(c.init(0), "cuInit");
	check(c.device(&device, 0), "cuDeviceGet");
	check(c.attribute(&sms, SM_COUNT, device), "cuDeviceGetAttribute");
	check(c.retain(&context, device), "cuDevicePrimaryCtxRetain");
	check(c.current(context), "cuCtxSetCurrent");
	check(c.allocate(&out, strtoull(argv[3], NULL, 10) << 20 | 4096),
	      "cuMemAlloc");
	check(c.load(&module, ptx), "cuModuleLoadData");
	check(c.function(&f, module, "work"), "cuModuleGetFunction");
	blocks = (unsigned)strtoul(argv[2], NULL, 10);
	if (!blocks)
		blocks = (unsigned)sms * BLOCKS_OF_AN_SM;
	work(&c, f, blocks, out, 0.2);
	printf("%d %d\n", (int)getpid(), sms);
	fflush(stdout);
	work(&c, f, blocks, out, strtod(argv[1], NULL));
	return 0;
}
