#!/usr/bin/env bash
# Runs fuzz targets and ends with a line of figures. Exits with 1 if anything was found.
#
#     run.sh [SECONDS] [TARGET…]           every target, or these, for 60 seconds or as many as given
#     run.sh --runs INPUTS [TARGET…]       with this number of inputs
#
# Needs a nightly compiler and cargo-fuzz. SANITIZER=none is faster. It finds panics, hangs and unbounded memory, but no
# access out of bounds.
set -uo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --runs ]; then
    limit=-runs=${2:?"the number of inputs is missing"}
    shift 2
else
    limit=-max_total_time=${1:-60}
    shift $(($# > 0))
fi

if ! cargo +nightly fuzz --version >/dev/null 2>&1; then
    echo "cargo-fuzz or the nightly compiler is missing. To install them:" >&2
    echo "    rustup toolchain install nightly" >&2
    echo "    cargo install cargo-fuzz --locked" >&2
    exit 2
fi

# cargo-fuzz sets RUSTFLAGS, which override those of the project's configuration.
export RUSTFLAGS="-C target-cpu=native ${RUSTFLAGS:-}"

targets=0 runs=0 findings=0
[ $# -gt 0 ] || set -- $(cargo +nightly fuzz list)
for target; do
    echo "== $target"
    log=$(mktemp)
    mkdir -p "corpus/$target"
    # Targets of a kind share seeds and a dictionary: `pgn_tree` uses its own seeds and those of `pgn`.
    kind=${target%%_*}
    seeds=() words=()
    for folder in "seeds/$target" "seeds/$kind"; do
        if [ -d "$folder" ]; then seeds+=("$folder"); fi
    done
    if [ -f "dictionaries/$kind" ]; then words=(-dict="dictionaries/$kind"); fi
    cargo +nightly fuzz run --sanitizer "${SANITIZER:-address}" "$target" "corpus/$target" "${seeds[@]}" -- \
        "${words[@]}" -timeout=20 "$limit" -print_final_stats=1 -verbosity=1 >"$log" 2>&1
    status=$?
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    if [ -z "$executed" ]; then
        cat "$log" >&2
        echo "$target did not run" >&2
        exit 2
    fi
    if [ "$status" -ne 0 ]; then
        findings=$((findings + 1))
        tail -n 40 "$log" >&2
    fi
    echo "$executed runs"
    targets=$((targets + 1))
    runs=$((runs + executed))
    rm -f "$log"
done

echo "$targets targets, $runs runs, $findings findings"
[ "$findings" -eq 0 ]
