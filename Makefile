# A thin front for meson and ninja. `make help` lists the targets.
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
OPTIONS ?=
JOBS    ?=

werror := $(if $(filter true 1 yes,$(CI)),true,false)
setup   = -Dwerror=$(werror) $(OPTIONS)
ninja   = ninja -C $(BUILD) $(if $(JOBS),-j$(JOBS)) $(if $(VERBOSE),-v,--quiet)
hone    = $(BUILD)/hone
example = examples/ocr-classifier

.DEFAULT_GOAL := all
.PHONY: all help configure install check test bless asan tsan coverage fuzz bench aarch64 lint demo clean build-needs test-needs

all: configure ## build the library and the command (default)
	@$(ninja)

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):[^#]*## /  \1\t/p' $(MAKEFILE_LIST)
	@echo "variables: BUILD=$(BUILD) PREFIX=$(PREFIX) DESTDIR= OPTIONS='-Dchecks=true' CI=true (warnings are errors)"

# Sets the build directory up, and again whenever the options or the set of source files changed.
configure:
	@for tool in meson ninja; do command -v $$tool >/dev/null || \
		{ echo "$$tool is missing: run tools/setup.sh, or see docs/dependencies.md" >&2; exit 2; }; done
	@mkdir -p $(BUILD)
	@{ echo '$(setup)'; tools/list-sources all; } >$(BUILD)/.sources.new
	@if [ ! -f $(BUILD)/build.ninja ]; then meson setup $(BUILD) $(setup); \
	elif ! cmp -s $(BUILD)/.sources $(BUILD)/.sources.new; then meson setup --reconfigure $(BUILD) $(setup); fi \
		>$(BUILD)/.configure.log 2>&1 || { cat $(BUILD)/.configure.log >&2; exit 1; }
	@mv $(BUILD)/.sources.new $(BUILD)/.sources

install: all ## install below DESTDIR/PREFIX
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@$(ninja)
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild --quiet

check: test-needs ## install what the tests need, build, run every test
	@$(MAKE) --no-print-directory all
	@tests/run $(BUILD)

test: all ## run the tests without installing anything; ONLY='unit seeds golden conformance' chooses
	@tests/run $(BUILD) $(ONLY)

bless: all ## rewrite the expectations of the golden tests from what hone prints now
	@tests/golden/run --bless $(hone)

asan: ## unit tests, seeds and golden tests under address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory BUILD=build-asan ONLY='unit seeds golden' test \
		OPTIONS='-Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dchecks=true'

tsan: ## unit tests, seeds and golden tests under the thread sanitizer
	@$(MAKE) --no-print-directory BUILD=build-tsan ONLY='unit seeds golden' test \
		OPTIONS='-Db_sanitize=thread -Db_lundef=false -Doptimization=1'

coverage: ## line coverage by file of unit tests, seeds and golden tests
	@$(MAKE) --no-print-directory BUILD=build-coverage ONLY='unit seeds golden' test \
		OPTIONS='-Db_coverage=true -Doptimization=0 -Dchecks=true'
	@tools/coverage build-coverage

fuzz: ## build the fuzz targets (libFuzzer when CC=clang) and run each for FUZZ_SECONDS
	@$(MAKE) --no-print-directory BUILD=build-fuzz all \
		OPTIONS='-Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dchecks=true'
	@tests/fuzz/run build-fuzz $(FUZZ_SECONDS)

aarch64: ## cross-compile the kernels and run their tests under qemu-user
	@tools/setup.sh aarch64
	@tests/aarch64 build-aarch64

bench: all ## time the benchmark cases
	@bench/run $(hone)

lint: ## check the rules of CONTRIBUTING.md that a script can check
	@tools/lint $(BUILD)

build-needs:
	@tools/setup.sh build
test-needs:
	@tools/setup.sh build test

demo: build-needs ## build, then optimise a real model, prove it unchanged and run it
	@$(MAKE) --no-print-directory all
	@mkdir -p $(BUILD)/demo
	$(hone) opt $(example)/model.onnx -o $(BUILD)/demo/optimised.onnx
	$(hone) verify $(example)/model.onnx $(BUILD)/demo/optimised.onnx
	$(hone) verify $(BUILD)/demo/optimised.onnx --data $(example)/test_data_set_0
	$(hone) run $(BUILD)/demo/optimised.onnx -i $(example)/test_data_set_0/input_0.pb

clean: ## remove every build directory
	rm -rf build build-asan build-tsan build-coverage build-fuzz build-aarch64
