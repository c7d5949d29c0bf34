# The engine as OpenBench builds it: `make EXE=name` leaves the binary `name` in this folder.
EXE ?= ferz
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
CARGO ?= cargo
BUILD ?= $(or $(CARGO_TARGET_DIR),target)

.PHONY: all test lint doc check-no-std peer-bench clean
.PHONY: soak soak-build soak-bench soak-games soak-uci soak-files soak-web soak-fuzz soak-sanitizers

# EVALFILE=net embeds a different net. The library reads FERZ_EVALFILE only: see crates/eval/build.rs.
all:
	$(if $(EVALFILE),FERZ_EVALFILE=$(abspath $(EVALFILE))) $(CARGO) build --release --locked --package ferz
	cp target/release/ferz$(SUFFIX) $(EXE)$(SUFFIX)

# Everything a change must pass. Whatever runs tests natively says it with the same words, or cargo would compile anew.
TESTS = $(CARGO) test --locked --workspace --features ferz-board/serde,ferz-board/arbitrary
test: lint
	$(TESTS)
	$(MAKE) --no-print-directory test-portable check-evalfile test-tune check-bench check-no-std doc test-soak test-training test-page

# The same tests without this machine's instruction sets: the code that runs on every processor.
.PHONY: test-portable
test-portable:
	RUSTFLAGS="-C target-cpu=x86-64" $(CARGO) test --locked --package ferz-board --package ferz-notation \
		--package ferz-eval --target-dir target/portable --lib --tests

# An EVALFILE in the environment does not change what a user of the library embeds; a FERZ_EVALFILE that does not exist is
# an error.
.PHONY: check-evalfile
check-evalfile:
	EVALFILE=/missing.nnue $(CARGO) check --locked --quiet --package ferz-eval --target-dir $(BUILD)/evalfile
	! FERZ_EVALFILE=/missing.nnue $(CARGO) check --locked --quiet --package ferz-eval --target-dir $(BUILD)/evalfile \
		2> $(BUILD)/evalfile/refusal
	grep -q "FERZ_EVALFILE: /missing.nnue" $(BUILD)/evalfile/refusal

# The numbers of the search as variables, and the tuner that plays with them.
.PHONY: test-tune
test-tune:
	$(CARGO) test --locked --package ferz-search --features tune --test it tuning
	$(CARGO) test --locked --package ferz-search --features tune --example spsa
	$(CARGO) test --locked --package ferz --features tune --bin ferz numbers_of_the_search

# The search visits the same nodes in a release and with all checks; `soak-bench` compares instruction sets.
.PHONY: check-bench
check-bench:
	$(CARGO) build --release --locked --package ferz
	$(TESTS) --no-run --quiet
	@release=$$($(BUILD)/release/ferz bench 9 | sed 's/ nodes.*//'); \
	checked=$$($(BUILD)/debug/ferz bench 9 | sed 's/ nodes.*//'); \
	echo "bench 9: $$release nodes in a release, $$checked with all checks"; \
	test -n "$$release" && test "$$release" = "$$checked"

# The trainer on a CPU, with tiny nets. PyTorch is Debian's python3-torch, if no other python3 has it.
.PHONY: test-training
test-training:
	$(CARGO) build --release --locked --package ferz
	@for python in python3 /usr/bin/python3; do \
		if $$python -c "import numpy, torch, tomllib" 2>/dev/null; then \
			FERZ=target/release/ferz exec $$python training/test_train.py; \
		fi; \
	done; \
	echo "PyTorch is missing: installing python3-torch"; \
	if { apt-get update -q && apt-get install -q -y --no-install-recommends python3-torch python3-numpy; } >/dev/null; then \
		FERZ=target/release/ferz exec /usr/bin/python3 training/test_train.py; \
	fi; \
	echo "The trainer's test needs Python 3.11 with NumPy and PyTorch: install python3-torch and python3-numpy"; exit 1

# The page of `ferz serve` in a real Chromium; pictures of it are left in target/page. PART=name runs the scenarios with
# that in their name.
.PHONY: test-page chromium
test-page: chromium
	$(CARGO) build --release --locked --package ferz
	$(CARGO) run --locked --package ferz-page-tests -- $(BUILD)/release/ferz$(SUFFIX) $(PART)

chromium:
	@test -n "$$CHROMIUM" || which chromium chromium-browser google-chrome google-chrome-stable 2> /dev/null | grep -q . \
		|| { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
			&& apt-get update && apt-get install --yes --no-install-recommends chromium; } \
		|| { echo "Chromium is missing and cannot be installed from here. Install the package chromium (Debian:" \
			"apt-get install chromium), or set CHROMIUM to the path of a Chromium or Chrome." >&2; exit 1; }

# A few games of the release over the protocol, under a referee.
.PHONY: test-soak
test-soak:
	$(CARGO) build --release --locked --package ferz
	FERZ=$(abspath $(BUILD)/release/ferz$(SUFFIX)) $(TESTS) --bin ferz-soak -- --ignored

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --package ferz-search --package ferz --features tune --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

# The board needs nothing but `core` and `alloc`.
check-no-std:
	$(CARGO) check --locked --package ferz-board --no-default-features
	$(CARGO) check --locked --package ferz-board --no-default-features --features serde,arbitrary

# Ferz and its peers in one process; the last lines are ratios. PGN=FILE names real games to be read, NNUE_PROBE=FILE
# nnue-probe as a shared library and NNUE_NET=FILE a HalfKP net. The second run is without AVX-512, for what cannot
# switch it off at run time.
peer-bench:
	cd peer-bench && $(CARGO) run --release --locked
ifdef PGN
	cd peer-bench && RUSTFLAGS="-C target-cpu=x86-64-v3" $(CARGO) run --release --locked --target-dir target/portable -- 5 portable
endif

# Long runs, by hand, an hour and a half on two processors, builds included. Each part ends with a line of figures, which
# docs/reliability.md keeps, and with an error if a promise of that document was broken.
soak: soak-bench soak-games soak-uci soak-files soak-web soak-fuzz soak-sanitizers

# A release with all checks, and what tries it.
SOAK = $(BUILD)/soak/ferz-soak$(SUFFIX) --ferz $(BUILD)/soak/ferz$(SUFFIX)
soak-build:
	$(CARGO) build --profile soak --locked --package ferz --package ferz-soak

# The search visits the same nodes with every set of instructions that it has code for. x86-64-v2 has none of its own,
# but another compiler's idea of the rest.
LEVELS ?= x86-64 x86-64-v2 x86-64-v3 native
soak-bench:
	@for level in $(LEVELS); do \
		RUSTFLAGS="-C target-cpu=$$level" $(CARGO) build --quiet --profile soak --locked --package ferz \
			--target-dir target/levels/$$level || exit 1; \
		nodes=$$(target/levels/$$level/soak/ferz bench 9 | sed 's/ nodes.*//'); \
		echo "bench 9 for $$level: $$nodes nodes"; \
		test -n "$$nodes" && test "$${expected:=$$nodes}" = "$$nodes" || exit 1; \
	done

# Games under a referee, by nodes and by the clock, and the memory they take. GAMES=--help lists what can be changed.
soak-games: soak-build
	$(SOAK) games $(GAMES)

# Random sessions over the Universal Chess Interface.
UCI_SECONDS ?= 600
soak-uci: soak-build
	$(SOAK) uci --seconds $(UCI_SECONDS) --findings $(BUILD)/soak-uci

# The page's server with fifty tabs, faults and restarts.
WEB_SECONDS ?= 600
soak-web: soak-build
	$(SOAK) web --seconds $(WEB_SECONDS)

# Every fuzz target for so long.
FUZZ_SECONDS ?= 30
soak-fuzz:
	fuzz/run.sh $(FUZZ_SECONDS)

# Damaged files for everything that reads files.
FILES_SECONDS ?= 300
soak-files: soak-build
	$(SOAK) files --seconds $(FILES_SECONDS)

# Race and memory checkers, those that are installed, on searches that are disturbed all the time.
soak-sanitizers:
	crates/soak/sanitizers.sh

clean:
	$(CARGO) clean
	rm -f $(EXE)$(SUFFIX)
