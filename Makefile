# Glasspool: the build.
#
#     make            the library, static and shared, and glasspool-cron, in build/release/
#     make test       the conformance suites: plain, ASan+UBSan, TSan, memcheck, installed
#     make stress     the races, on real threads, under ThreadSanitizer
#     make explore    the same races, on a scheduler of our own
#     make help       everything else
#
# How to read this file. Five things are made from the folders, by wildcard: the library from impl/,
# the command glasspool-cron from impl/command/, conformance from harness/conformance/ and the parts
# of harness/ that it tests, stress from the rest of harness/ and from stress/, bench from benches/.
# Each can be made in six flavours, which differ in flags alone, and with either compiler. The
# seventh, explore, is for programs that run on the explorer; that itself is made of release
# objects. One flavour of one compiler is one directory: build/tsan/, build/tsan-clang/. The section
# "One flavour" is a template, instantiated once per flavour. To build, no make calls another (but
# for explore-ports, which needs other compilers), so one `make -j` builds any number of flavours
# side by side.
#
# Nothing runs a compiler while this file is being read: on a fresh machine there is none yet. The
# goals that need more than a compiler first run ci/setup, which installs what is missing; all
# compiling waits for it.
#
# A comment that starts with two hash signs documents the target or variable below it, for
# `make help`.

.DEFAULT_GOAL := lib
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

comma := ,
empty :=
space := $(empty) $(empty)
define newline


endef

# ------------------------------------------------------------------------------------------------
# Variables a person may set

## what the names of the tools begin with, for another machine than this: aarch64-linux-gnu-
CROSS_COMPILE ?=
export CROSS_COMPILE
ifeq ($(origin CC),default)
## the compiler, gcc or clang; the C++ compiler follows it
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin CXX),default)
CXX := $(subst clang,clang++,$(subst gcc,g++,$(CC)))
endif
## flags of your own, put after ours
CFLAGS ?=
## linker flags of your own, put after ours
LDFLAGS ?=
## 1: show each command as it runs
V ?=
## test, coverage: only the suites that match this glob
SUITE ?=
## test, coverage: only the tests that match this glob
TEST ?=
## stress, explore, fuzz: how long to run, in seconds (default 90, 120, 60)
SECONDS ?=
## stress-helgrind, -drd, the self-tests, explore-bench: how long to run each, in seconds
SECONDS_EACH ?=
## stress, explore, mutants, self-tests: only the scenarios that match this glob (ARGS=--list: all)
SCENARIO ?=
## stress, explore, explore-pairs, explore-oracle, test-cron-peers: the seed
SEED ?=
## explore-oracle: how many programs to compare (default 500)
PROGRAMS ?=
## stress: how many at a time
JOBS ?=
## stress: the flavour to run
FLAVOUR ?= tsan
## explore and its tests: ucontext: fibers without assembly language, as on unknown processors
FIBERS ?=
## explore: only this strategy: random, pct, pos, dfs, dpor
STRATEGY ?=
## explore: only this memory model: sc, c11
MEMORY ?=
## explore: how many faults of each kind, as in spurious=1,cas=1,memory=1,thread=1,spins=1
FAULTS ?=
## explore, break: a token; the execution that printed it is repeated and shown
REPLAY ?=
## mutants, stress-selftest: only these, as in 'wheel-*'; break: this one
MUTANT ?=
## mutants-sweep: only this rule: boundary, operand, step, guard, assignment, signal
RULE ?=
## mutants-sweep: only the files that match this glob, as in 'delayed*.c'
FILE ?=
## mutants, claims-selftest, docs-commands: at most so many seconds; others each day
LIMIT ?=
## claims, claims-selftest: only the claims that match this glob
CLAIM ?=
## claims, claims-selftest: the java of the JDK that is asked (default: the one in the path)
JAVA ?=
## docs-commands: only the commands that match this glob
COMMAND ?=
## docs-translated: only the pages that match this glob, as in '003-rpc/*'
PAGE ?=
## stress, explore, mutants: also write the results to this file, as JSON
JSON ?=
## stress, explore, the self-tests: also write the results to this file, as JUnit
JUNIT ?=
## stress, explore: also write the results to this file, as a page
HTML ?=
## explore-pairs: how often each runs under ThreadSanitizer (default 3); samples: 200 times that
TIMES ?=
## bench: only those that match this regular expression (ARGS=--benchmark_list_tests: all)
BENCH ?=
## plots: how often each bench is repeated (default 5)
REPETITIONS ?=
## plots: no: draw again what was measured before
MEASURE ?=
## stress, explore, bench, bench-peers, mutants, mutants-sweep: further arguments
ARGS ?=
## bench-peers: only the rows that match this glob, like execute-1x2, schedule-*; grids only so
WORK ?=
## bench-peers: only the contenders that match one of these globs, as in 'jdk uv', and ours
PEER ?=
## bench-peers: how many rounds each, if so many make sense (default 7)
ROUNDS ?=
## bench-peers: 1: install the peers that are missing
SETUP ?=
## fuzz, fuzz-selftest: only this target: cron, duration, table, zone
FUZZ ?=
## test-cron-peers: how many questions to ask (default 110000)
COUNT ?=
## coverage: fail below this percentage of lines
COVERAGE_LINES ?= 97
## coverage: fail below this percentage of branches
COVERAGE_BRANCHES ?= 93
## install: where the tree is to live
PREFIX ?= /usr/local
## install: put in front of all paths while copying
DESTDIR ?=
## install: the libraries
LIBDIR ?= $(PREFIX)/lib
## install: the headers
INCLUDEDIR ?= $(PREFIX)/include
## install: the man pages
MANDIR ?= $(PREFIX)/share/man

# ------------------------------------------------------------------------------------------------
# What is made from what

command_sources     := $(sort $(wildcard impl/command/*.c))
impl_sources        := $(filter-out $(command_sources),$(sort $(wildcard impl/*/*.c)))
public_headers      := $(sort $(wildcard impl/include/glasspool/*.h))
conformance_sources := $(sort $(wildcard harness/conformance/*.c harness/check/*.c)) \
	harness/native/hang.c harness/native/stacks.c \
	$(addprefix harness/report/,lines.c words.c) \
	$(addprefix harness/scenario/,history.c scenario.c)
noaslr              := harness/native/noaslr.c
atomics             := harness/native/atomics.c
stress_folders      := $(addprefix harness/,scenario native check report) stress
stress_sources      := $(filter-out $(noaslr) $(atomics),\
	$(sort $(wildcard $(addsuffix /*.c,$(stress_folders)))))
explored_sources    := $(impl_sources) $(sort $(wildcard stress/*.c))
explorer_sources    := $(filter-out harness/explore/main.c,$(sort $(wildcard harness/explore/*.c)))
judging_sources     := $(sort $(wildcard $(addprefix harness/,scenario/*.c check/*.c report/*.c)))
oracle_programs     := $(sort $(wildcard harness/explore/test/programs_drawn*.c))
oracle_sources      := $(sort $(wildcard $(addprefix harness/explore/test/,\
	drawn*.c oracle*.c oracle/*.c)))
# The programs are faulty on purpose: those who read sources for faults do not get to see them.
explore_programs    := $(filter-out $(oracle_programs),\
	$(sort $(wildcard harness/explore/test/programs_*.c)))
ports_cunit         := harness/explore/test/ports/cunit.c
explore_tests       := $(filter-out $(explore_programs) $(oracle_programs) $(oracle_sources),\
	$(sort $(wildcard harness/explore/test/*.c))) \
	$(addprefix harness/conformance/,main.c check.c watchdog.c) harness/native/stacks.c \
	$(if $(CROSS_COMPILE),$(ports_cunit))
pair_programs       := $(addprefix harness/explore/test/pairs/,\
	shared.c threads.c locks.c waits.c atomics.c memory.c)
pair_explored       := harness/explore/test/pairs/explored.c harness/explore/test/every.c
pair_native         := harness/explore/test/pairs/native.c
explore_bench       := $(addprefix benches/explore/,mini_queue.c library.c table.c)
regress_programs    := $(filter-out %/main.c,$(sort $(wildcard benches/regress/explored/*.c)))
peers_sources       := $(sort $(wildcard harness/peers/*.c))
fuzz_sources        := $(sort $(wildcard harness/fuzz/*.c))
fuzz_driver         := harness/fuzz/driver.c
fuzz_replay         := harness/fuzz/replay.c
bench_sources       := $(sort $(wildcard benches/*.c benches/*.cc))
contender_sources   := $(addprefix benches/peers/,contender.c rounds.c timers.c)
own_contenders      := $(addprefix benches/peers/,glasspool.c floor.c)
all_sources         := $(sort $(impl_sources) $(command_sources) $(conformance_sources) \
	$(noaslr) $(atomics) \
	$(stress_sources) $(wildcard harness/native/selftest/*.c) \
	$(wildcard harness/explore/*.c) $(explore_tests) $(oracle_sources) $(ports_cunit) \
	$(pair_explored) $(pair_native) \
	$(wildcard benches/explore/*.c) \
	$(bench_sources) $(wildcard benches/regress/*/*.c) $(peers_sources) $(fuzz_sources) \
	$(contender_sources) $(own_contenders) $(wildcard docs/pictures/*.c))

version  = $(shell sed -n 's/^.define GP_VERSION_$(1) *//p' impl/include/glasspool/version.h)
MAJOR   := $(call version,MAJOR)
VERSION := $(MAJOR).$(call version,MINOR).$(call version,PATCH)

# ------------------------------------------------------------------------------------------------
# Flags

native_flavours := release debug asan tsan valgrind coverage
flavours       := $(native_flavours) explore wide
flags_release  := -O2 -g
flags_debug    := -O0 -g3
flags_asan     := -O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all
flags_tsan     := -O2 -g -fno-omit-frame-pointer -fsanitize=thread
flags_valgrind := -O1 -gdwarf-4 -fno-omit-frame-pointer -fsanitize=thread -DHARNESS_VALGRIND
flags_coverage := -O0 -g --coverage -fprofile-update=atomic
flags_wide     := $(flags_release) -DSET_WORDS=16
flags_fuzz     := -O1 -g -fno-omit-frame-pointer \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
flags_explore   = -O2 -g -fno-pie -fno-omit-frame-pointer -fno-optimize-sibling-calls \
	-fsanitize=thread -I. -DGP_PROBE_HEADER='"harness/explore/probe.h"' \
	@$(call out,explore)/builtins -U_FORTIFY_SOURCE \
	-include harness/explore/preamble.h \
	$(if $(findstring clang,$(CC)),-mllvm -tsan-instrument-func-entry-exit=0,\
	--param tsan-instrument-func-entry-exit=0)

# How the sanitizers behave in the runs below: strict, and with malloc failing as it does in C.
asan_options := detect_stack_use_after_return=1 strict_string_checks=1 allocator_may_return_null=1
export ASAN_OPTIONS  ?= $(subst $(space),:,$(asan_options))
export UBSAN_OPTIONS ?= print_stacktrace=1
export TSAN_OPTIONS  ?= second_deadlock_stack=1

# Nothing asks the system for more than POSIX, save the files named here, and those of harness/ and
# benches/ that define _GNU_SOURCE and say for which function. The library is compiled once for both
# its forms: position independent, hidden but for what the headers mark GP_API. With -fexceptions
# the handlers that catch a task's pthread_exit cost nothing until then.
warnings    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
gnu_sources := impl/sync/os.c harness/native/% harness/explore/% harness/fuzz/replay.c \
	benches/peers/%
feature      = $(if $(filter $(gnu_sources),$(1)),-D_GNU_SOURCE,-D_POSIX_C_SOURCE=200809L)
folder       = $(if $(filter impl/%,$(1)),$(impl_flags),-I. -Iimpl -Iimpl/include)
impl_flags  := -Iimpl -Iimpl/include -fPIC -fvisibility=hidden -fno-semantic-interposition \
	-fexceptions

# $(call c_flags,flavour,source) and $(call cxx_flags,flavour). noaslr.c runs before the sanitizer
# does, and atomics.c in its place; neither is therefore sanitized. (Valgrind 3.19 cannot read the
# DWARF 5 of clang.) In what the explorer does at each step of a program speed is worth its size.
hot_sources = $(foreach part,gates machine memory runtime,$(addsuffix \
	/harness/explore/$(part)%,$(widths)))
c_flags   = $(strip -std=c11 $(warnings) -Wstrict-prototypes -pthread $(call feature,$(2)) \
	$(call folder,$(2)) $(if $(filter $(noaslr) $(atomics),$(2)),-O2 -gdwarf-4,$(flags_$(1))) \
	$(if $(filter $(addsuffix /harness/explore/%,$(widths)),$(1)/$(2)),-fno-pie) \
	$(if $(filter $(hot_sources),$(1)/$(2)),-O3) \
	$(if $(filter ucontext,$(FIBERS)),-DFIBERS_UCONTEXT) \
	$(if $(CROSS_COMPILE),-idirafter /usr/include) \
	$(CPPFLAGS) $(CFLAGS))
cxx_flags = $(strip -std=c++17 $(warnings) -pthread -Iimpl/include $(flags_$(1)) \
	$(CPPFLAGS) $(CXXFLAGS))

# $(call wrap,functions): calls of these are linked to __wrap_<function>. The conformance suites
# make some fail (harness/conformance/fault.c); a program of the tsan flavour restarts itself where
# address randomisation would break it (harness/native/noaslr.c).
wrap      = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
faults   := malloc calloc realloc pthread_create pthread_mutex_init pthread_cond_init
link_tsan = $(call wrap,__tsan_init)

# The valgrind flavour has the compiler's marks at each atomic, as tsan does, but a runtime of our
# own (harness/native/atomics.c), which tells Helgrind and DRD about them.
link_valgrind = -fno-sanitize=thread $(call wrap,pthread_once pthread_cond_timedwait \
	pthread_mutex_destroy)

# The explore flavour has the same marks, at each access to memory besides; its calls of the system
# are renamed, and go to the explorer's runtime. The explorer itself is made of release objects, and
# a second time of wide ones, which are for programs with many threads (harness/explore/sets.h).
# Its programs have their global variables at the same addresses in each process.
widths        := release wide
link_explore  := -no-pie
control       := harness/explore/control
allowed       := harness/explore/allowed,harness/explore/allowed_report,harness/explore/allowed_zone
needs_explore  = $(addprefix $(call out,explore)/,symbols builtins) $(control)
after_explore  = && $(control) take $(call out,explore)/symbols $$@

# ------------------------------------------------------------------------------------------------
# Setup: the groups of tools that the goals of this run ask for

groups_setup             := build test stress explore lint coverage bench plots regress docs fuzz
groups_release           := test bench
groups_debug             := test bench
groups_asan              := test bench
groups_tsan              := test bench
groups_explorer          := test explore
groups_all               := test bench explore
groups_test              := test
groups_install-test      := test
groups_stress            := stress
groups_stress-asan       := stress
groups_stress-plain      := stress
groups_stress-helgrind   := valgrind
groups_stress-drd        := valgrind
groups_stress-selftest   := stress
groups_explore           := explore
groups_mutants           := explore test stress
groups_mutants-update    := explore test stress
groups_mutants-sweep     := explore test
groups_break-by-explorer := explore
groups_break-by-suites   := test
groups_explore-example   := explore
groups_explore-ports     := explore ports
groups_explore-bench     := explore
groups_explore-pairs     := explore stress
groups_explore-pairs-update := explore stress
groups_explore-oracle    := explore
groups_install-explore   := explore
groups_lint              := lint
groups_coverage          := coverage
groups_bench             := bench
groups_bench-smoke       := bench
groups_shim-test         := bench
groups_plots             := plots
groups_bench-peers       := $(if $(SETUP),$(addprefix peers-,\
	java netty glib uv apr cthreadpool tbb))
groups_regress           := regress
groups_regress-update    := regress
groups_regress-selftest  := regress
groups_docs              := docs explore
groups_docs-browser-test := docs explore docs-browser
groups_docs-check        := docs explore
groups_claims            := explore test bench $(if $(SETUP),peers-java)
groups_claims-selftest   := explore test bench $(if $(SETUP),peers-java)
groups_docs-sync         := docs explore
groups_docs-commands     := docs explore test stress valgrind bench fuzz
groups_reference         := explore
groups_fuzz              := fuzz
groups_fuzz-selftest     := fuzz
groups_fuzz-corpus       := fuzz

groups := $(sort $(foreach goal,$(MAKECMDGOALS),$(groups_$(goal))))
setup  := $(if $(groups),setup)

# ------------------------------------------------------------------------------------------------
# One flavour

Q        := $(if $(V),,@)
say       = $(if $(V),,@printf '  %-4s %s\n' $(1) $@)
compiler := $(notdir $(lastword $(CC)))

# $(call out,flavour) is its directory; $(call objects,flavour,sources) are their objects in it. The
# objects have a folder of their own, since build/tsan/stress is a program.
out        = build/$(subst $(space),-,$(strip $(1) $(filter-out gcc,$(compiler)) $(FIBERS)))
objects    = $(patsubst %,$(call out,$(1))/obj/%.o,$(basename $(2)))
in_flavour = $(addprefix $(call out,$(1))/,libglasspool.a glasspool-cron conformance stress bench)

# $(call template,flavour). The file `flags` changes when the flags do, and all objects with it. A
# binary depends on the folders of its sources as well, so that it notices a source that is gone.
define template
$(call out,$(1))/flags: FORCE | $(setup)
	@mkdir -p $$(@D)
	@flags='$(CC) $(call c_flags,$(1)) $(impl_flags) $(CXX) $(call cxx_flags,$(1))'; \
	[ "$$$$flags" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$$$flags" >$$@

$(call out,$(1))/obj/%.o: %.c $(call out,$(1))/flags $(needs_$(1))
	$$(call say,CC)
	@mkdir -p $$(@D)
	$(Q)$(CC) $$(call c_flags,$(1),$$<) -MMD -MP -c -o $$@ $$< $(after_$(1))

$(call out,$(1))/obj/%.o: %.cc $(call out,$(1))/flags
	$$(call say,CXX)
	@mkdir -p $$(@D)
	$(Q)$(CXX) $(call cxx_flags,$(1)) -MMD -MP -c -o $$@ $$<

$(call out,$(1))/obj/harness/report/html.o: harness/report/page.css harness/report/page.js

$(call out,$(1))/libglasspool.a: $(call objects,$(1),$(impl_sources)) $(sort $(dir $(impl_sources)))
	$$(call say,AR)
	$(Q)rm -f $$@ && $(CROSS_COMPILE)ar rcsD $$@ $$(filter %.o,$$^)

$(call out,$(1))/glasspool-cron: $(call objects,$(1),$(command_sources)) \
		$(call out,$(1))/libglasspool.a $(sort $(dir $(command_sources)))
	$$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_$(1)) $(link_$(1)) $(LDFLAGS) -o $$@ $$(filter %.o %.a,$$^)

$(call out,$(1))/conformance: $(call objects,$(1),$(conformance_sources)) \
		$(call out,$(1))/libglasspool.a $(sort $(dir $(conformance_sources)))
	$$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_$(1)) $(link_$(1)) $(call wrap,$(faults)) $(LDFLAGS) -o $$@ \
		$$(filter %.o %.a,$$^) -lcunit

$(call out,$(1))/stress: $(call objects,$(1),$(stress_sources)) \
		$(call out,$(1))/libglasspool.a $(sort $(dir $(stress_sources)))
	$$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_$(1)) $(link_$(1)) $(LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) -lm

$(call out,$(1))/bench: $(call objects,$(1),$(bench_sources)) \
		$(call out,$(1))/libglasspool.a $(sort $(dir $(bench_sources)))
	$$(call say,LINK)
	$(Q)$(CXX) -pthread $(flags_$(1)) $(link_$(1)) $(LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) \
		-lbenchmark -lm

-include $(patsubst %.o,%.d,\
	$(call objects,$(1),$(all_sources) $(explore_programs) $(pair_programs) \
	$(oracle_programs)))
endef

$(foreach each,$(flavours),$(eval $(call template,$(each))))

$(addprefix $(call out,tsan)/,glasspool-cron conformance stress bench): \
	$(call objects,tsan,$(noaslr))
$(addprefix $(call out,valgrind)/,glasspool-cron conformance stress bench): \
	$(call objects,valgrind,$(atomics))

$(foreach each,$(widths),$(call out,$(each))/libglasspool-explore.a): \
		build/%/libglasspool-explore.a: \
		$(addprefix build/%/obj/,$(addsuffix .o,$(basename $(explorer_sources)))) \
		$(call objects,release,$(judging_sources)) harness/explore
	$(call say,AR)
	$(Q)rm -f $@ && $(CROSS_COMPILE)ar rcsD $@ $(filter %.o,$^)

# For the programs of others: one object, in which only what they are linked to has a name, so that
# they may call their own things as they like.
for_programs      := $(call out,explore)/libglasspool-explore.a
for_many_threads  := $(call out,explore)/libglasspool-explore-wide.a
$(for_programs): $(call out,release)/libglasspool-explore.a
$(for_many_threads): $(call out,wide)/libglasspool-explore.a
$(for_programs) $(for_many_threads):
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)$(CROSS_COMPILE)nm -g --defined-only $< | \
		awk '$$2 == "T" && $$3 ~ /^(gpx_|__|main$$)/ { print $$3 }' >$(@:.a=.names)
	$(Q)$(CC) -r -nostdlib -no-pie -o $(@:.a=.o) $$(sed 's/^/-Wl,-u,/' $(@:.a=.names)) $<
	$(Q)$(CROSS_COMPILE)objcopy --keep-global-symbols=$(@:.a=.names) $(@:.a=.o)
	$(Q)rm -f $@ && $(CROSS_COMPILE)ar rcsD $@ $(@:.a=.o)

$(call out,explore)/symbols: $(call out,release)/libglasspool-explore.a $(control)
	@mkdir -p $(@D)
	@$(control) symbols $< >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(call out,explore)/builtins: $(call out,explore)/symbols
	@$(control) builtins $< >$@

# $(call explored,program,sources,sources beside them,allowed,libraries,width): a program that runs
# on the explorer. Those beside are of the flavour that the explorer is made of, release unless
# there is a width: it does not see what they do.
define explored
$(call out,explore)/$(1): $(call objects,explore,$(2)) $(call objects,$(or $(6),release),$(3)) \
		$(call out,$(or $(6),release))/libglasspool-explore.a
	@$(control) check $(4) $(call objects,explore,$(2)) -- \
		$(call objects,$(or $(6),release),$(3)) \
		$(call out,$(or $(6),release))/libglasspool-explore.a
	$$(call say,LINK)
	$(Q)$(CC) -pthread $(link_explore) $(LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) $(5) -lm
endef

$(eval $(call explored,explore,$(explored_sources),harness/explore/main.c,$(allowed)))
$(eval $(call explored,explore-bench,$(impl_sources) $(explore_bench),benches/explore/main.c,\
	$(allowed)))
$(eval $(call explored,regress,$(impl_sources) $(regress_programs),\
	benches/regress/explored/main.c,$(allowed)))
$(eval $(call explored,explore-test,$(explore_programs),$(explore_tests),harness/explore/allowed,\
	$(if $(CROSS_COMPILE),,-lcunit)))
$(eval $(call explored,explore-test-wide,$(explore_programs),$(explore_tests),\
	harness/explore/allowed,$(if $(CROSS_COMPILE),,-lcunit),wide))
$(addprefix $(call out,explore)/,explore-test explore-test-wide): $(call out,release)/libglasspool.a
$(eval $(call explored,explore-oracle,$(oracle_programs),$(oracle_sources),harness/explore/allowed))

# The same programs on the explorer and under ThreadSanitizer: harness/explore/test/pairs/.
$(eval $(call explored,pairs,$(pair_programs),$(pair_explored),harness/explore/allowed))

$(call out,tsan)/pairs: $(call objects,tsan,$(pair_programs) $(pair_native) $(noaslr))
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_tsan) $(link_tsan) $(LDFLAGS) -o $@ $^ -latomic

$(eval $(call explored,timeline,$(impl_sources) docs/pictures/timeline.c,\
	docs/pictures/timeline_main.c docs/pictures/goes_on.c,$(allowed)))

$(eval $(call explored,wheel,$(filter-out impl/wheel/hashed.c,$(impl_sources)) \
	docs/pictures/hashed.c docs/pictures/wheel.c,\
	docs/pictures/wheel_main.c docs/pictures/goes_on.c,$(allowed)))

# Its wheel is compiled anew, with a gp__row_append that tells where the buckets are.
$(call out,explore)/obj/docs/pictures/hashed.o: impl/wheel/hashed.c docs/pictures/hand.h \
		$(call out,explore)/flags $(needs_explore)
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(call c_flags,explore,$<) -I. -include docs/pictures/hand.h \
		-DAPPEND_ALOUD -MMD -MP -c -o $@ $<
	$(Q)$(control) take $(call out,explore)/symbols $@

-include $(call out,explore)/obj/docs/pictures/hashed.d

# The queue of the heap is compiled anew, with a gp__set_entry that tells what it writes.
placing := $(call out,release)/obj/docs/pictures/delayed.o
aloud   := $(call out,release)/aloud

$(aloud)/queue/heap.h: impl/queue/heap.h
	@mkdir -p $(@D)
	$(Q)sed 's/^    entries\[k\] = \*entry;$$/    place_aloud(entry, k);\n&/' $< >$@
	$(Q)grep -q place_aloud $@ || { rm $@; echo "$<: no line entries[k] = *entry"; exit 1; }

$(placing): impl/queue/delayed.c $(aloud)/queue/heap.h docs/pictures/aloud.h \
		$(call out,release)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) -I$(aloud) $(call c_flags,release,$<) -I. -include docs/pictures/aloud.h \
		-MMD -MP -c -o $@ $<

-include $(placing:.o=.d)

# And so are the sources that tell of states, with probes that do.
telling := $(addprefix impl/,future/future.c pool/lifecycle.c pool/worker.c rpc/threadless.c)
told    := $(patsubst impl/%.c,$(call out,release)/obj/docs/pictures/%.o,$(telling))

$(told): $(call out,release)/obj/docs/pictures/%.o: impl/%.c docs/pictures/probe.h \
		$(call out,release)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(call c_flags,release,$<) -I. \
		-DGP_PROBE_HEADER='"docs/pictures/probe.h"' -MMD -MP -c -o $@ $<

-include $(told:.o=.d)

$(call out,release)/states: $(call objects,release,docs/pictures/states.c) $(told) \
		$(call out,release)/libglasspool.a
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_release) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(call out,release)/heap: $(call objects,release,docs/pictures/heap.c) $(placing) \
		$(call out,release)/libglasspool.a
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_release) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(call out,release)/periods: $(call objects,release,docs/pictures/periods.c) \
		$(call out,release)/libglasspool.a
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_release) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(call out,release)/peers: $(call objects,release,$(peers_sources)) \
		$(call out,release)/libglasspool.a harness/peers
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_release) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(call out,asan)/replay: $(call objects,asan,$(filter-out $(fuzz_driver),$(fuzz_sources))) \
		$(call out,asan)/libglasspool.a harness/fuzz
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_asan) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

# The fuzzer is clang's, whatever else is compiled with; it needs marks of its own in the library.
fuzz_cc      := $(if $(findstring clang,$(CC)),$(CC),clang)
fuzz_objects := $(patsubst %.c,build/fuzz/obj/%.o,$(impl_sources) \
	$(filter-out $(fuzz_replay),$(fuzz_sources)))
fuzz_link     = $(fuzz_cc) -pthread $(subst fuzzer-no-link,fuzzer,$(flags_fuzz)) $(LDFLAGS)

build/fuzz/flags: FORCE | $(setup)
	@mkdir -p $(@D)
	@flags='$(fuzz_cc) $(call c_flags,fuzz) $(impl_flags)'; \
	[ "$$flags" = "$$(cat $@ 2>/dev/null)" ] || echo "$$flags" >$@

build/fuzz/obj/%.o: %.c build/fuzz/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(fuzz_cc) $(call c_flags,fuzz,$<) -MMD -MP -c -o $@ $<

build/fuzz/fuzz: $(fuzz_objects) $(sort $(dir $(impl_sources))) harness/fuzz
	$(call say,LINK)
	$(Q)$(fuzz_link) -o $@ $(filter %.o,$^)

-include $(fuzz_objects:.o=.d)

$(call out,valgrind)/atomics-selftest: \
		$(call objects,valgrind,harness/native/selftest/atomics.c $(atomics))
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_valgrind) $(link_valgrind) $(LDFLAGS) -o $@ $^

.PHONY: FORCE
FORCE:

# ------------------------------------------------------------------------------------------------
##@ Build

## the library, static and shared, and glasspool-cron; this is what plain make does
.PHONY: lib
lib: $(addprefix $(call out,release)/,libglasspool.a libglasspool.so glasspool-cron)

$(call out,release)/libglasspool.so: $(call objects,release,$(impl_sources)) \
		$(sort $(dir $(impl_sources)))
	$(call say,LINK)
	$(Q)$(CC) -pthread $(flags_release) -shared -Wl,-soname,libglasspool.so.$(MAJOR) \
		-Wl,-z,defs $(LDFLAGS) -o $@ $(filter %.o,$^)

## library and programs, optimised
.PHONY: release
release: $(call in_flavour,release)

## library and programs, for a debugger
.PHONY: debug
debug: $(call in_flavour,debug)

## library and programs, with AddressSanitizer and UndefinedBehaviorSanitizer
.PHONY: asan
asan: $(call in_flavour,asan)

## library and programs, with ThreadSanitizer
.PHONY: tsan
tsan: $(call in_flavour,tsan)

## the explorer, its tests and its bench
.PHONY: explorer
explorer: $(addprefix $(call out,explore)/,explore explore-test explore-test-wide explore-bench)

## all of these
.PHONY: all
all: lib release debug asan tsan explorer

## how each source is compiled, for editors and linters: build/compile_commands.json
.PHONY: compile-commands
compile-commands: build/compile_commands.json

command = $(strip $(if $(filter %.cc,$(1)),\
	$(CXX) $(call cxx_flags,release),\
	$(CC) $(call c_flags,release,$(1))) \
	$(if $(filter benches/peers/%,$(1)),$(shell bash benches/peers/build flags $(1))))
# Of the contenders those whose libraries are there; ci/lint says which it skips.
peers_found = $(shell bash benches/peers/build sources)
entry   = {"directory": "$(CURDIR)", "file": "$(1)", "command": "$(call command,$(1)) -c $(1)"}

build/compile_commands.json: FORCE | build
	$(file >$@,[ $(call entry,$(firstword $(all_sources))))
	$(foreach source,$(wordlist 2,$(words $(all_sources)),$(all_sources)) $(peers_found),\
		$(file >>$@,$(comma) $(call entry,$(source))))
	$(file >>$@,])@:

build:
	@mkdir -p $@

## install what all goals need, but for test-cron-peers, explore-ports, docs-browser-test
.PHONY: setup
setup:
	@CC='$(CC)' bash ci/setup $(groups)

## remove build/
.PHONY: clean
clean:
	rm -rf build

# ------------------------------------------------------------------------------------------------
##@ Test

selection = $(if $(SUITE),--suite '$(SUITE)') $(if $(TEST),--test '$(TEST)')

## the conformance suites: plain, ASan+UBSan, TSan, memcheck; then the programs and install-test
.PHONY: test
test: $(foreach flavour,release asan tsan,$(call out,$(flavour))/conformance) lib \
		$(addprefix $(call out,asan)/,glasspool-cron replay) \
		$(addprefix $(call out,explore)/,explore-test explore-test-wide explore) \
		explore-support
	@CC='$(CC)' bash ci/test $(filter %/conformance %/explore-test,$^) $(selection)

## examples in C and C++ against the installed library, with pkg-config only
.PHONY: install-test
install-test: lib
	@CC='$(CC)' bash ci/install-test

# What mutants are put into, with how it is made: the explorer, the suites, the races on threads.
museum  = $(foreach each,explore/explore asan/conformance tsan/stress,\
	$(call out,$(each)) $(call out,$(dir $(each))commands))
mutated = $(if $(MUTANT),--mutant '$(MUTANT)') $(if $(SCENARIO),--scenario '$(SCENARIO)') \
	$(if $(SECONDS_EACH),--seconds $(SECONDS_EACH)) $(if $(LIMIT),--limit $(LIMIT)) \
	$(if $(JSON),--json '$(JSON)') $(if $(JUNIT),--junit '$(JUNIT)') $(ARGS)

# All scenarios in one process, for so long together; or each in its own, for so long each.
races      = $(if $(SCENARIO),--scenario '$(SCENARIO)') $(if $(SEED),--seed $(SEED)) $(ARGS)
to_files   = $(if $(JSON),--json '$(JSON)') $(if $(JUNIT),--junit '$(JUNIT)') \
	$(if $(HTML),--html '$(HTML)')
run_stress = $(Q)$< $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JOBS),--jobs $(JOBS)) \
	$(races) $(to_files)
each_race  = $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH)) $(races)

ifneq ($(filter stress,$(MAKECMDGOALS)),)
ifeq ($(filter $(FLAVOUR),$(native_flavours)),)
$(error FLAVOUR cannot be '$(FLAVOUR)', only one of: $(native_flavours))
endif
endif

## the scenarios on real threads, under ThreadSanitizer unless FLAVOUR says otherwise
.PHONY: stress
stress: $(call out,$(FLAVOUR))/stress
	$(run_stress)

## the same with AddressSanitizer and UndefinedBehaviorSanitizer
.PHONY: stress-asan
stress-asan: $(call out,asan)/stress
	$(run_stress)

## the same without any sanitizer, and so the fastest
.PHONY: stress-plain
stress-plain: $(call out,release)/stress
	$(run_stress)

## each scenario under Valgrind's Helgrind, for a moment
.PHONY: stress-helgrind
stress-helgrind: $(call out,valgrind)/stress $(call out,valgrind)/atomics-selftest
	@bash stress/valgrind helgrind $(<D) $(each_race)

## each scenario under Valgrind's DRD, for a moment
.PHONY: stress-drd
stress-drd: $(call out,valgrind)/stress $(call out,valgrind)/atomics-selftest
	@bash stress/valgrind drd $(<D) $(each_race)

## each scenario, on real threads, against the bug that it is there to catch
.PHONY: stress-selftest
stress-selftest: $(call out,tsan)/stress $(call out,tsan)/commands
	@bash harness/native/selftest/runner $<
	@perl stress/museum/run $(mutated) $<

# $(call compiled_as,flavour,sources): adds to a file of commands how each of them is compiled.
compiled_as = $(foreach each,$(2),$(file >>$@,$(each) $(CC) $(call c_flags,$(1),$(each))))

# How that program is linked, and how each of its sources is compiled.
raced = $(impl_sources) $(stress_sources)
$(call out,tsan)/commands: $(call out,tsan)/flags FORCE
	$(file >$@,link $(CC) -pthread $(flags_tsan) $(link_tsan) $(LDFLAGS) \
		$(call objects,tsan,$(raced) $(noaslr)) -lm)
	$(call compiled_as,tsan,$(raced))@:

# The suites do without the archive, too, so that one object can be another.
tested = $(impl_sources) $(conformance_sources)
$(call out,asan)/commands: $(call out,asan)/flags FORCE
	$(file >$@,link $(CC) -pthread $(flags_asan) $(call wrap,$(faults)) $(LDFLAGS) \
		$(call objects,asan,$(tested)) -lcunit)
	$(call compiled_as,asan,$(tested))@:

## the scenarios on a scheduler of our own: their interleavings, searched, with virtual time
.PHONY: explore
explore: $(call out,explore)/explore
	$(Q)$< $(if $(REPLAY),--replay '$(REPLAY)') $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(STRATEGY),--strategy $(STRATEGY)) $(if $(MEMORY),--memory $(MEMORY)) \
		$(if $(FAULTS),--faults '$(FAULTS)') $(races) $(to_files)

# What gp-cc reads besides what is built.
support_files := $(addprefix harness/explore/,allowed assembly preamble.h)

# What gp-cc needs, in one place: for use from here (harness/explore/gp-cc finds it by GP_EXPLORE).
.PHONY: explore-support
explore-support: $(for_programs) $(for_many_threads) \
		$(addprefix $(call out,explore)/,symbols builtins)
	@install -m 644 $(support_files) $(call out,explore)
	@install -m 755 $(control) $(call out,explore)

## a program that is not ours, with a classic bug, found and replayed
.PHONY: explore-example
explore-example: explore-support
	@CC='$(CC)' GP_EXPLORE=$(call out,explore) bash harness/explore/examples/try

pairs     = $(call out,explore)/pairs $(call out,tsan)/pairs
try_pairs = @perl harness/explore/test/pairs/try $(if $(TIMES),--times $(TIMES)) \
	$(if $(SEED),--seed $(SEED))

## programs with one race, and their ordered twins: what ThreadSanitizer reports, the explorer does
.PHONY: explore-pairs
explore-pairs: $(pairs)
	$(try_pairs) $(pairs)

## writes what it has counted into the page on the explorer
.PHONY: explore-pairs-update
explore-pairs-update: $(pairs)
	$(try_pairs) --write $(pairs)

## the explorer's searches compared on programs drawn by lot
.PHONY: explore-oracle
explore-oracle: $(call out,explore)/explore-oracle
	@perl harness/explore/test/oracle/try $(if $(PROGRAMS),--programs $(PROGRAMS)) \
		$(if $(SEED),--seed $(SEED)) $(ARGS) $<

# Calls make: for other compilers and switches than this run has.
ports_gcc := aarch64-linux-gnu-
ports_dir := $(call out,explore)-ucontext build/explore-$(ports_gcc)gcc

## its tests with fibers by ucontext, and on aarch64 under QEMU; tokens go from there to here
.PHONY: explore-ports
explore-ports: explore-support
	+$(Q)$(MAKE) --no-print-directory FIBERS=ucontext $(word 1,$(ports_dir))/explore-test
	+$(Q)$(MAKE) --no-print-directory CC=$(ports_gcc)gcc CROSS_COMPILE=$(ports_gcc) \
		$(word 2,$(ports_dir))/explore-test explore-support
	@CC='$(CC)' bash harness/explore/test/ports/try $(call out,explore) $(ports_dir)

# What run has found, as JSON, unless JSON says where else; page reads it.
found    := build/museum/results.json
to_found  = $(if $(JSON),,--json $(found))

## the museum: each bug of stress/mutants/ is put into the library, and has to be caught
.PHONY: mutants
mutants: $(museum)
	@perl stress/museum/run $(mutated) $(to_found) $(filter-out %/commands,$^)

## the same, and what it finds goes into the record and onto its page
.PHONY: mutants-update
mutants-update: $(museum)
	@perl stress/museum/run $(mutated) $(to_found) $(filter-out %/commands,$^)
	@perl stress/museum/page write '$(or $(JSON),$(found))'

## patches whose surroundings have changed are written anew, as far as that can be done
.PHONY: mutants-refresh
mutants-refresh:
	@perl stress/museum/refresh '$(or $(MUTANT),*)'

## small changes by rule, at each place of FILE: lists what no race and no test notices
.PHONY: mutants-sweep
mutants-sweep: $(filter-out $(call out,tsan)/%,$(museum))
	@perl stress/museum/sweep $(if $(RULE),--rule '$(RULE)') $(if $(FILE),--file '$(FILE)') \
		$(ARGS) $(filter-out %/commands,$^)

## one bug as an exhibit: the change, the race that it loses, and what prevents it
.PHONY: break break-by-nothing break-by-explorer break-by-suites
break:
	+$(Q)by=$$(perl stress/museum/break --shown-by $(exhibit)) && \
		$(MAKE) --no-print-directory break-by-$$by

# Only what shows it is made: the suites take as long as the explorer.
exhibit = $(if $(REPLAY),--replay '$(REPLAY)') '$(MUTANT)'
break-by-explorer: $(filter $(call out,explore)/%,$(museum))
break-by-suites: $(filter $(call out,asan)/%,$(museum))
break-by-nothing break-by-explorer break-by-suites:
	@perl stress/museum/break $(exhibit) $(filter-out %/commands,$^)

$(call out,explore)/commands: $(call out,explore)/flags FORCE
	$(file >$@,link $(CC) -pthread $(link_explore) $(LDFLAGS) \
		$(call objects,explore,$(explored_sources)) \
		$(call objects,release,harness/explore/main.c) \
		$(call out,release)/libglasspool-explore.a -lm)
	$(file >>$@,take $(control) take $(call out,explore)/symbols)
	$(call compiled_as,explore,$(explored_sources))@:

## cron and zones against Spring, npm's cron-parser, zdump and Java; installs those
.PHONY: test-cron-peers
test-cron-peers: $(call out,release)/peers
	@bash harness/peers/run $< $(or $(COUNT),110000) $(or $(SEED),1)

## any bytes to the parsers, as libFuzzer thinks them up
.PHONY: fuzz
fuzz: build/fuzz/fuzz
	@bash harness/fuzz/run $< $(or $(SECONDS),60) $(FUZZ)

## does the fuzzer find bugs that are planted?
.PHONY: fuzz-selftest
fuzz-selftest: build/fuzz/fuzz build/fuzz/commands
	@bash harness/fuzz/selftest $< $(or $(SECONDS_EACH),30) $(FUZZ)

build/fuzz/commands: build/fuzz/flags FORCE
	$(file >$@,link $(fuzz_link) $(fuzz_objects))
	$(foreach each,$(impl_sources),\
		$(file >>$@,$(each) $(fuzz_cc) $(call c_flags,fuzz,$(each))))@:

## what the fuzzer has found worth keeping goes to harness/fuzz/corpus/
.PHONY: fuzz-corpus
fuzz-corpus: build/fuzz/fuzz
	@bash harness/fuzz/keep $< $(FUZZ)

## what the conformance suites cover of impl/; details in build/coverage/html/
.PHONY: coverage
coverage: $(call out,coverage)/conformance
	@CC='$(CC)' bash ci/coverage $(<D) $(COVERAGE_LINES) $(COVERAGE_BRANCHES) $(selection)

## clang-format, clang-tidy, cppcheck, shellcheck, and what ci/ has of our own
.PHONY: lint
lint: $(call out,release)/libglasspool.a build/compile_commands.json
	@bash ci/lint $(<D)

# ------------------------------------------------------------------------------------------------
##@ Measure

## the benches
.PHONY: bench
bench: $(call out,release)/bench
	$(Q)$< $(if $(BENCH),--benchmark_filter='$(BENCH)') $(ARGS)

## the explorer: steps and executions per second, a year of a scheduled pool, the life of wheels
.PHONY: explore-bench
explore-bench: $(call out,explore)/explore-bench
	$(Q)$< $(SECONDS_EACH)

## the benches, each for a moment: do they run at all?
.PHONY: bench-smoke
bench-smoke: $(call out,release)/bench
	$(Q)$< --benchmark_min_time=0.001 $(if $(BENCH),--benchmark_filter='$(BENCH)') $(ARGS)

## figures of what the benches measure, and of the peers if bench-peers has run: build/plots/*.svg
.PHONY: plots
plots: $(call out,release)/bench
	@MEASURE='$(MEASURE)' REPETITIONS='$(REPETITIONS)' bash benches/plots/draw $< \
		build/plots build/bench/peers.tsv

# The contenders are compiled by a script: which of them can be is known only now, after the setup.
## real peers beside us, in turns; says which are missing, and installs them with SETUP=1
.PHONY: bench-peers
bench-peers: $(call out,release)/libglasspool.a $(call objects,release,$(contender_sources))
	@bash benches/peers/build missing
	$(build_peers)
	$(Q)perl benches/peers/run $(if $(WORK),--work '$(WORK)') \
		$(if $(PEER),--peer '$(PEER)') $(if $(ROUNDS),--rounds '$(ROUNDS)') $(ARGS) \
		$(call out,release)/peers-bench/contenders

## our contenders, a moment each, and the runner itself: is one that lies found out?
.PHONY: bench-peers-smoke
bench-peers-smoke: $(call out,release)/libglasspool.a $(call objects,release,$(contender_sources))
	$(build_peers)
	@bash benches/peers/selftest $(call out,release)/peers-bench/contenders

build_peers = $(Q)C='$(CC) $(call c_flags,release,$(firstword $(own_contenders)))' \
	CXX='$(CXX) $(call cxx_flags,release)' LIBRARY=$(call out,release)/libglasspool.a \
	OBJECTS='$(call objects,release,$(contender_sources))' \
	bash benches/peers/build contenders $(call out,release)/peers-bench

## the C shim over Google Benchmark: does it report what it should?
.PHONY: shim-test
shim-test: | $(setup)
	@CC='$(CC)' bash benches/shim/test

# Make passes on what it has made; the rest is compiled by the gate itself.
gate = @CC='$(CC)' OWN_FLAGS='$(strip $(CPPFLAGS) $(CFLAGS) $(LDFLAGS))' \
	EXPLORED=$(call out,explore)/regress EXPLORER=$(call out,explore)/explore-bench bash
gated = $(addprefix $(call out,explore)/,regress explore-bench)

## fixed workloads, counted in instructions, steps, wake-ups, allocations, against ci/baseline/
.PHONY: regress
regress: $(gated)
	$(gate) ci/regress check

## write a new baseline
.PHONY: regress-update
regress-update: $(gated)
	$(gate) ci/regress update

## is a library that was made worse caught, and an explorer?
.PHONY: regress-selftest
regress-selftest: $(gated) $(call out,explore)/regress-commands
	$(gate) benches/regress/selftest $(<D)

$(call out,explore)/regress-commands: $(call out,explore)/flags FORCE
	$(file >$@,link $(CC) -pthread $(link_explore) $(LDFLAGS) \
		$(call objects,explore,$(impl_sources) $(regress_programs)) \
		$(call objects,release,benches/regress/explored/main.c) \
		$(call out,release)/libglasspool-explore.a -lm)
	$(file >>$@,link-explorer $(CC) -pthread $(link_explore) $(LDFLAGS) \
		$(call objects,explore,$(impl_sources) $(explore_bench)) \
		$(call objects,release,benches/explore/main.c))
	$(file >>$@,archive-explorer $(call out,release)/libglasspool-explore.a)
	$(file >>$@,take $(control) take $(call out,explore)/symbols)
	$(call compiled_as,explore,$(impl_sources))
	$(call compiled_as,release,$(explorer_sources))@:

# ------------------------------------------------------------------------------------------------
##@ Docs

# What docs/manual makes pages of: each header with something to read, and texts about the commands,
# which quote their --help. The last of these takes a program that gp-cc has made.
manual_headers := $(public_headers)
library_manual := $(manual_headers) docs/man/glasspool-cron.1
explore_manual := $(addprefix docs/man/,gp-cc.1 glasspool-explore.7)
book           := $(wildcard docs/*.md docs/*/*.md)
help           := build/reference/help

$(help)/glasspool-cron: $(call out,release)/glasspool-cron
	@mkdir -p $(@D)
	@$< --help >$@

$(help)/gp-cc: harness/explore/gp-cc
	@mkdir -p $(@D)
	@bash $< --help >$@

$(help)/explored: harness/explore/examples/bounded_buffer.c harness/explore/gp-cc \
		$(call out,release)/libglasspool-explore.a | explore-support
	@mkdir -p $(@D)
	@CC='$(CC)' GP_EXPLORE=$(call out,explore) bash harness/explore/gp-cc $< -o $(@D)/program
	@$(@D)/program --help >$@

build/man/%.made: docs/manual
	@rm -rf $(basename $@)
	@perl $< man $(basename $@) $($*_manual)
	@touch $@

build/man/library.made: $(help)/glasspool-cron $(library_manual) $(book)
build/man/explore.made: $(addprefix $(help)/,gp-cc explored) $(explore_manual)

# What the drawings of heaps, of runs in time, of states, of wheels and of periods are made from.
drawing = $(call out,release)/heap $(call out,explore)/timeline $(call out,release)/states \
	$(call out,explore)/wheel $(call out,release)/periods

## do the pages quote the source as it is and name what there is, and is the reference complete?
.PHONY: docs-check
docs-check: lib $(drawing) $(call out,explore)/explore-test \
		$(addprefix $(help)/,glasspool-cron gp-cc) | $(setup)
	@bash docs/snippets --selftest
	@bash docs/snippets check
	@perl docs/names --selftest
	@perl docs/names check
	@perl docs/commands --selftest
	@perl docs/commands check
	@perl docs/pictures/draw --selftest
	@perl docs/pictures/draw check $(drawing)
	@perl docs/translated --selftest
	@perl docs/translated check
	@perl stress/museum/page check
	@perl docs/claims/page check
	@perl docs/tables --selftest
	@perl docs/tables check $(call out,explore)/explore-test
	@perl docs/manual --selftest
	@perl docs/manual check $(call out,release)/libglasspool.so $(library_manual) \
		$(firstword $(explore_manual))

## the commands on the pages: does each of them work? Says which it leaves to others
.PHONY: docs-commands
docs-commands: lib $(call out,release)/bench $(addprefix $(call out,tsan)/,conformance stress) \
		$(call out,asan)/conformance $(call out,explore)/explore
	@perl docs/commands run $(if $(COMMAND),--command '$(COMMAND)') \
		$(if $(LIMIT),--limit $(LIMIT))

## somebody has looked: the Chinese pages say what the English ones say now
.PHONY: docs-translated
docs-translated:
	@perl docs/translated record '$(or $(PAGE),*)'

# The same as Markdown, for the site: an index, a page for each header and each command.
reference_pages := $(patsubst %,reference/%.md,\
	index $(basename $(notdir $(library_manual) $(explore_manual))))

## the headers and commands as Markdown: build/reference/*.md
.PHONY: reference
reference: build/reference/made

build/reference/made: docs/manual $(addprefix $(help)/,glasspool-cron gp-cc explored) \
		$(library_manual) $(explore_manual) $(book)
	@rm -f build/reference/*.md
	@perl docs/manual markdown build/reference $(library_manual) $(explore_manual)
	@touch $@

$(addprefix build/,$(reference_pages)): build/reference/made ;

## bring the quotations, the drawings and the tables up to date
.PHONY: docs-sync
docs-sync: $(drawing) $(call out,explore)/explore-test | $(setup)
	@bash docs/snippets sync
	@perl docs/pictures/draw sync $(drawing)
	@perl docs/claims/page write
	@perl docs/tables write $(call out,explore)/explore-test

# What the claims' commands run, and how the first two are made.
claimed = $(addprefix $(call out,asan)/,conformance commands) \
	$(addprefix $(call out,explore)/,explore commands) \
	$(addprefix $(call out,release)/,bench glasspool-cron)
claim   = @perl docs/claims/run $(if $(CLAIM),--claim '$(CLAIM)') $(if $(JAVA),--java '$(JAVA)')

## what the five documents say: does each claim's command bear the verdict out?
.PHONY: claims
claims: $(claimed)
	$(claim) $(filter-out %/commands,$^)

## can each of these commands fail? With its bug put in, or its constant changed, it has to
.PHONY: claims-selftest
claims-selftest: $(claimed)
	$(claim) --selftest $(if $(LIMIT),--limit $(LIMIT)) $(filter-out %/commands,$^)

# The site. Its pages and what they show are made one by one, so that a changed page costs a moment.
site        := build/docs
site_filter := $(wildcard docs/site/*.lua docs/site/*.html) docs/site/words docs/site/traces
site_pages  := $(patsubst docs/%,%,$(sort $(filter-out docs/site/%,\
	$(wildcard docs/*.md docs/*/*.md docs/*/*/*.md))))
site_html   := $(patsubst %.md,$(site)/%.html,$(site_pages) $(reference_pages) source.md)
site_parts  := $(patsubst docs/site/%,$(site)/%,$(wildcard docs/site/style/* docs/site/script/*))
site_source := $(sort $(wildcard $(foreach folder,impl harness stress benches,\
	$(addprefix $(folder)/,*.[ch] */*.[ch] */*/*.[ch] */*/*/*.[ch])) stress/mutants/*.patch \
	README.md */README.md */*/README.md */*/*/README.md) \
	$(wildcard docs/claims/* docs/pictures/*) Makefile ci/run ci/setup \
	$(addprefix docs/,Pages.pm commands names snippets tables translated))
pandoc      := pandoc --metadata out=$(site)

## the book as a site, with executions to watch, that opens from disk: build/docs/index.html
.PHONY: docs
docs: $(site_html) $(site_parts) $(site)/script/words.js $(site)/search.js $(site)/changed.log

# make writes the list when it reads this, before any command: the folder has to be there.
$(site):
	@mkdir -p $@

$(site)/list: FORCE | $(site)
	$(file >$@.new,$(subst $(space),$(newline),$(site_source)))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(site)/invariants: $(site)/list $(site_source) docs/site/sources.lua docs/site/common.lua \
		| $(setup)
	@printf '  %-4s %s\n' SITE $(site)/source/
	$(Q)$(pandoc) --metadata list=$< -L docs/site/sources.lua -f markdown -t plain -o $@.log \
		/dev/null

# Each page has the titles of all in its contents.
$(site)/titles: $(addprefix docs/,$(site_pages)) $(addprefix build/,$(reference_pages))
	@mkdir -p $(@D)
	@grep -m 1 '^# ' $^ >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

to_page = $(Q)mkdir -p $(@D) && $(pandoc) -f gfm+east_asian_line_breaks -t html5 \
	--template docs/site/page.html -L docs/site/page.lua -M page=$(1) \
	-M pages='$(site_pages) $(reference_pages)' -o $@ $<

$(site_html): $(site)/titles $(site)/invariants $(site_filter) build/reference/made

$(site)/%.html: docs/%.md docs/index.md docs/zh/index.md
	$(call say,SITE)
	$(call to_page,$*.md)

$(site)/reference/%.html: build/reference/%.md docs/index.md
	$(call say,SITE)
	$(call to_page,reference/$*.md)

$(site)/source.html: docs/site/source.md
	$(call say,SITE)
	$(call to_page,source.md)

$(site)/script/words.js: docs/site/words docs/site/words.lua docs/site/common.lua | $(setup)
	@mkdir -p $(@D)
	$(Q)$(pandoc) -L docs/site/words.lua -f markdown -t plain -o $(site)/words.log /dev/null

$(site)/search.js: $(site_html)
	@{ echo 'glasspool.searchIndex(['; cat $(patsubst %,$(site)/search/%.json,\
		$(site_pages) $(reference_pages)); \
		echo ']);'; } >$@

## the site in headless Chromium: pages, panes, player, levels; and is its HTML valid?
.PHONY: docs-browser-test
docs-browser-test: docs
	@bash docs/site/test/run $(site) build/site-test

# The executions that it plays: found by the explorer, in the library as it is and in mutants.
$(site)/changed: docs/site/record docs/site/traces docs/site/levels $(call out,explore)/explore \
		$(call out,explore)/commands $(wildcard stress/mutants/*.patch)
	$(Q)perl docs/site/record $(call out,explore)/explore $(site)

$(site)/changed.log: $(site)/changed docs/site/sources.lua docs/site/common.lua | $(setup)
	$(Q)$(pandoc) --metadata list=$< --metadata changed=yes -L docs/site/sources.lua \
		-f markdown -t plain -o $@ /dev/null

$(site_parts): $(site)/%: docs/site/%
	@mkdir -p $(@D)
	@cp $< $@

# ------------------------------------------------------------------------------------------------
##@ Install

header_dir := $(DESTDIR)$(INCLUDEDIR)/glasspool
lib_dir    := $(DESTDIR)$(LIBDIR)
bin_dir    := $(DESTDIR)$(PREFIX)/bin
man_dir    := $(DESTDIR)$(MANDIR)
explore_dir := $(DESTDIR)$(LIBDIR)/glasspool-explore
from_bin    = $(shell realpath -m --relative-to='$(PREFIX)/bin' '$(LIBDIR)')
in_prefix   = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))

## libraries, headers, man pages, glasspool.pc and glasspool-cron under $(DESTDIR)$(PREFIX)
.PHONY: install
install: lib build/man/library.made
	install -d '$(header_dir)' '$(lib_dir)/pkgconfig' '$(bin_dir)' \
		'$(man_dir)/man1' '$(man_dir)/man3'
	install -m 644 build/man/library/man1/* '$(man_dir)/man1'
	install -m 644 build/man/library/man3/* '$(man_dir)/man3'
	install -m 755 $(call out,release)/glasspool-cron '$(bin_dir)'
	install -m 644 $(public_headers) '$(header_dir)'
	install -m 644 $(call out,release)/libglasspool.a '$(lib_dir)'
	install -m 644 $(call out,release)/libglasspool.so '$(lib_dir)/libglasspool.so.$(VERSION)'
	ln -sf libglasspool.so.$(VERSION) '$(lib_dir)/libglasspool.so.$(MAJOR)'
	ln -sf libglasspool.so.$(MAJOR) '$(lib_dir)/libglasspool.so'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@LIBDIR@|$(call in_prefix,$(LIBDIR))|' \
		-e 's|@INCLUDEDIR@|$(call in_prefix,$(INCLUDEDIR))|' \
		impl/glasspool.pc.in >'$(lib_dir)/pkgconfig/glasspool.pc'

# gp-cc finds the rest from where it is itself, so that the tree can be moved as a whole.
## the explorer: gp-cc, what it needs, and man pages, under $(DESTDIR)$(PREFIX)
.PHONY: install-explore
install-explore: explore-support build/man/explore.made
	install -d '$(bin_dir)' '$(explore_dir)' '$(lib_dir)/pkgconfig' \
		'$(man_dir)/man1' '$(man_dir)/man7'
	install -m 644 build/man/explore/man1/* '$(man_dir)/man1'
	install -m 644 build/man/explore/man7/* '$(man_dir)/man7'
	sed 's|\.\./lib/glasspool-explore|$(from_bin)/glasspool-explore|' harness/explore/gp-cc \
		>'$(bin_dir)/gp-cc'
	chmod 755 '$(bin_dir)/gp-cc'
	install -m 755 $(control) '$(explore_dir)'
	install -m 644 $(support_files) \
		$(for_programs) $(for_many_threads) \
		$(addprefix $(call out,explore)/,symbols builtins) '$(explore_dir)'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@LIBDIR@|$(call in_prefix,$(LIBDIR))|' \
		harness/explore/glasspool-explore.pc.in >'$(lib_dir)/pkgconfig/glasspool-explore.pc'

## take away what install has put there
.PHONY: uninstall
uninstall:
	rm -f $(patsubst %,'$(header_dir)/%',$(notdir $(public_headers)))
	rm -f '$(lib_dir)/libglasspool.a' '$(lib_dir)/pkgconfig/glasspool.pc' \
		'$(lib_dir)/libglasspool.so' '$(lib_dir)/libglasspool.so.$(MAJOR)' \
		'$(lib_dir)/libglasspool.so.$(VERSION)'
	-rmdir '$(header_dir)'
	rm -rf '$(explore_dir)'
	rm -f '$(bin_dir)/glasspool-cron' '$(bin_dir)/gp-cc' \
		'$(lib_dir)/pkgconfig/glasspool-explore.pc'
	perl docs/manual names $(manual_headers) | sed 's|^|$(man_dir)/|' | xargs -d '\n' rm -f
	rm -f '$(man_dir)/man1/glasspool-cron.1' '$(man_dir)/man1/gp-cc.1' \
		'$(man_dir)/man7/glasspool-explore.7'

# ------------------------------------------------------------------------------------------------
##@ Help

## this list
.PHONY: help
help:
	@awk -f ci/help.awk Makefile
