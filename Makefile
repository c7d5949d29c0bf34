# `make help` lists the targets. `make EXE=name EVALFILE=net` is what OpenBench calls.
EXE ?= ferz
# Features of the program. OpenBench passes none: the branch of a tune sets `tune` here.
FEATURES ?=
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
CARGO ?= cargo
# Every build and every file that a target leaves behind is below this folder.
BUILD ?= $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(BUILD)/release/ferz$(SUFFIX)

.PHONY: all
all: ## build the program and leave it here as ./ferz (EXE=name, EVALFILE=net, FEATURES=tune)
	$(if $(EVALFILE),FERZ_EVALFILE=$(abspath $(EVALFILE))) $(CARGO) build --release --locked --package ferz \
		$(if $(FEATURES),--features $(FEATURES))
	cp $(RELEASE) $(EXE)$(SUFFIX)

# Profile-guided optimisation: a first build counts how often each part of the code runs, the second one is arranged by
# that. With `--target` the flags do not apply to build scripts, which would write profiles as well.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
PGO := $(abspath $(BUILD))/pgo
PROFDATA = $(or $(wildcard $(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX)),llvm-profdata)
PGO_BUILD = $(if $(EVALFILE),FERZ_EVALFILE=$(abspath $(EVALFILE))) $(CARGO) build --profile dist --locked --package ferz \
	--target $(HOST) --target-dir $(PGO)
PGO_FLAGS = $(or $(RUSTFLAGS),-C target-cpu=native)

.PHONY: pgo
pgo: ## the same as all, with profile-guided optimisation: two builds
	@$(PROFDATA) merge --help > $(if $(filter Windows_NT,$(OS)),NUL,/dev/null) 2>&1 || { \
		echo "make pgo needs llvm-profdata of rustc's LLVM: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf $(PGO)/profile
	RUSTFLAGS="$(PGO_FLAGS) -C profile-generate=$(PGO)/profile" $(PGO_BUILD)
	$(PGO)/$(HOST)/dist/ferz$(SUFFIX) bench
	$(PGO)/$(HOST)/dist/ferz$(SUFFIX) perft 5
	$(PROFDATA) merge --output $(PGO)/profile/merged.profdata $(PGO)/profile
	RUSTFLAGS="$(PGO_FLAGS) -C profile-use=$(PGO)/profile/merged.profdata" $(PGO_BUILD)
	cp $(PGO)/$(HOST)/dist/ferz$(SUFFIX) $(EXE)$(SUFFIX)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) \
		| while IFS="$$(printf '\t')" read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

## What a change must pass

# Whatever runs tests natively uses the same packages and features, or cargo would compile again: all features that change
# no result. `check-bench` compares with a release, which has none of them.
WORKSPACE = --locked --workspace --features ferz-board/serde,ferz-board/arbitrary,ferz-search/serde,ferz/tune,ferz/sample
TESTS = $(CARGO) test $(WORKSPACE)
PAGE_TESTS = $(BUILD)/debug/ferz-page-tests$(SUFFIX)
TWO_AT_A_TIME = $(MAKE) --no-print-directory --jobs=2 --output-sync=target

.PHONY: check
check: ## format, lints and the tests inside the libraries: the quick check while you work
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(TESTS) --lib

.PHONY: test
test: tools ## everything a change must pass; installs what is missing where it can
	$(TWO_AT_A_TIME) lint release
	FERZ=$(abspath $(RELEASE)) $(TESTS)
	$(TWO_AT_A_TIME) test-in-debug test-apart $(TESTED_MODULES:%=wasm/%)
	@# These measure time, so each has the machine for itself.
	$(MAKE) --no-print-directory test-soak test-page test-wasm test-static test-npm

.PHONY: release
release:
	$(CARGO) build --release --locked --package ferz

# Parts of `make test`. The first ones build in the folder of the tests, which cargo locks; the others do not.
.PHONY: test-in-debug test-apart
test-in-debug:
	for part in check-bench check-processor check-no-std doc semver; do \
		$(MAKE) --no-print-directory $$part || exit 1; \
	done
test-apart:
	for part in licences test-types test-modules check-evalfile test-portable test-training; do \
		$(MAKE) --no-print-directory $$part || exit 1; \
	done

.PHONY: lint
lint: ## format and lints, with every feature
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --package ferz-search --package ferz-selfplay --package ferz --features tune,sample \
		--all-targets -- -D warnings

.PHONY: package
package: ## package every published crate, and test the packages outside the repository
	BUILD=$(BUILD) .ci/check-packages

.PHONY: doc
doc: ## the documentation of all crates, without warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

# `make test` runs these tests too; this target runs them alone.
.PHONY: test-docs
test-docs: ## run the examples of the documents, check the files, options and tests they name
	$(CARGO) build --release --locked --package ferz
	FERZ=$(abspath $(RELEASE)) $(TESTS) --test docs --test checker
	$(TESTS) --doc

# The same tests without this machine's instruction sets: the code that runs on every processor.
.PHONY: test-portable
test-portable: ## the libraries' tests, built for any x86-64
	RUSTFLAGS="-C target-cpu=x86-64" $(CARGO) test --locked --package ferz-board --package ferz-notation \
		--package ferz-eval --target-dir $(BUILD)/portable --lib --tests

# An EVALFILE in the environment does not change what a user of the library embeds; a FERZ_EVALFILE that does not exist is
# an error.
.PHONY: check-evalfile
check-evalfile: ## only FERZ_EVALFILE changes the embedded net
	EVALFILE=/missing.nnue $(CARGO) check --locked --quiet --package ferz-eval --target-dir $(BUILD)/evalfile
	! FERZ_EVALFILE=/missing.nnue $(CARGO) check --locked --quiet --package ferz-eval --target-dir $(BUILD)/evalfile \
		2> $(BUILD)/evalfile/refusal
	grep -q "FERZ_EVALFILE: /missing.nnue" $(BUILD)/evalfile/refusal

# `soak-bench` compares instruction sets.
.PHONY: check-bench
check-bench: ## the search visits the same nodes in a release and with debug assertions and all features
	$(CARGO) build --release --locked --package ferz
	$(TESTS) --no-run --quiet
	@release=$$($(RELEASE) bench 9 | sed 's/ nodes.*//'); \
	checked=$$($(BUILD)/debug/ferz$(SUFFIX) bench 9 | sed 's/ nodes.*//'); \
	echo "bench 9: $$release nodes in a release, $$checked with debug assertions"; \
	test -n "$$release" && test "$$release" = "$$checked"

# QEMU emulates an old processor. Other machines than x86-64 and builds that run everywhere skip the check.
.PHONY: check-processor
check-processor: qemu ## a build for a newer processor says so on an old one
	$(CARGO) build --release --locked --package ferz
	dist/check-processor $(RELEASE)

# The board needs nothing but `core` and `alloc`. The second part runs where the target is installed: it has neither an
# operating system nor 64-bit atomics.
.PHONY: check-no-std
check-no-std: ## the board without the standard library
	$(CARGO) check --locked --package ferz-board --no-default-features
	$(CARGO) check --locked --package ferz-board --no-default-features --features serde,arbitrary
	$(CARGO) test --locked --package ferz-board --no-default-features --features small-tables --lib
	@if rustup target list --installed 2> /dev/null | grep -qx thumbv6m-none-eabi; then \
		RUSTFLAGS= $(CARGO) check --locked --package ferz-board --no-default-features --target thumbv6m-none-eabi; \
	fi

# A few games of the release over the protocol, under a referee.
.PHONY: test-soak
test-soak: ## a few games under a referee
	$(CARGO) build --release --locked --package ferz
	FERZ=$(abspath $(RELEASE)) $(TESTS) --bin ferz-soak -- --ignored

# The trainer on a CPU, with tiny nets. PyTorch is Debian's python3-torch, if no other python3 has it.
.PHONY: test-training
test-training: python-torch ## the trainer, with tiny nets
	$(CARGO) build --release --locked --package ferz
	@for python in python3 /usr/bin/python3; do \
		if $$python -c "import numpy, torch, tomllib" 2> /dev/null; then \
			FERZ=$(abspath $(RELEASE)) exec $$python training/test_train.py; \
		fi; \
	done; \
	echo "The trainer's test needs Python 3.11 with NumPy and PyTorch." >&2; exit 1

.PHONY: test-types
test-types: typescript ## the types of the page's JavaScript
	tsc -p crates/engine/web
	tsc -p crates/browser/web
	tsc -p crates/browser/web/tsconfig.workers.json

# PART=name runs the scenarios whose names contain it. Screenshots are left in `page` of the build folder.
.PHONY: test-page
test-page: chromium ## the page of `ferz serve` in a real Chromium (PART=name)
	$(CARGO) build --release --locked --package ferz
	$(CARGO) build $(WORKSPACE) --profile test --bin ferz-page-tests
	PICTURES=$(BUILD)/page $(PAGE_TESTS) $(RELEASE) $(PART)

## The browser

# MODULES is ferz-browser, ferz-browser-scalar or ferz, or several of them; all by default.
.PHONY: wasm
wasm: wasm-target ## the WebAssembly modules, in wasm of the build folder (MODULES=ferz-browser)
	BUILD=$(BUILD) CARGO="$(CARGO)" crates/browser/build-wasm $(MODULES)

TESTED_MODULES := ferz-browser ferz-browser-scalar ferz-browser-test ferz
.PHONY: $(TESTED_MODULES:%=wasm/%)
$(TESTED_MODULES:%=wasm/%): wasm/%: wasm-target
	BUILD=$(BUILD) CARGO="$(CARGO)" crates/browser/build-wasm $*

.PHONY: npm
npm: ## the npm package, in npm of the build folder
	$(MAKE) --no-print-directory wasm MODULES=ferz
	BUILD=$(BUILD) packages/ferz/pack

# The test of the packed package says so where npm is missing. Tests run in node, in Chromium and with tsc.
.PHONY: test-npm
test-npm: chromium node typescript npm ## the npm package in node, Chromium and TypeScript
	FERZ_PACKAGE=$$(ls $(abspath $(BUILD))/npm/ferz-*.tgz) node --test packages/ferz/test/*.test.js

.PHONY: test-wasm
test-wasm: node wasm-target ## the WebAssembly modules in node: the same nodes as the program, kernels, stack, memory
	$(CARGO) build --release --locked --package ferz
	BUILD=$(BUILD) CARGO="$(CARGO)" crates/browser/build-wasm ferz-browser ferz-browser-scalar ferz-browser-test
	node crates/browser/tests/wasm.mjs $(BUILD)/wasm $(RELEASE)

# docs/browser.md says how to host it. `python3 -m http.server -d target/static` is enough to look at it.
.PHONY: static
static: wasm-target ## the page with the engine in the browser, as a folder of files: static in the build folder
	BUILD=$(BUILD) CARGO="$(CARGO)" crates/browser/build-wasm ferz-browser ferz-browser-scalar
	BUILD=$(BUILD) crates/browser/build-static

.PHONY: test-modules
test-modules: node ## the page's modules that need no browser
	node --test crates/browser/tests/modules.mjs

# The program's server opens the links of the static page.
.PHONY: test-static
test-static: chromium static ## the folder of static files in a real Chromium (PART=name)
	$(CARGO) build --release --locked --package ferz
	$(CARGO) build $(WORKSPACE) --profile test --bin ferz-page-tests
	FERZ=$(abspath $(RELEASE)) PICTURES=$(BUILD)/page/static $(PAGE_TESTS) --static $(BUILD)/static $(PART)

## Dependencies and licences

# A cargo-deny on the path is used as it is, whatever its version; else this one is built, for this project alone.
DENY_VERSION := 0.20.2
# Quick to build. Their own settings optimise all dependencies.
INSTALL = RUSTFLAGS= CARGO_TARGET_DIR=$(abspath $(BUILD)/tools/build) $(CARGO) install --quiet --locked --debug \
	--config profile.dev.debug=false --config 'profile.dev.package."*".opt-level=0' --root $(abspath $(BUILD)/tools)
DENY = $(or $(shell command -v cargo-deny 2> /dev/null),$(abspath $(BUILD)/tools/bin/cargo-deny$(SUFFIX)))

.PHONY: licences
licences: ## nothing under the GPL is linked into what ships
	@CARGO="$(CARGO)" .ci/shipped-licences

# Known vulnerabilities are looked up only where the database can be fetched.
.PHONY: deny
deny: cargo-deny licences ## dependencies, their licences and where they come from (deny.toml)
	$(DENY) --workspace --all-features --locked check --hide-inclusion-graph licenses bans sources
	@if $(DENY) fetch db > /dev/null 2>&1; then \
		$(DENY) --workspace --all-features --locked check --disable-fetch advisories; \
	else \
		echo "advisories: skipped, the database cannot be fetched"; \
	fi

## Interfaces

LIBRARIES := ferz-board ferz-notation ferz-syzygy ferz-table-maker ferz-eval ferz-search ferz-coach ferz-session \
	ferz-selfplay ferz-library
# As with cargo-deny.
SEMVER_VERSION := 0.51.0
SEMVER = $(or $(shell command -v cargo-semver-checks 2> /dev/null),\
	$(abspath $(BUILD)/tools/bin/cargo-semver-checks$(SUFFIX)))

# The version numbers promise what changed since the last release.
.PHONY: semver
semver: ## compare the libraries' public interfaces with the last tag v*
	@base=$$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2> /dev/null); \
	if test -z "$$base"; then \
		echo "no release yet: nothing to compare"; \
	else \
		$(MAKE) --no-print-directory cargo-semver-checks \
			&& $(SEMVER) semver-checks $(LIBRARIES:%=--package %) --baseline-rev "$$base"; \
	fi

## What the tests need

APT_INSTALL = test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -q > /dev/null \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -q --yes --no-install-recommends

.PHONY: setup
setup: tools cargo-deny ## install what is missing for the tests

.PHONY: tools
tools: chromium qemu node python-torch typescript wasm-target

.PHONY: chromium
chromium:
	@test -n "$$CHROMIUM" || which chromium chromium-browser google-chrome google-chrome-stable 2> /dev/null | grep -q . \
		|| { echo "Chromium is missing: installing it"; $(APT_INSTALL) chromium; } \
		|| { echo "The page's tests need Chromium. Install it (Debian: apt-get install chromium), or set CHROMIUM to" \
			"the path of a Chromium or Chrome." >&2; exit 1; }

.PHONY: qemu
qemu:
	@test "$$(uname -sm)" != "Linux x86_64" || command -v qemu-x86_64 > /dev/null \
		|| { echo "QEMU is missing: installing it"; $(APT_INSTALL) qemu-user; } \
		|| { echo "The check of old processors needs qemu-x86_64. Install it (Debian: apt-get install qemu-user)." >&2; \
			exit 1; }

.PHONY: python-torch
python-torch:
	@for python in python3 /usr/bin/python3; do \
		if $$python -c "import numpy, torch, tomllib" 2> /dev/null; then exit 0; fi; \
	done; \
	{ echo "PyTorch is missing: installing it"; $(APT_INSTALL) python3-torch python3-numpy; } \
		|| { echo "The trainer's test needs Python 3.11 with NumPy and PyTorch. Install them (Debian: apt-get install" \
			"python3-torch python3-numpy)." >&2; exit 1; }

.PHONY: typescript
typescript:
	@command -v tsc > /dev/null \
		|| { echo "TypeScript is missing: installing it"; $(APT_INSTALL) node-typescript; } \
		|| { echo "The check of the page's JavaScript needs tsc. Install TypeScript (Debian: apt-get install" \
			"node-typescript)." >&2; exit 1; }

.PHONY: node
node:
	@command -v node > /dev/null \
		|| { echo "node is missing: installing it"; $(APT_INSTALL) nodejs; } \
		|| { echo "The tests of the WebAssembly modules need node 20. Install it (Debian: apt-get install nodejs)." >&2; \
			exit 1; }

# rustup's standard library for the target, or Debian's sources of it. crates/browser/build-wasm explains what is missing.
.PHONY: wasm-target
wasm-target:
	@{ rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown; } \
		2> /dev/null || command -v wasm-ld-22 > /dev/null \
		|| { echo "Rust for WebAssembly is missing: installing it"; $(APT_INSTALL) rustc-web cargo-web rust-web-src lld-22; } \
		|| true

.PHONY: cargo-deny
cargo-deny:
	@test -x "$(DENY)" \
		|| { echo "cargo-deny is missing: building it, which takes some minutes"; \
			$(INSTALL) cargo-deny --version $(DENY_VERSION) && rm -rf $(BUILD)/tools/build; } \
		|| { echo "The check of licences needs cargo-deny. Install it (cargo install cargo-deny --locked)." >&2; exit 1; }

.PHONY: cargo-semver-checks
cargo-semver-checks:
	@test -x "$(SEMVER)" \
		|| { echo "cargo-semver-checks is missing: building it, which takes some minutes"; \
			$(INSTALL) cargo-semver-checks --version $(SEMVER_VERSION) && rm -rf $(BUILD)/tools/build; } \
		|| { echo "The comparison needs cargo-semver-checks. Install it (cargo install cargo-semver-checks --locked)." >&2; \
			exit 1; }

## Other systems and downloads

# PART is aarch64, windows, static or old, or several of them; all by default. docs/platforms.md says what is checked.
.PHONY: platforms
platforms: ## build for other systems and processors, and test there by emulation (PART=windows)
	$(CARGO) build --release --locked --package ferz
	BUILD=$(BUILD) CARGO="$(CARGO)" dist/platforms $(RELEASE) $(PART)

# DOWNLOADS is x86_64-linux, aarch64-linux or x86_64-windows, or several of them; all by default.
.PHONY: dist
dist: ## the archives of a release, with checksums, in dist of the build folder (DOWNLOADS=x86_64-linux)
	BUILD=$(BUILD) CARGO="$(CARGO)" dist/archives $(DOWNLOADS)

.PHONY: dist-check
dist-check: ## build the archives of the last commit twice, in two folders, and compare them (DOWNLOADS)
	BUILD=$(BUILD) CARGO="$(CARGO)" dist/check-archives $(DOWNLOADS)

## Measurements

# Ferz and its peers in one process; the last lines are ratios. PGN=FILE names real games to be read, NNUE_PROBE=FILE
# nnue-probe as a shared library and NNUE_NET=FILE a HalfKP net. The second run is without AVX-512, for what cannot
# switch it off at run time.
PEERS = $(if $(CARGO_TARGET_DIR),$(abspath $(BUILD)/peer-bench),target)
.PHONY: peer-bench
peer-bench: ## compare the speed with that of other libraries (PGN=file, NNUE_PROBE=file, NNUE_NET=file, SYZYGY=dir)
	cd peer-bench && $(CARGO) run --release --locked --target-dir $(PEERS)
ifdef PGN
	cd peer-bench && RUSTFLAGS="-C target-cpu=x86-64-v3" $(CARGO) run --release --locked \
		--target-dir $(PEERS)/portable -- 5 portable
endif

## Long runs

# By hand, an hour and a half on two processors, builds included. Each part ends with a line of figures, which
# docs/reliability.md keeps, and with an error if a promise of that document was broken.
.PHONY: soak
soak: soak-bench soak-games soak-uci soak-files soak-web soak-fuzz soak-sanitizers ## all long runs, one after the other

# A release with debug assertions, and the program that tests it.
SOAK = $(BUILD)/soak/ferz-soak$(SUFFIX) --ferz $(BUILD)/soak/ferz$(SUFFIX)
.PHONY: soak-build
soak-build:
	$(CARGO) build --profile soak --locked --package ferz --package ferz-soak

# x86-64-v2 has no code of its own, but the compiler translates the rest differently.
LEVELS ?= x86-64 x86-64-v2 x86-64-v3 native
.PHONY: soak-bench
soak-bench: ## the search visits the same nodes with every instruction set (LEVELS)
	@for level in $(LEVELS); do \
		RUSTFLAGS="-C target-cpu=$$level" $(CARGO) build --quiet --profile soak --locked --package ferz \
			--target-dir $(BUILD)/levels/$$level || exit 1; \
		nodes=$$($(BUILD)/levels/$$level/soak/ferz$(SUFFIX) bench 9 | sed 's/ nodes.*//'); \
		echo "bench 9 for $$level: $$nodes nodes"; \
		test -n "$$nodes" && test "$${expected:=$$nodes}" = "$$nodes" || exit 1; \
	done

# GAMES=--help lists what can be changed.
.PHONY: soak-games
soak-games: soak-build ## games under a referee, by nodes and by the clock, and the memory they take (GAMES)
	$(SOAK) games $(GAMES)

UCI_SECONDS ?= 600
.PHONY: soak-uci
soak-uci: soak-build ## random sessions over UCI (UCI_SECONDS)
	$(SOAK) uci --seconds $(UCI_SECONDS) --findings $(BUILD)/soak-uci

WEB_SECONDS ?= 600
.PHONY: soak-web
soak-web: soak-build ## the page's server with fifty tabs, faults and restarts (WEB_SECONDS)
	$(SOAK) web --seconds $(WEB_SECONDS)

FUZZ_SECONDS ?= 30
.PHONY: soak-fuzz
soak-fuzz: ## every fuzz target for FUZZ_SECONDS
	fuzz/run.sh $(FUZZ_SECONDS)

# For some hours. SANITIZER=none is faster.
FUZZ_RUNS ?= 1000000
.PHONY: soak-fuzz-runs
soak-fuzz-runs: ## every fuzz target with FUZZ_RUNS inputs
	fuzz/run.sh --runs $(FUZZ_RUNS)

FILES_SECONDS ?= 300
.PHONY: soak-files
soak-files: soak-build ## damaged files for everything that reads files (FILES_SECONDS)
	$(SOAK) files --seconds $(FILES_SECONDS) --keep $(BUILD)/soak-files

.PHONY: soak-sanitizers
soak-sanitizers: ## race and memory checkers, those that are installed
	crates/soak/sanitizers.sh

.PHONY: clean
clean: ## remove everything that was built
	$(CARGO) clean
	rm -f $(EXE)$(SUFFIX)
