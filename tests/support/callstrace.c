#include "tests/support/callstrace.h"

#include "tests/unit/test_gpu_build.h"

#include <stdio.h>

#define ENTER(call) "syscalls:sys_enter_" call " __syscall_nr=1 "
#define EXIT(call) "syscalls:sys_exit_" call " __syscall_nr=1 ret="

/* A viewer flips twice (2 and 4 ms) and submits thrice (100, 200 and 600 us),
 * one of these from elsewhere and refused; its thread waits for memory of a GPU
 * and is in a poll when the recording ends. Another program asks a terminal,
 * whose descriptor becomes a file's at 50 ms. */
static const char lines[] =
	"thread 100 100 viewer\n"
	"thread 101 100 worker\n"
	"thread 200 200 shell\n"
	"fact arch x86_64\n"
	"fact file.100.3 /dev/dri/card0\n"
	"fact driver./dev/dri/card0 i915\n"
	"fact gpu.file.100.4 /dev/nvidiactl\n"
	"fact file.100.5 /dev/nvidia-uvm\n"
	"fact file.200.0 /dev/pts/1\n"
	"fact file.200.0.50000000 /tmp/notes\n"
	"500000 0 100 " EXIT("openat") "3\n"
	"1000000 0 100 " ENTER("ioctl")
	"fd=3 cmd=0xc01864b0 arg=1 | main;show;ioctl\n"
	"3000000 0 100 " EXIT("ioctl") "0\n"
	"10000000 0 100 " ENTER("ioctl")
	"fd=3 cmd=0x40406469 arg=1 | main;draw;ioctl\n"
	"10100000 0 100 " EXIT("ioctl") "0\n"
	"11000000 0 100 " ENTER("ioctl")
	"fd=3 cmd=0x40406469 arg=1 | main;draw;ioctl\n"
	"11600000 1 100 " EXIT("ioctl") "0\n"
	"12000000 1 100 " ENTER("ioctl")
	"fd=3 cmd=0x40406469 arg=1 | main;redraw;ioctl\n"
	"12200000 1 100 " EXIT("ioctl") "-28\n"
	"18000000 1 100 " ENTER("ioctl")
	"fd=3 cmd=0xc01864b0 arg=1 | main;show;ioctl\n"
	"22000000 1 100 " EXIT("ioctl") "0\n"
	"2000000 1 101 " ENTER("ioctl") "fd=4 cmd=0xc020462a arg=1\n"
	"2050000 1 101 " EXIT("ioctl") "0\n"
	"3000000 1 101 " ENTER("ioctl") "fd=5 cmd=33 arg=1\n"
	"3500000 1 101 " EXIT("ioctl") "0\n"
	"4000000 1 101 " ENTER("ioctl") "fd=6 cmd=0x5421 arg=1\n"
	"4001000 1 101 " EXIT("ioctl") "0\n"
	"5000000 1 101 " ENTER("poll") "ufds=1 nfds=1 timeout_msecs=-1\n"
	"30000000 0 200 " ENTER("ioctl") "fd=0 cmd=0x5401 arg=1\n"
	"30002000 0 200 " EXIT("ioctl") "0\n"
	"60000000 0 200 " ENTER("ioctl") "fd=0 cmd=0x5401 arg=1\n"
	"60003000 0 200 " EXIT("ioctl") "-25\n"
	"61000000 0 200 " ENTER("read") "fd=0 buf=1 count=8\n"
	"62000000 0 200 " ENTER("close") "fd=0\n"
	"62000500 0 200 " EXIT("close") "0\n";

int calls_trace_write(const char *path, struct err *err)
{
	char *copy = strdup(lines);
	FILE *to = fopen(path, "w");
	struct buf b;
	int rc = 0;

	buf_init(&b, 0);
	if (copy)
		gb_build(&b, copy);
	if (!copy || !to || fwrite(b.p, 1, b.n, to) != b.n)
		rc = err_set(err, ERR_IO, "cannot write '%s'", path);
	if (to && fclose(to) && !rc)
		rc = err_set(err, ERR_IO, "cannot write '%s'", path);
	buf_fini(&b);
	free(copy);
	return rc;
}
