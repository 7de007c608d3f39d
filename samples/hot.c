/* Two functions that do the same work, one of them four times as often: 80 %
 * of the time is in hot(), 20 % in warm(). `hot [SCALE]` repeats it all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOT_TURNS = 40000000, WARM_TURNS = 10000000 };

/* One turn is a chain of three multiplications, so that its cost does not hang
 * on where the compiler put the loop. */
static inline uint64_t turn(uint64_t x)
{
	x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
	x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
	return (x ^ x >> 33) * 0x9e3779b97f4a7c15u;
}

__attribute__((noinline)) static uint64_t hot(uint64_t x)
{
	for (int i = 0; i < HOT_TURNS; i++)
		x = turn(x);
	return x;
}

__attribute__((noinline)) static uint64_t warm(uint64_t x)
{
	for (int i = 0; i < WARM_TURNS; i++)
		x = turn(x);
	return x;
}

int main(int argc, char **argv)
{
	long scale = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
	uint64_t x = 1;

	for (long i = 0; i < scale; i++)
		x = warm(hot(x));
	printf("%016llx\n", (unsigned long long)x);
	return 0;
}
