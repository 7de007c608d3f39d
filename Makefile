# coltrace: `make help` lists what there is to make.
#
# One makefile for the whole tree. Folders are found by wildcard: a new source
# file, test, fuzz target or sample needs no line here.

B ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PROGRAM_PREFIX ?=
PKG_CONFIG ?= pkg-config
OBJCOPY ?= objcopy
FUZZ_CC ?= clang
T ?=
TIME ?= 60
KILLS ?= 8

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# -- Flags --------------------------------------------------------------------

CFLAGS ?= -O3 -g
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wformat=2 $(if $(WERROR),-Werror)
# Frame pointers: a profiler is profiled, too.
BASE := -std=c17 -D_GNU_SOURCE -I. -fno-omit-frame-pointer $(WARN)
HARDEN := $(if $(SAN),,-D_FORTIFY_SOURCE=2 -fstack-protector-strong)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
COVERAGE := $(if $(COV),--coverage)
# Programs are optimized across files where the compiler is gcc (LTO= turns it
# off): a record passes a dozen of them on its way into columns.
LTO ?= $(if $(SAN)$(COV),,$(later_lto))
later_lto = $(eval later_lto := $$(shell echo __clang__ | $(CC) -E -P - \
	2>/dev/null | grep -q __clang__ && echo -flto=auto))$(later_lto)
flags = $(BASE) $(HARDEN) $(SANITIZE) $(COVERAGE) $(CFLAGS) $(CPPFLAGS)
ldflags = $(SANITIZE) $(COVERAGE) -Wl,-z,relro,-z,now $(LDFLAGS) -lm

# Asked of pkg-config at the first use and then kept: in `make deps all` it is
# installed after this file was read.
later = $(eval $(1) := $$(shell $(PKG_CONFIG) $(2) 2>/dev/null))$($(1))
pkg_cflags = $(call later,pkg_cflags,--cflags libzstd libdw libelf \
	libtraceevent zlib liblzma)
tf_libs = $(call later,tf_libs,--libs libzstd) -pthread
rec_libs = $(call later,dw_libs,--libs libdw libelf zlib liblzma) -liberty \
	$(tf_libs)
an_libs = $(call later,tep_libs,--libs libtraceevent) $(tf_libs)
cmocka_libs = $(call later,cmocka_libs,--libs cmocka)

# -- Files --------------------------------------------------------------------

sources = $(filter-out $(1)/main.c,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
objects = $(patsubst %.c,$(B)/obj/%.o,$(1))

tf_objs := $(call objects,$(call sources,format))
rec_objs := $(call objects,$(call sources,record))
an_objs := $(call objects,$(call sources,analyze)) \
	$(B)/obj/analyze/timeline/assets.o
fg_objs := $(call objects,$(call sources,flamegraph)) \
	$(B)/obj/flamegraph/assets.o
ct_objs := $(call objects,$(call sources,lib))

LIBS := tf rec an fg ct support
libs = $(patsubst %,$(B)/lib%.a,$(1))

# Which programs there are: a folder's main.c makes one.
programs := $(patsubst record,rec,$(patsubst %/main.c,%,\
	$(wildcard record/main.c analyze/main.c flamegraph/main.c)))
PROGRAMS := $(addprefix $(B)/,$(programs))
SAMPLES := $(patsubst %.c,$(B)/%,$(wildcard samples/*.c)) $(B)/samples/deep

# In tests/support a file with a main is a program, the others are shared.
support_mains := $(shell grep -l '^int main\>' tests/support/*.c 2>/dev/null)
support_objs := $(call objects,$(filter-out $(support_mains),\
	$(wildcard tests/support/*.c)))
SUPPORT := $(patsubst %.c,$(B)/%,$(support_mains))
UNIT := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
fuzz_names := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAY := $(if $(wildcard tests/fuzz/replay.c),\
	$(patsubst %,$(B)/tests/fuzz/replay_%,$(fuzz_names)))

comma := ,
# Allocations go through tests/support/failalloc.c, which can refuse them.
wrap := $(if $(wildcard tests/support/failalloc.c),\
	-Wl$(comma)--wrap=malloc$(comma)--wrap=calloc$(comma)--wrap=realloc) \
	$(if $(LTO),-fno-lto)

# -- Build --------------------------------------------------------------------

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n')
here = @mkdir -p $(@D)
link = $(Q)$(CC) -o $@ $(filter %.o,$^) \
	-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(ldflags)

# Writes $(1) into the target where it differs from what is there.
define keep
@mkdir -p $(@D)
@printf '%s\n' '$(strip $(1))' | cmp -s - $@ || \
	printf '%s\n' '$(strip $(1))' > $@
endef

.PHONY: all lib man demo picture check unit e2e built test bench fuzz lint format cov bless \
	bare install uninstall deps deps-test deps-dev clean help FORCE
FORCE:
all: $(PROGRAMS) $(SAMPLES)

$(B)/obj/%.o: %.c $(B)/flags.stamp | $(B)/need.stamp
	$(here)
	$(say) CC $@
	$(Q)$(CC) $(flags) $(lto_object) $(pkg_cflags) -MMD -MP -c -o $@ $<

# Fat, as tests are linked without. What only tests is made quickly.
lto_object = $(if $(filter tests/%,$<),-O1,$(LTO:%=% -ffat-lto-objects))
lto_program = $(if $(LTO),$(CFLAGS) $(LTO))
$(B)/flags.stamp: FORCE
	$(call keep,$(CC) $(flags) $(LTO) $(ldflags))

# An added or a removed source file remakes its archive. By any name of $(B): who
# installs may have another one than who built.
$(B)/lib%.list: FORCE
	$(call keep,$($*_objs:$(B)/%=%))

# q: two members may have one base name, of which r would keep the last.
define archive
$(B)/lib$(1).a: $($(1)_objs) $(B)/lib$(1).list
	$$(say) AR $$@
	$$(Q)rm -f $$@ && ar qcs $$@ $$(filter %.o,$$^)
endef
$(foreach l,$(LIBS),$(eval $(call archive,$(l))))

$(B)/obj/flamegraph/assets.c: flamegraph/embed.sh flamegraph/flame.css \
		flamegraph/flame.js
	$(here)
	$(Q)sh flamegraph/embed.sh flamegraph/flame.css flamegraph/flame.js > $@
$(B)/obj/flamegraph/assets.o: $(B)/obj/flamegraph/assets.c $(B)/flags.stamp
	$(say) CC $@
	$(Q)$(CC) $(flags) -Iflamegraph -c -o $@ $<
$(B)/obj/analyze/timeline/assets.c: $(wildcard analyze/timeline/*.sh \
		analyze/timeline/*.css analyze/timeline/*.js)
	$(here)
	$(Q)sh analyze/timeline/embed.sh > $@
$(B)/obj/analyze/timeline/assets.o: $(B)/obj/analyze/timeline/assets.c \
		$(B)/flags.stamp
	$(say) CC $@
	$(Q)$(CC) $(flags) -c -o $@ $<

$(B)/rec: $(B)/obj/record/main.o $(call libs,rec tf)
	$(say) LINK $@
	$(link) $(lto_program) $(rec_libs)
$(B)/analyze: $(B)/obj/analyze/main.o $(call libs,an fg tf)
	$(say) LINK $@
	$(link) $(lto_program) $(an_libs)
$(B)/flamegraph: $(B)/obj/flamegraph/main.o $(call libs,fg)
	$(say) LINK $@
	$(link) $(lto_program)

# -- Library ------------------------------------------------------------------

# libcoltrace is lib/ and what it needs of format/, made a second time, so that
# it can lie anywhere in memory. Only the names in lib/coltrace.map are seen from
# outside, in the archive too: it is one object whose other names are local.
LIB_VERSION := $(shell sed -n 's/^.define CT_VERSION "\(.*\)".*/\1/p' \
	lib/coltrace.h)
LIB_SONAME := libcoltrace.so.$(firstword $(subst ., ,$(LIB_VERSION)))
LIB_SO := $(B)/libcoltrace.so.$(LIB_VERSION)
pic_ct_objs := $(patsubst $(B)/obj/%,$(B)/pic/%,$(ct_objs))
pic_tf_objs := $(patsubst $(B)/obj/%,$(B)/pic/%,$(tf_objs))

$(B)/pic/%.o: %.c $(B)/flags.stamp | $(B)/need.stamp
	$(here)
	$(say) CC $@
	$(Q)$(CC) $(flags) -fPIC -ffunction-sections -fdata-sections \
		$(pkg_cflags) -MMD -MP -c -o $@ $<
$(B)/pic/libtf.a: $(pic_tf_objs) $(B)/libtf.list
	$(say) AR $@
	$(Q)rm -f $@ && ar qcs $@ $(filter %.o,$^)

$(LIB_SO): $(pic_ct_objs) $(B)/pic/libtf.a lib/coltrace.map $(B)/libct.list
	$(say) LINK $@
	$(Q)$(CC) -shared -o $@ $(filter %.o %.a,$^) -Wl,-soname,$(LIB_SONAME) \
		-Wl,--version-script=lib/coltrace.map -Wl,--gc-sections \
		$(ldflags) $(tf_libs)
	$(Q)ln -sf $(@F) $(B)/$(LIB_SONAME)
	$(Q)ln -sf $(@F) $(B)/libcoltrace.so
$(B)/libcoltrace.a: $(pic_ct_objs) $(B)/pic/libtf.a lib/coltrace.map \
		$(B)/libct.list
	$(say) AR $@
	$(Q)$(CC) -r -nostdlib -o $(B)/pic/coltrace.o $(filter %.o %.a,$^)
	$(Q)sed -n 's/^[[:space:]]*\(ct_.*\);/\1/p' lib/coltrace.map \
		> $(B)/pic/names
	$(Q)$(OBJCOPY) --keep-global-symbols=$(B)/pic/names \
		$(B)/pic/coltrace.o
	$(Q)rm -f $@ && ar qcs $@ $(B)/pic/coltrace.o
lib: $(LIB_SO) $(B)/libcoltrace.a

# What is made of lib/coltrace.pc.in depends on where it is installed.
$(B)/coltrace.pc: lib/coltrace.pc.in $(B)/folders.stamp
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(LIB_VERSION)|' $< > $@
$(B)/folders.stamp: FORCE
	$(call keep,$(PREFIX) $(LIBDIR) $(INCLUDEDIR) $(LIB_VERSION))

# The example, as somebody else would build it.
$(B)/samples/readtrace: samples/readtrace.c lib/coltrace.h $(B)/libcoltrace.a
	$(here)
	$(say) SAMPLE $@
	$(Q)$(CC) $(SAMPLE_CFLAGS) -Ilib -o $@ $< $(B)/libcoltrace.a \
		$(SANITIZE) $(COVERAGE) $(tf_libs)

# -- Samples ------------------------------------------------------------------

# Programs to be measured: never sanitized, with frame pointers and symbols.
SAMPLE_CFLAGS := -std=gnu17 -O1 -g -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -Wall -Wextra
sample = $(Q)$(CC) $(SAMPLE_CFLAGS) -o $@ $< -pthread -Wl,--build-id
$(B)/samples/%: samples/%.c Makefile | $(B)/need.stamp
	$(here)
	$(say) SAMPLE $@
	$(sample)
# Without -g: 600 functions would take as long as everything else.
$(B)/samples/deep: SAMPLE_CFLAGS := $(filter-out -g,$(SAMPLE_CFLAGS))
$(B)/samples/deep: $(B)/samples/deep.c Makefile
	$(say) SAMPLE $@
	$(sample)
$(B)/samples/deep.c: samples/deep.sh | $(B)/need.stamp
	$(here)
	$(Q)sh samples/deep.sh > $@

# -- Tests --------------------------------------------------------------------

$(B)/tests/unit/%: $(B)/obj/tests/unit/%.o \
		$(call libs,support rec an fg ct tf) | $(B)/need-test.stamp
	$(here)
	$(say) LINK $@
	$(link) $(wrap) $(cmocka_libs) $(rec_libs) $(an_libs)
$(B)/tests/support/%: $(B)/obj/tests/support/%.o \
		$(call libs,support rec an fg ct tf)
	$(here)
	$(say) LINK $@
	$(link) $(wrap) -Wl,--as-needed $(cmocka_libs) $(rec_libs) $(an_libs)
# Those that measure are what programs are.
$(B)/tests/support/drainreplay $(B)/tests/support/recode: wrap = $(lto_program)
$(B)/tests/fuzz/replay_%: $(B)/obj/tests/fuzz/replay.o \
		$(B)/obj/tests/fuzz/fuzz_%.o $(call libs,support rec an fg ct tf)
	$(here)
	$(say) LINK $@
	$(link) $(wrap) -Wl,--as-needed $(cmocka_libs) $(rec_libs) $(an_libs)
$(patsubst $(B)/%,$(B)/obj/%.o,$(UNIT)): | $(B)/need-test.stamp

# A library that is loaded, not linked, stood in for: one of each age.
NVML := $(patsubst %,$(B)/tests/support/nvml_%.so,1 2 3 4)
$(B)/tests/support/nvml_%.so: $(wildcard tests/support/nvml/*.[ch]) \
		| $(B)/need.stamp
	$(here)
	$(say) STANDIN $@
	$(Q)$(CC) $(BASE) -Wno-missing-prototypes -DAGE=$* -O1 -g -fPIC -shared \
		-Wl,-Bsymbolic -o $@ $(filter %.c,$^)
$(filter $(B)/tests/unit/test_nvml%,$(UNIT)): | $(NVML)

tests_built := $(PROGRAMS) $(SAMPLES) $(SUPPORT) $(NVML) $(LIB_SO) \
	$(B)/libcoltrace.a
run_tests = $(Q)B=$(B) KILLS=$(KILLS) SAN=$(SAN) CC='$(CC)' sh tests/run.sh

# check: no privileges, no live kernel. e2e: the live kernel, best as root.
check: $(tests_built) $(UNIT) $(REPLAY)
	$(run_tests) unit golden man lib spec corpus browser
# unit: what the code itself does, not what scripts show of the programs.
unit: $(tests_built) $(UNIT) $(REPLAY)
	$(run_tests) unit golden spec corpus
e2e: $(tests_built)
	$(run_tests) e2e
# built: all that the tests take, and none is run.
built: $(tests_built) $(UNIT) $(REPLAY)
test: $(tests_built) $(UNIT) $(REPLAY)
	$(run_tests) unit golden man lib spec corpus browser e2e
bless: $(tests_built)
	$(Q)B=$(B) BLESS=1 sh tests/golden/run.sh
bench: $(tests_built)
	$(Q)B=$(B) sh tests/bench/run.sh
bare:
	$(Q)B=$(B) sh tests/bare/run.sh
lint:
	$(Q)B=$(B) sh tests/lint/run.sh
format:
	$(Q)clang-format -i $$(sh tests/lint/sources.sh)

# make fuzz T=reader TIME=300; without T all, one after another.
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
fuzz_srcs := $(filter-out %/main.c,$(foreach d,format lib record analyze \
	flamegraph,$(call sources,$(d)))) $(filter-out $(support_mains) \
	tests/support/failalloc.c,$(wildcard tests/support/*.c))
fuzz_objs := $(patsubst %.c,$(B)/fuzz/obj/%.o,$(fuzz_srcs)) \
	$(B)/fuzz/obj/flamegraph/assets.o \
	$(B)/fuzz/obj/analyze/timeline/assets.o
$(B)/fuzz/obj/%.o: %.c Makefile | $(B)/need.stamp
	$(here)
	$(say) CC $@
	$(Q)$(FUZZ_CC) $(BASE) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -O1 -g \
		$(pkg_cflags) -MMD -MP -c -o $@ $<
$(B)/fuzz/obj/flamegraph/assets.o: $(B)/obj/flamegraph/assets.c
	$(here)
	$(Q)$(FUZZ_CC) $(BASE) -Iflamegraph -c -o $@ $<
$(B)/fuzz/obj/analyze/timeline/assets.o: $(B)/obj/analyze/timeline/assets.c
	$(here)
	$(Q)$(FUZZ_CC) $(BASE) -c -o $@ $<
$(B)/fuzz/lib.a: $(fuzz_objs)
	$(Q)rm -f $@ && ar qcs $@ $^
$(B)/fuzz/fuzz_%: $(B)/fuzz/obj/tests/fuzz/fuzz_%.o $(B)/fuzz/lib.a
	$(say) LINK $@
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(rec_libs) \
		$(an_libs)
fuzz: $(patsubst %,$(B)/fuzz/fuzz_%,$(or $(T),$(fuzz_names)))
	$(Q)B=$(B) TIME=$(TIME) sh tests/fuzz/run.sh $(or $(T),$(fuzz_names))

cov:
	$(Q)$(MAKE) B=$(B)/cov COV=1 CFLAGS='-O0 -g' test
	$(Q)B=$(B)/cov sh tests/cov.sh

# -- Demo ---------------------------------------------------------------------

demo: $(PROGRAMS) $(SAMPLES)
	$(Q)B=$(B) sh samples/demo.sh
picture: demo
	$(Q)mkdir -p docs && cp $(B)/demo/demo.svg docs/demo.svg

# -- Manuals ------------------------------------------------------------------

# Man pages and the completion of shells, of the programs as installed: what
# they say of themselves, and man/*.txt.
$(B)/prefix.stamp: FORCE
	$(call keep,$(PROGRAM_PREFIX))
$(B)/man/made: $(PROGRAMS) $(wildcard man/*) $(B)/prefix.stamp
	$(say) MAN $(@D)
	$(Q)sh man/pages.sh $(B) $(@D) '$(PROGRAM_PREFIX)'
	@touch $@
$(B)/completion/made: $(wildcard completion/*) $(B)/prefix.stamp
	$(Q)sh completion/make.sh $(@D) '$(PROGRAM_PREFIX)'
	@touch $@
man: $(B)/man/made $(B)/completion/made

# -- Install ------------------------------------------------------------------

BINDIR := $(DESTDIR)$(PREFIX)/bin
SHARE := $(DESTDIR)$(PREFIX)/share
LIBS_TO := $(DESTDIR)$(LIBDIR)
HEADERS_TO := $(DESTDIR)$(INCLUDEDIR)
# Under share/ here as there: what file(1) and desktops know the file by.
shared := magic/coltrace mime/packages/coltrace.xml
# SHELL-FOLDER:WHERE-IT-LOOKS
completions := bash:bash-completion/completions zsh:zsh/site-functions \
	fish:fish/vendor_completions.d

install: $(PROGRAMS) man lib $(B)/coltrace.pc
	$(Q)install -d $(BINDIR)
	$(Q)for p in $(programs); do \
		install -m 755 $(B)/$$p $(BINDIR)/$(PROGRAM_PREFIX)$$p || exit; \
	done
	$(Q)for n in 1 5; do \
		install -d $(SHARE)/man/man$$n && install -m 644 \
			$(B)/man/*.$$n $(SHARE)/man/man$$n || exit; \
	done
	$(Q)for c in $(completions); do \
		install -d $(SHARE)/$${c#*:} && install -m 644 \
			$(B)/completion/$${c%%:*}/* $(SHARE)/$${c#*:} || exit; \
	done
	$(Q)install -d $(LIBS_TO)/pkgconfig $(HEADERS_TO)
	$(Q)install -m 644 $(LIB_SO) $(B)/libcoltrace.a $(LIBS_TO)
	$(Q)ln -sf $(notdir $(LIB_SO)) $(LIBS_TO)/$(LIB_SONAME)
	$(Q)ln -sf $(LIB_SONAME) $(LIBS_TO)/libcoltrace.so
	$(Q)install -m 644 $(B)/coltrace.pc $(LIBS_TO)/pkgconfig
	$(Q)install -m 644 lib/coltrace.h $(HEADERS_TO)
	$(Q)for f in $(shared); do \
		install -D -m 644 share/$$f $(SHARE)/$$f || exit; \
	done
uninstall: man
	$(Q)rm -f $(addprefix $(LIBS_TO)/,$(notdir $(LIB_SO)) $(LIB_SONAME) \
		libcoltrace.so libcoltrace.a pkgconfig/coltrace.pc) \
		$(HEADERS_TO)/coltrace.h $(addprefix $(SHARE)/,$(shared))
	$(Q)rm -f $(patsubst %,$(BINDIR)/$(PROGRAM_PREFIX)%,$(programs))
	$(Q)for n in 1 5; do \
		for m in $(B)/man/*.$$n; do \
			rm -f $(SHARE)/man/man$$n/$${m##*/}; \
		done; \
	done
	$(Q)for c in $(completions); do \
		for f in $(B)/completion/$${c%%:*}/*; do \
			rm -f $(SHARE)/$${c#*:}/$${f##*/}; \
		done; \
	done

# -- What must be installed ---------------------------------------------------

DEPS := gcc libc6-dev make pkg-config libzstd-dev libdw-dev libelf-dev \
	libiberty-dev libtraceevent-dev zlib1g-dev liblzma-dev
# perf is the peer that the tests compare with; python3 reads files by the
# specification alone.
DEPS_TEST := strace libcmocka-dev linux-perf python3 python3-zstandard procps g++ file \
	libxml2-utils shared-mime-info valgrind
DEPS_DEV := clang clang-format clang-tidy cppcheck shellcheck chromium \
	libclang-rt-dev debootstrap man-db mandoc zsh fish

sudo := $(if $(filter 0,$(shell id -u)),,sudo)
apt = $(Q)$(sudo) env DEBIAN_FRONTEND=noninteractive apt-get install -y \
	--no-install-recommends $(1)
deps:
	$(call apt,$(DEPS))
deps-test:
	$(call apt,$(DEPS) $(DEPS_TEST))
deps-dev:
	$(call apt,$(DEPS) $(DEPS_TEST) $(DEPS_DEV))

# `make deps all`, in parallel too: install first.
first := $(filter deps deps-test deps-dev,$(MAKECMDGOALS))

missing = { echo "$(1) is missing: apt-get install $(2) (or: make $(3))" >&2; \
	exit 1; }
need = @$(PKG_CONFIG) --exists $(1) || $(call missing,$(1),$(2),$(or $(3),deps))
need_header = @echo '\#include <$(1)>' | $(CC) -E -xc - >/dev/null 2>&1 || \
	$(call missing,$(1),$(2),deps)

$(B)/need.stamp: Makefile | $(first)
	$(here)
	@command -v $(PKG_CONFIG) >/dev/null || \
		$(call missing,$(PKG_CONFIG),pkg-config,deps)
	$(call need,libzstd,libzstd-dev)
	$(call need,libdw,libdw-dev)
	$(call need,libelf,libelf-dev)
	$(call need,libtraceevent,libtraceevent-dev)
	$(call need,zlib,zlib1g-dev)
	$(call need,liblzma,liblzma-dev)
	$(call need_header,libiberty/demangle.h,libiberty-dev)
	@touch $@
$(B)/need-test.stamp: Makefile | $(first) $(B)/need.stamp
	$(call need,cmocka,libcmocka-dev,deps-test)
	@touch $@

clean:
	rm -rf $(B)

help:
	@sed -n 's/^#: //p' Makefile

#: make              rec, analyze, flamegraph and the samples, in build/
#: make lib          libcoltrace, shared and static, for other programs
#: make man          man pages and completion, in build/man and build/completion
#: make demo         record a sample program, report it, draw its flame graph
#: make test         check and e2e
#: make check        unit tests, goldens, corpora: no privileges needed
#: make unit         those of check that no script of the programs is needed for
#: make e2e          against the live kernel, best as root (KILLS=8)
#: make bench        times and sizes beside perf's
#: make fuzz         libFuzzer (T=target TIME=seconds)
#: make lint format  style, arrows, static analysis; clang-format
#: make cov          line coverage of the tests
#: make bless        rewrite the goldens, on purpose
#: make bare         both commands of the README in an empty Debian
#: make install      DESTDIR= PREFIX=/usr/local PROGRAM_PREFIX= LIBDIR=
#: make deps         the Debian packages to build (deps-test, deps-dev)
#: Variables: B=build CC=gcc SAN=address,undefined WERROR=1 V=1

-include $(shell find $(B)/obj $(B)/pic $(B)/fuzz/obj -name '*.d' 2>/dev/null)
