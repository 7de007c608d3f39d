#!/bin/sh
# deep.sh [WALKS]
# Prints a C program of 600 functions in 12 layers whose stacks reach depth 40
# and vary without end: `deep [THREADS] [SECONDS]`. The same text on each run.
# With WALKS so many ways down are gone again and again, so that the stacks
# repeat (24000: about 100,000 different ones, by name, in a million samples),
# and the functions have C++ names of 53 characters, about.
exec awk -v walks="${1:-0}" '
function rnd(n) { # Park and Miller: exact in doubles, the same everywhere
	seed = (seed * 16807) % 2147483647
	return seed % n
}
BEGIN {
	seed = 20240229
	layers = 12
	width = 50
	print "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>"
	print "#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n"
	print "enum { MAX_DEPTH = 40, MAX_THREADS = 64 };\n"
	print "struct walk { uint64_t state, n; int depth; double end; };\n"
	for (l = 0; l < layers; l++)
		for (i = 0; i < width; i++)
			printf "uint64_t layer%d_%d(struct walk *, " \
				"uint64_t)%s;\n", l, i, label_of(l, i)
	print "\nstatic inline uint64_t mix(uint64_t x)\n{"
	print "\tx = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;"
	print "\treturn x ^ x >> 27;\n}\n"
	for (l = 0; l < layers; l++)
		for (i = 0; i < width; i++)
			body(l, i)
	print "static double now(void)\n{\n\tstruct timespec t;\n"
	print "\tclock_gettime(CLOCK_MONOTONIC, &t);"
	print "\treturn (double)t.tv_sec + (double)t.tv_nsec / 1e9;\n}\n"
	print "static void *run(void *arg)\n{\n\tstruct walk *w = arg;\n"
	print "\twhile (now() < w->end)"
	print "\t\tfor (int i = 0; i < 20; i++) {"
	print "\t\t\tw->depth = 0;"
	if (walks)
		printf "\t\t\tw->state = mix(mix(++w->n %% %du) + 99);\n", walks
	printf "\t\t\tswitch (w->state >> 32 & 63) {\n"
	for (i = 0; i < width; i++)
		printf "\t\t\tcase %d: w->state = layer0_%d(w, " \
			"w->state); break;\n", i, i
	print "\t\t\tdefault: w->state = layer0_0(w, w->state); break;"
	print "\t\t\t}\n\t\t}\n\treturn NULL;\n}\n"
	print "int main(int argc, char **argv)\n{"
	print "\tlong n = argc > 1 ? strtol(argv[1], NULL, 10) : 2;"
	print "\tdouble s = argc > 2 ? strtod(argv[2], NULL) : 1;"
	print "\tstruct walk w[MAX_THREADS];\n\tpthread_t t[MAX_THREADS];\n"
	print "\tif (n < 1 || n > MAX_THREADS)\n\t\treturn 2;"
	print "\tfor (long i = 0; i < n; i++) {"
	print "\t\tw[i] = (struct walk){ mix((uint64_t)i * 7919 + 1), " \
		"(uint64_t)i * 1999, 0, now() + s };"
	print "\t\tif (pthread_create(&t[i], NULL, run, &w[i]))"
	print "\t\t\treturn 1;\n\t}"
	print "\tfor (long i = 0; i < n; i++)\n\t\tpthread_join(t[i], NULL);"
	print "\treturn 0;\n}"
}
# engine::pipeline::layer3_17::process_request(context&)
function label_of(l, i,    name) {
	name = "layer" l "_" i
	return walks ? sprintf(" __asm__(\"_ZN6engine8pipeline%d%s" \
		"15process_requestER7context\")", length(name), name) : ""
}
# Some own work, then one callee: in most cases the usual one, so that some
# stacks are common, else one of a few others, so that the rare ones never end.
# Other callees of the upper layers go a layer down or jump back up; the last
# layer goes on from anywhere, which makes the deep and recursive stacks.
function body(l, i,    n, c, last) {
	last = l == layers - 1
	printf "__attribute__((noinline)) uint64_t layer%d_%d(struct walk *w, " \
		"uint64_t x)\n{\n", l, i
	printf "\tfor (int i = 0; i < %d; i++)\n\t\tx = mix(x + %d);\n", \
		20 + 20 * rnd(8), i
	print "\tif (++w->depth < MAX_DEPTH)"
	printf "\t\tswitch (x >> 40 & 63) {\n"
	n = last ? 24 : 1 + rnd(4)
	for (c = 0; c < n; c++)
		call(sprintf("case %d", c), last || c && rnd(4) == 0 ? \
			rnd(l + 1) : l + 1)
	if (last)
		print "\t\tdefault: break;"
	else
		call("default", l + 1)
	print "\t\t}\n\tw->depth--;\n\treturn mix(x);\n}\n"
}
function call(label, l) {
	printf "\t\t%s: x += layer%d_%d(w, x); break;\n", label, l, rnd(width)
}'
