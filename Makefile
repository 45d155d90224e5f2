# Thin: every target is one or two commands that can be typed by hand. The build itself is CMake's.
#
#   make setup      install what is missing of Debian's or Ubuntu's packages (SETUP_FLAGS=--lint: for lint, sanitize and fuzz, too)
#   make bench      set up, build the program, bench the quick preset into runs/, draw, print the summary
#   make test       set up, build, run the tests that every change should pass, in minutes
#   make test-all   all tests: every fault and trick, large boxes, statistics, two more OpenCLs
#   make build      build the program, without its tests; ./pairmark runs it
#   make plot       redraw the figures of the latest run, or of RUN=DIR
#   make figures    the figures of docs/ again, from the rows under results/
#   make report     one page of the latest run, or of RUN=DIR (several: RUN="DIR DIR"), in report.html or PAGE=FILE
#   make sanitize   the tests again under the address and undefined-behaviour sanitizers, less those labelled SANITIZE_EXCLUDE (kernels)
#   make fuzz       every reader of files and words by libFuzzer (clang), FUZZ_SECONDS (20) each; FUZZ_SECONDS=--repeatable: as CI does
#   make coverage   the tests again, counting the lines that they run; fails under 92 %
#   make lint       format check, clang-tidy, cppcheck
#   make package    a self-contained tarball in dist/
#   make release    into dist/: tarball, wheel, package of this Debian or Ubuntu, a list of what they contain of others, checksums
#   make install    the program and libpairmark: cmake --install (DESTDIR and PREFIX are honoured)
#   make address    writes URL=..., where the repository is, into CITATION.cff and the pages that clone it
#   make clean      removes what was built; runs/ stays
#
# Packages are installed by setup, bench and test, and by nothing else: the others name what is missing and stop.
# BUILD=DIR builds elsewhere; CMAKE_FLAGS adds to the configuration; BENCH_FLAGS to the bench;
# PAIRMARK_SKIP_SETUP=1 installs nothing and looks for nothing.
SHELL := /bin/bash
BUILD ?= build
# The latest run that has rows: one that was interrupted early has none.
RUN ?= $(shell awk 'FNR == 2 { run = FILENAME } END { sub("/rows.csv", "", run); print run }' runs/*/rows.csv 2>/dev/null)
CMAKE_FLAGS ?=
BENCH_FLAGS ?= --preset quick
SETUP_FLAGS ?=
FUZZ_SECONDS ?= 20
SANITIZE_EXCLUDE ?= kernels
PAGE ?= report.html
MAKEFLAGS += --no-print-directory
JOBS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: all build build-tests build-all bench test test-all plot figures report sanitize fuzz coverage lint package release install clean setup needed own-build address
.DEFAULT_GOAL := build
all: build

setup:
	@scripts/setup $(SETUP_FLAGS)

needed:
	@scripts/setup --check

# A build folder knows its tree by absolute paths: in a copy, CMake would go on building the old one.
own-build:
	@home=$$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' $(BUILD)/CMakeCache.txt 2>/dev/null); \
	[ -z "$$home" ] || [ "$$home" -ef . ] || { echo "make: $(BUILD) was made for $$home: remove it (rm -r $(BUILD)), or give BUILD=DIR" >&2; exit 2; }

# Configured once; after that CMake notices by itself what changed. The link is the program of the latest build.
build: needed own-build
	@test -f $(BUILD)/CMakeCache.txt -a -z "$(CMAKE_FLAGS)" || cmake -B $(BUILD) $(CMAKE_FLAGS)
	@cmake --build $(BUILD) --parallel $(JOBS) --target pairmark
	@test -e pairmark -a ! -L pairmark || ln -sfn $(BUILD)/pairmark pairmark

build-tests: build
	@cmake --build $(BUILD) --parallel $(JOBS)

build-all: build
	@cmake --build $(BUILD) --parallel $(JOBS) --target all pairmark_faulty

bench: setup
	@$(MAKE) build
	@./pairmark bench $(BENCH_FLAGS) -o runs/$$(date -u +%Y-%m-%dT%H-%M-%SZ)

# A change is judged by the same draws each time, as scripts/fuzz --repeatable says; test-all draws anew, and for longer.
test sanitize: export PAIRMARK_SEED ?= 1
test sanitize: export SECONDS_OF_CALLS ?= 5
test sanitize: export TESTS_ARE_SHORT ?= 1

test: setup
	@$(MAKE) build-tests
	@scripts/run_tests $(BUILD) --label-exclude long

test-all:
	@scripts/setup --all
	@$(MAKE) build-all
	@scripts/run_tests $(BUILD)

plot: build
	@test -n "$(RUN)" || { echo "make plot: no run under runs/; make one with 'make bench' or name one by RUN=DIR" >&2; exit 2; }
	@$(BUILD)/pairmark plot $(RUN)

# From the rows under results/.
figures: build
	@scripts/figures $(BUILD)/pairmark

report: build
	@test -n "$(RUN)" || { echo "make report: no run under runs/; make one with 'make bench' or name one by RUN=DIR" >&2; exit 2; }
	@$(BUILD)/pairmark report $(RUN) -o $(PAGE)

# One build by clang for both. Without CUDA: its driver maps memory where AddressSanitizer keeps its own. Without the tests of
# kernels, which sanitizers do not see.
sanitize:
	@scripts/setup --check --run --lint
	@cmake --preset sanitize $(CMAKE_FLAGS)
	@cmake --build build-sanitize --parallel $(JOBS) --target all
	@LSAN_OPTIONS=suppressions=$(CURDIR)/scripts/lsan.supp:print_suppressions=0 scripts/run_tests build-sanitize --retry-tracer --label-exclude '$(SANITIZE_EXCLUDE)'

fuzz:
	@scripts/setup --check --lint
	@cmake --preset sanitize $(CMAKE_FLAGS)
	@cmake --build build-sanitize --parallel $(JOBS) --target fuzz_targets
	@scripts/fuzz build-sanitize $(FUZZ_SECONDS)

coverage:
	@scripts/setup --check --run --lint
	@cmake --preset coverage $(CMAKE_FLAGS)
	@cmake --build build-coverage --parallel $(JOBS) --target all pairmark_faulty
	@scripts/coverage build-coverage

lint:
	@scripts/setup --check --lint
	@cmake -B $(BUILD) $(CMAKE_FLAGS)
	@cmake --build $(BUILD) --target generated_headers
	@scripts/lint $(BUILD)

package: needed
	@cmake --preset package $(CMAKE_FLAGS)
	@cmake --build build-package --parallel $(JOBS) --target package

# One build: the package takes its libraries from the system, tarball and wheel carry them. Needs `make setup SETUP_FLAGS=--release`.
release:
	@scripts/setup --check --run --release
	@rm -rf dist
	@cmake --preset package $(CMAKE_FLAGS) -DPAIRMARK_PORTABLE=OFF
	@cmake --build build-package --parallel $(JOBS)
	@cpack -G DEB --config build-package/CPackConfig.cmake -D CPACK_DEBIAN_PACKAGE_RELEASE=$$(. /etc/os-release; echo $$ID$$VERSION_ID)
	@$(MAKE) package
	@scripts/wheel build-package dist
	@scripts/sbom build-package dist/pairmark-*.tar.gz >dist/pairmark.cdx.json
	@rm -rf dist/_CPack_Packages
	@cd dist && sha256sum pairmark* >SHA256SUMS && cat SHA256SUMS

install: build
	@cmake --build $(BUILD) --parallel $(JOBS) --target pairmark_shared pairmark_static pairmark_pocl
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

address:
	@test -n "$(URL)" || { echo "make address: needs URL=..." >&2; exit 2; }
	@sed -i -E 's|^(repository-code: )"[^"]*"|\1"$(URL)"|' CITATION.cff
	@sed -i -E 's|^git clone [^ ]+ pairmark |git clone $(URL) pairmark |' README.md docs/tutorial.md

clean:
	rm -rf $(BUILD) build-debug build-sanitize build-coverage build-package dist
	@test ! -L pairmark || rm -f pairmark
