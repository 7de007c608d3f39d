/* Touches exactly N fresh pages, one fault each, and prints N. What faults
 * before (the loader, libc, this stack) does not depend on N, so that the
 * difference between two runs is exactly the difference of their Ns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Neighbours are never mapped along: the memory is anonymous, and a huge page
 * would swallow 512 faults. */
__attribute__((noinline)) static void touch(volatile uint8_t *p, size_t n,
					    size_t page)
{
	for (size_t i = 0; i < n; i++)
		p[i * page] = 1;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	/* At least one page, so that N = 0 makes the same calls. */
	p = mmap(NULL, (n + 1) * page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || madvise(p, (n + 1) * page, MADV_NOHUGEPAGE)) {
		perror("pages");
		return 1;
	}
	touch(p, n, page);
	/* Nine digits whatever N is: the same path through printf. */
	printf("%09zu\n", n);
	return 0;
}
