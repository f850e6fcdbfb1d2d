# heed: one library, its programs and its tests.
#
#   make demo    train a model that writes, and one that draws         make test    check everything
#
# Nothing has to be prepared: the first call finds or installs what is needed (.ci/setup) and says what it found.
# No file is listed by name: a new .cpp in one of the folders below is compiled, a deleted one is gone.
#
# Things to set:  make PORTABLE=1  for any x86-64 CPU since 2013      make V=1  shows the commands
#                 make CXXFLAGS=-g LDFLAGS=...  are added to ours     make test T='softmax*'  runs some tests

VERSION = 0.1.0
TREES   = system tensor comm autograd nn attention models data show train tasks# .ci/lint says which may use which
BUILD   = build
PREFIX  = /usr/local
DESTDIR =
CXX     = g++
OPT     = -O3
CALM_OPT = -O1# of what runs now and then: files, pages, command lines
TEST_OPT = -O1# tests are compiled more often than they are run
PCH     = $(if $(findstring clang,$(CXX)),,$(BUILD)/obj/common.h)# headers that most files read, precompiled; make PCH= does without

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)# a -j on the command line wins
endif
comma := ,
Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')

# ---- what there is -----------------------------------------------------------------------------------------

find_cpp = $(sort $(shell find $(1) -name '*.cpp'))
objects  = $(patsubst %.cpp,$(BUILD)/obj/%.o,$(1))
LIBRARY  = $(BUILD)/libheed.so
HEADERS  = $(foreach tree,$(TREES),$(sort $(shell find $(tree) -name '*.h' -not -path '*/cpu/*')))
LARGE   := $(patsubst demos/%/main.cpp,%,$(wildcard demos/*/main.cpp))# programs of several files: a folder each
DEMOS   := $(patsubst demos/%.cpp,%,$(wildcard demos/*.cpp))
CALM     = system/% data/% show/% train/% tasks/% demos/% bench/%# but for these, which have loops that run hot:
HOT      = system/parallel.cpp system/sha256.cpp bench/machine.cpp data/images/colour_means.cpp data/images/pixel_palette.cpp
calm_obj := $(call objects,$(filter-out $(HOT),$(filter $(CALM),$(call find_cpp,$(wildcard $(TREES) demos bench)))))
lib_obj   := $(call objects,$(foreach tree,$(wildcard $(TREES)),$(call find_cpp,$(tree))))
bench_obj := $(call objects,$(wildcard bench/*.cpp))
tests_obj := $(filter-out $(BUILD)/obj/tests/fuzz/driver/%,$(call objects,$(call find_cpp,tests)))
fuzz_driver = $(BUILD)/obj/tests/fuzz/driver/$(if $(findstring clang,$(CXX)),libfuzzer,alone).o
fuzz_obj := $(filter-out %_test.o,$(filter $(BUILD)/obj/tests/fuzz/%,$(tests_obj))) $(fuzz_driver)
tested_obj := $(filter-out %/main.o,$(bench_obj))# what the tests link besides the library: the parts of the harness
large_obj := $(call objects,$(wildcard demos/*/*.cpp))
large_parts = $(filter $(BUILD)/obj/demos/$(1)/%,$(large_obj))# of one of them
PROGRAMS = $(DEMOS:%=$(BUILD)/%) $(LARGE:%=$(BUILD)/%) $(if $(bench_obj),$(BUILD)/bench)

CUDA_ARCH = 80 90# make CUDA=1 CUDA_ARCH=89: compute capabilities for which the kernels are built
NVCC     := $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
emulator_obj := $(call objects,$(wildcard cuda/emulator/*.cpp))
emulated_obj := $(patsubst cuda/%.cu,$(BUILD)/obj/cuda/emulated/%.o,$(wildcard cuda/*.cu))
cuda_obj     := $(patsubst cuda/%.cu,$(BUILD)/obj/cuda/%.o,$(wildcard cuda/*.cu))
CUDA_LIBRARY  = $(BUILD)/libheed_cuda.so# never linked: libheed.so looks for it when somebody asks for a GPU
EMULATED      = $(BUILD)/libheed_cuda_emulated.so

# ---- the set-up is written once (by .ci/setup) and holds the flags for OpenBLAS and stb

include .ci/setup.mk

# ---- flags: no -ffast-math (NaN and infinity must stay what they are), but errno and traps are not needed

march := $(if $(PORTABLE),-march=x86-64-v3,-march=native)
ARCH  := $(shell $(CXX) $(march) -E -x c++ /dev/null >/dev/null 2>&1 && echo $(march))# nothing where g++ refuses it
FLAGS = -std=c++20 $(ARCH) -fno-math-errno -fno-trapping-math -Wall -Wextra -fPIC -pthread $(SANITIZE) \
        -I. -I$(BUILD)/include $(BLAS_CFLAGS) $(STB_CFLAGS)
LINK  = $(CXX) -pthread $(SANITIZE) '-Wl,-rpath,$$ORIGIN:$$ORIGIN/../lib'
LIBS  = -lopenblas -lz -ldl $(LDFLAGS)
COMPILE = $(CXX) $(FLAGS) -MMD -MP
# A header that is precompiled remembers the text of all it includes, comments too. ccache must not take one for another.
PRECOMPILE = CCACHE_DEPEND=1 $(CXX) $(FLAGS) -MD -MP -x c++-header

include .ci/written.mk# flags, heed.h, heed.pc and more: written anew when their text changes

# ---- building ----------------------------------------------------------------------------------------------

.PHONY: trees all cuda-test cuda-emulated cuda-shadow cuda-shadow-ops cuda-shadow-attention cuda-sanitize cuda-sanitized cuda-report cuda-check demo demo-igpt demo-quick atlas test kills test-all parts bench peer lint format sanitize fuzz fuzz-each install example clean help

all: $(LIBRARY) $(PROGRAMS) $(if $(CUDA),$(CUDA_LIBRARY))  ## the library and all programs (this is what `make` alone does)

$(LIBRARY): $(lib_obj) $(BUILD)/obj/lib.list
	$(call say,link,$@)
	$(Q)$(LINK) -shared -o $@ $(lib_obj) $(LIBS)

$(DEMOS:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/obj/demos/%.o $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(LINK) -o $@ $< -L$(BUILD) -lheed $(LIBS)

define large_program
$(BUILD)/$(1): $(call large_parts,$(1)) $(BUILD)/obj/demos/$(1).list $(LIBRARY)
	$$(call say,link,$$@)
	$$(Q)$$(LINK) -o $$@ $$(filter %.o,$$^) -L$$(BUILD) -lheed $$(LIBS)
endef
$(foreach program,$(LARGE),$(eval $(call large_program,$(program))))

$(BUILD)/bench: $(bench_obj) $(BUILD)/obj/bench.list $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(LINK) -o $@ $(bench_obj) -L$(BUILD) -lheed $(LIBS)

$(BUILD)/tests: $(tests_obj) $(tested_obj) $(emulator_obj) $(BUILD)/obj/tests.list $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(LINK) -o $@ $(tests_obj) $(tested_obj) $(emulator_obj) -L$(BUILD) -lheed -lboost_unit_test_framework -lboost_context $(LIBS)

$(BUILD)/fuzzer: $(fuzz_obj) $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(LINK) $(FUZZ_LINK) -o $@ $(fuzz_obj) -L$(BUILD) -lheed -lboost_unit_test_framework $(LIBS)

# ---- the library for GPUs, by nvcc, and the same sources for the emulator, by g++ (cuda/README.md)

$(EMULATED): $(emulated_obj) $(emulator_obj) $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(LINK) -shared -o $@ $(emulated_obj) $(emulator_obj) -L$(BUILD) -lheed -lboost_context $(LIBS)

$(emulated_obj): $(BUILD)/obj/cuda/emulated/%.o: cuda/%.cu $(BUILD)/flags $(BUILD)/version
	$(call say,c++,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) -O2 -fno-strict-aliasing -Wno-unknown-pragmas -DHEED_VERSION='"$(VERSION)"' $(CXXFLAGS) -x c++ -c -o $@ $<

NVCC_FLAGS = -std=c++20 -O3 --extended-lambda --expt-relaxed-constexpr -Werror all-warnings -diag-suppress 445 -Xcompiler -fPIC,-Wall \
             -Xptxas -v,-warn-spills,-warn-lmem-usage,-Werror -I. -DHEED_VERSION='"$(VERSION)"' \
             $(foreach arch,$(CUDA_ARCH),-gencode arch=compute_$(arch)$(comma)code=sm_$(arch)) \
             -gencode arch=compute_$(lastword $(CUDA_ARCH))$(comma)code=compute_$(lastword $(CUDA_ARCH))

$(CUDA_LIBRARY): $(cuda_obj) $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(NVCC) -shared -o $@ $(cuda_obj) -L$(BUILD) -lheed -lcublas -Xlinker -rpath,'$$ORIGIN'

$(cuda_obj): $(BUILD)/obj/cuda/%.o: cuda/%.cu $(BUILD)/flags $(BUILD)/version
	$(call say,nvcc,$<)
	$(Q)$(if $(NVCC),,echo 'make CUDA=1 needs nvcc, and there is none on the PATH or in /usr/local/cuda/bin'; exit 1;) \
	mkdir -p $(@D) && $(NVCC) $(NVCC_FLAGS) -MMD -MP -c -o $@ $< > $(@:.o=.ptxas) 2>&1 || { cat $(@:.o=.ptxas); exit 1; }

objects_of_library := $(lib_obj) $(bench_obj) $(emulator_obj) $(large_obj) $(DEMOS:%=$(BUILD)/obj/demos/%.o)
$(objects_of_library): $(BUILD)/obj/%.o: %.cpp $(BUILD)/flags
	$(call say,c++,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(OPT) $(PRECOMPILED) $(DEFINES) $(CXXFLAGS) -c -o $@ $<

$(calm_obj): private OPT = $(CALM_OPT)
$(BUILD)/obj/system/version.o: private DEFINES = -DHEED_VERSION='"$(VERSION)"'
$(BUILD)/obj/system/version.o: $(BUILD)/version
$(BUILD)/obj/demos/charlm/open_data.o: private DEFINES = -DHEED_TREES='"$(TREES)"'
$(BUILD)/obj/demos/charlm/open_data.o: $(BUILD)/trees

# stb_image computes with numbers from files: where they overflow, any result will do, but it must be one.
$(BUILD)/obj/data/images/picture_file.o: private DEFINES = -fwrapv

# The start-up check asks the CPU for what all other files may use, so it is itself compiled for the oldest one.
start_obj = $(BUILD)/obj/system/processor.o $(BUILD)/obj/tensor/cpu/startup.o
built_for := $(if $(SETUP_DONE),$(shell $(CXX) $(ARCH) $(CXXFLAGS) -dM -E -x c++ /dev/null | tr A-Z a-z | \
    sed -n 's/^.define __\([a-z0-9_]*\)__ 1$$/\1/p' | grep -E '^(sse3|ssse3|sse4_|avx|bmi|fma|f16c|lzcnt|movbe|popcnt|tbm|xop)'))
$(start_obj): private override ARCH =
$(start_obj): private PRECOMPILED =
$(start_obj): private override CXXFLAGS := $(filter-out -m%,$(CXXFLAGS))
$(start_obj): private DEFINES = -DHEED_BUILT_FOR='"$(built_for)"'

# Most of a small file's time goes into reading headers, so those that most files need are read in precompiled form. A
# file still includes all it uses: the sanitizers' build has no PCH, nor has clang's.
PRECOMPILED = $(if $(PCH),-Winvalid-pch -include $(PCH))
export CCACHE_SLOPPINESS = pch_defines,time_macros# or ccache would not keep what is compiled with such a header

ifneq ($(PCH),)
$(filter-out $(start_obj),$(objects_of_library)): $(PCH).gch
endif
$(BUILD)/obj/common.h.gch: .ci/common.h $(BUILD)/flags
	$(call say,c++,$<)
	$(Q)mkdir -p $(@D) && echo '#include ".ci/common.h"' > $(PCH) && \
	$(PRECOMPILE) $(OPT) $(CXXFLAGS) -o $@ $(PCH)

# Every test begins with tests/support/boost.h, and the compiler reads it in precompiled form.
TEST_HEADER = $(BUILD)/obj/tests/support/boost.h
TEST_FLAGS  = $(TEST_OPT) -DBOOST_TEST_DYN_LINK $(CXXFLAGS)

$(tests_obj) $(fuzz_driver): $(BUILD)/obj/%.o: %.cpp $(BUILD)/flags $(TEST_HEADER).gch
	$(call say,c++,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(TEST_FLAGS) -Winvalid-pch -include $(TEST_HEADER) -c -o $@ $<

$(filter $(BUILD)/obj/tests/cuda/%,$(tests_obj)): private TEST_OPT += -Wno-unknown-pragmas -fno-strict-aliasing# kernels are in there

$(TEST_HEADER).gch: tests/support/boost.h $(BUILD)/flags
	$(call say,c++,$<)
	$(Q)mkdir -p $(@D) && printf '#include "%s"\n' tests/support/boost.h $(if $(PCH),.ci/common.h) > $(TEST_HEADER) && \
	$(PRECOMPILE) $(TEST_FLAGS) -o $@ $(TEST_HEADER)

-include $(if $(PCH),$(PCH).d $(TEST_HEADER).d) $(patsubst %.o,%.d,$(fuzz_driver) $(lib_obj) $(emulator_obj) $(emulated_obj) $(cuda_obj) $(bench_obj) $(tests_obj) $(large_obj) $(DEMOS:%=$(BUILD)/obj/demos/%.o))

# ---- running -----------------------------------------------------------------------------------------------

demo: $(BUILD)/charlm $(BUILD)/igpt  ## train a language model that writes, then a picture model that draws
	$(Q)$(BUILD)/charlm demo && $(BUILD)/igpt demo

demo-igpt: $(BUILD)/igpt  ## a larger picture model, trained for longer: the picture in README
	$(Q)$(BUILD)/igpt demo --long --run runs/demo-igpt-long

demo-quick: $(BUILD)/charlm $(BUILD)/igpt $(BUILD)/spirals  # the same in a few seconds, and the spirals, for test-all
	$(Q)rm -rf $(BUILD)/demo $(BUILD)/demo-igpt && $(BUILD)/charlm demo --quick --run $(BUILD)/demo && $(BUILD)/igpt demo --quick --run $(BUILD)/demo-igpt && \
	$(BUILD)/spirals --quick --out $(BUILD)/spirals.png

# Takes what the tests and the benchmark wrote, and runs them only where that is missing.
atlas: $(BUILD)/attention $(BUILD)/bench  ## a page for every attention variant: mask, cost, measured time, what it can; and a poster
	$(Q)test -e $(BUILD)/suite.json || $(MAKE) test T='suite/*'
	$(Q)test -e runs/bench/variants.json || \
	  $(BUILD)/bench variants --seconds 0.1 --json runs/bench/variants.json --svg runs/bench/variants.svg
	$(Q)$(BUILD)/attention atlas --suite $(BUILD)/suite.json

test: $(BUILD)/tests $(LARGE:%=$(BUILD)/%)  ## build and run the tests; make test T='softmax*' runs some of them
	$(Q)$(BUILD)/tests $(if $(T),--run_test='$(T)')

# The device emulated, on every machine: tests of it, every call of a cpu kernel in the tests made by its twin as well
# (tests/support/shadow.cpp), and with other schedules those whose threads wait for each other. cuda/README.md tells more.
suites_in = $(patsubst %.cpp,--run_test='%',$(notdir $(shell find $(1) -name '*_test.cpp')))
cuda-test: $(BUILD)/tests $(EMULATED) $(LARGE:%=$(BUILD)/%)  ## the kernels for GPUs, emulated: they must give what those of the cpu give
	$(Q)$(MAKE) --output-sync $(if $(T),cuda-shadow SHADOWED=--run_test="'$(T)'",cuda-shadow-attention cuda-shadow-ops cuda-emulated)
cuda-emulated:  # the parts of cuda-test, which run side by side
	$(Q)HEED_CUDA=emulated $(BUILD)/tests --run_test='cuda_*' --run_test='suite/*_on_cuda' --run_test=suite_mutants_test
cuda-shadow:
	$(Q)HEED_CUDA=emulated HEED_SHADOW=1 $(BUILD)/tests $(SHADOWED)
cuda-shadow-ops:
	$(Q)$(MAKE) cuda-shadow SHADOWED="$(call suites_in,tests/tensor tests/autograd tests/nn)"
cuda-shadow-attention:
	$(Q)$(MAKE) cuda-shadow SHADOWED="$(call suites_in,tests/attention tests/models)"

# The emulator's tests and the twins of single ops once more, with the sanitizers
cuda-sanitize:  ## the emulated kernels again, with the address and the undefined-behaviour sanitizer
	$(Q)ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 BOOST_TEST_CATCH_SYSTEM_ERRORS=no OPENBLAS_NUM_THREADS=1 \
	$(MAKE) cuda-sanitized BUILD=$(BUILD)/sanitize OPT='-O1 -g -Wno-maybe-uninitialized' \
	TEST_OPT='-O1 -g -Wno-maybe-uninitialized' PCH= SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined'
cuda-sanitized: $(BUILD)/tests $(EMULATED)  # for cuda-sanitize
	$(Q)HEED_CUDA=emulated $(BUILD)/tests --run_test='cuda_emulator_test' --run_test='cuda_device_test'
	$(Q)HEED_CUDA=emulated HEED_SHADOW=1 $(BUILD)/tests $(call suites_in,tests/tensor/ops)

cuda-report: $(CUDA_LIBRARY)  ## registers, stack, shared memory and occupancy of every kernel for GPUs; needs nvcc
	$(Q).ci/cuda-report $(CUDA_ARCH)

# For .ci/run, where nvcc is: the kernels compile, nothing needs the driver's library, and without a GPU there is a sentence.
cuda-check: $(CUDA_LIBRARY) $(BUILD)/charlm
	$(Q)! readelf -d $(CUDA_LIBRARY) | grep 'libcuda\.so' || { echo '$(CUDA_LIBRARY) needs libcuda.so'; exit 1; }
	$(Q)said=$$($(BUILD)/charlm sample --device cuda 2>&1) || echo "$$said" | grep -q 'cuda:0 is not available: there is no NVIDIA' || \
	{ echo "without a GPU it says: $$said"; exit 1; }
	$(Q).ci/cuda-report $(CUDA_ARCH)

kills: $(BUILD)/tests $(LARGE:%=$(BUILD)/%)  # runs are killed at 20 random moments, and must go on to the same bits
	$(Q)HEED_KILLS=20 $(BUILD)/tests --run_test='charlm_stop_test/a_run*' --run_test='streams_test/a_run*'

PARTS = test cuda-test lint kills sanitize example demo-quick
test-all: $(SETUP)  ## test, cuda-test, lint, kills, sanitize, the example against an installed heed, a quick demo
	$(Q)for part in $(PARTS); do echo "== make $$part" && $(MAKE) $$part || exit 1; done
parts:  # for .ci/run
	@echo $(PARTS)
trees:  # the folders of the library, for .ci/lint and whoever else needs the list
	@echo $(TREES)

# The other side of the benchmarks: build/peer, or any python that has PyTorch: make bench PEER=/path/to/python
PEER  = $(wildcard build/peer/bin/python)
BENCH = kernels# or another: make bench BENCH=blas-kernels ARGS='--seconds 3'
bench: $(BUILD)/bench  ## measure heed, and PyTorch beside it after `make peer` (or with PEER=PYTHON)
	$(Q)$(BUILD)/bench $(BENCH) $(if $(PEER),--peer '$(PEER)') --json runs/bench/$(BENCH).json \
	--svg runs/bench/$(BENCH).svg $(ARGS)

peer:  ## fetch PyTorch into build/peer: a large download that only `make bench` uses
	@echo 'fetching PyTorch into build/peer; this is large (gigabytes), and only the benchmarks use it'
	$(Q)python3 -m venv build/peer && build/peer/bin/python -m pip install --progress-bar off torch numpy && \
	echo 'done: `make bench` measures PyTorch, too'

lint: $(SETUP)  ## include direction, formatting, the longest files and functions
	$(Q).ci/setup lint && .ci/lint

format:  ## let clang-format rewrite the sources
	$(Q).ci/setup lint && find $(wildcard $(TREES) cuda demos bench tests docs) -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | \
	xargs clang-format -i

sanitize:  ## the tests again, with the address and the undefined-behaviour sanitizer
	$(Q)ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 BOOST_TEST_CATCH_SYSTEM_ERRORS=no \
	$(MAKE) test BUILD=$(BUILD)/sanitize OPT='-O1 -g -Wno-maybe-uninitialized' TEST_OPT='-O1 -g -Wno-maybe-uninitialized' PCH= \
	SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined'

# Broken input for every parser: the targets of tests/fuzz, from the seeds in tests/fuzz/corpus. With clang by libFuzzer,
# otherwise by a small driver of our own. What is found is kept in build/fuzz/findings. make fuzz T=wav SECONDS=600
SECONDS = 60
FUZZ_CXX := $(if $(shell command -v clang++),clang++,$(CXX))
CLANG   := $(findstring clang,$(FUZZ_CXX))
TARGETS  = $(if $(T),$(T),$(notdir $(wildcard tests/fuzz/corpus/*)))
fuzz:  ## broken input for every parser, a minute each, with sanitizers; make fuzz T=wav SECONDS=600
	$(Q)$(MAKE) fuzz-each BUILD=$(BUILD)/fuzz CXX='$(FUZZ_CXX)' OPT='-O1 -g' CALM_OPT='-O1 -g' TEST_OPT='-O1 -g' PCH= \
	SANITIZE='-fsanitize=address,undefined$(if $(CLANG),$(comma)fuzzer-no-link) -fno-sanitize-recover=undefined' \
	FUZZ_LINK='$(if $(CLANG),-fsanitize=fuzzer)'
fuzz-each: $(BUILD)/fuzzer  # for fuzz
	$(Q)mkdir -p $(BUILD)/findings; for target in $(TARGETS); do \
	  mkdir -p $(BUILD)/corpus/$$target; log=$(BUILD)/findings/$$target.log; \
	  $(if $(CLANG),HEED_FUZZ_TARGET=$$target $(BUILD)/fuzzer -max_total_time=$(SECONDS) -timeout=20 -rss_limit_mb=4096 \
	    -verbosity=0 -print_final_stats=1 -artifact_prefix=$(BUILD)/findings/$$target- $(BUILD)/corpus/$$target \
	    tests/fuzz/corpus/$$target, \
	  $(BUILD)/fuzzer $$target $(SECONDS) tests/fuzz/corpus/$$target $(BUILD)/findings/$$target) >$$log 2>&1 || \
	  { tail -50 $$log; echo "$$target: a finding; $$log tells all"; exit 1; }; \
	  echo "$$target: $$(sed -n 's/.*executed_units: *\([0-9]*\)/\1 inputs, no finding/p;s/^'$$target': //p' $$log)"; \
	done

install: $(LIBRARY) $(if $(CUDA),$(CUDA_LIBRARY)) $(LARGE:%=$(BUILD)/%)  ## library, headers, programs, heed.pc and a CMake package to PREFIX (/usr/local); DESTDIR= for packagers
	$(call say,copy,$(DESTDIR)$(PREFIX))
	$(Q)install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin lib/pkgconfig lib/cmake/heed include/heed)
	$(Q)install -m 755 $(LARGE:%=$(BUILD)/%) $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 755 $(LIBRARY) $(if $(CUDA),$(CUDA_LIBRARY)) $(DESTDIR)$(PREFIX)/lib
	$(Q)install -m 644 $(BUILD)/heed.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig
	$(Q)install -m 644 $(BUILD)/heedConfig.cmake $(BUILD)/heedConfigVersion.cmake $(DESTDIR)$(PREFIX)/lib/cmake/heed
	$(Q)install -m 644 $(BUILD)/include/heed.h $(DESTDIR)$(PREFIX)/include/heed
	$(Q)for h in $(HEADERS); do install -D -m 644 $$h $(DESTDIR)$(PREFIX)/include/heed/$$h || exit 1; done

example: $(LIBRARY)  # docs/example outside the tree, against an installed heed: with pkg-config, and with CMake where it is
	$(Q)tmp=$$(mktemp -d) && trap 'rm -rf $$tmp' EXIT && \
	$(MAKE) install PREFIX=$$tmp/heed && cp -R docs/example $$tmp && \
	PKG_CONFIG_PATH=$$tmp/heed/lib/pkgconfig $(MAKE) -C $$tmp/example CXX='$(CXX)' && $$tmp/example/main && \
	$$tmp/heed/bin/charlm --version && \
	if command -v cmake > /dev/null; then \
	  cmake -S $$tmp/example -B $$tmp/cmake -DCMAKE_PREFIX_PATH=$$tmp/heed -DCMAKE_CXX_COMPILER='$(CXX)' > /dev/null && \
	  cmake --build $$tmp/cmake > /dev/null && $$tmp/cmake/main; \
	else echo 'no cmake here: the CMake package was not tried'; fi

clean:  ## remove everything that was built (the folder build)
	$(Q)$(if $(filter-out clean,$(MAKECMDGOALS)),,rm -rf $(BUILD))

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18
