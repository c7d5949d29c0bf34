#!/usr/bin/env bash
# Runs `ferz-soak storm` under every sanitizer that is installed. The last line lists which ran and what they found.
# Exits with 1 if one of them found something. SECONDS_EACH is the time of each storm.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-20}
target=x86_64-unknown-linux-gnu
folder=${CARGO_TARGET_DIR:-target}/sanitizers
mkdir -p "$folder/logs"
logs=$(realpath "$folder/logs")
ran=() findings=0

has_nightly() { rustc +nightly --version >/dev/null 2>&1; }

# conclude NAME LOG STATUS: reports a run.
conclude() {
    if [ "$3" -ne 0 ]; then
        findings=$((findings + 1))
        tail -n 60 "$2" >&2
        ran+=("$1 FAILED (see $2)")
    else
        ran+=("$1 without findings ($(grep '^storm:' "$2" | tail -n 1 | sed 's/^storm: //'))")
    fi
    echo "${ran[-1]}"
}

# sanitize NAME FLAG: builds with a sanitizer of the compiler and runs a storm.
sanitize() {
    local name=$1 log=$logs/$1.log
    if ! RUSTFLAGS="-Zsanitizer=$2 -Cunsafe-allow-abi-mismatch=sanitizer -Ctarget-cpu=native -Cdebug-assertions=on" \
        cargo +nightly build --quiet --locked --release --config profile.release.lto=false \
        --config profile.release.codegen-units=16 --config 'profile.release.debug="line-tables-only"' \
        --package ferz-soak --target $target --target-dir "$folder/$name" >"$log" 2>&1; then
        cat "$log" >&2
        ran+=("$name not run: the build failed")
        findings=$((findings + 1))
        return
    fi
    "$folder/$name/$target/release/ferz-soak" storm --seconds "$seconds" >"$log" 2>&1
    conclude "$name" "$log" $?
}

if has_nightly; then
    sanitize address address
    # The standard library is not instrumented (that needs its source), so its own synchronisation would be reported.
    printf '%s\n' 'race_top:^std::' 'race_top:^<std::' 'race:lifecycle::Packet' 'race:std::thread::thread::Inner' \
        >"$logs/thread.supp"
    TSAN_OPTIONS="suppressions=$logs/thread.supp history_size=4" sanitize thread thread
else
    ran+=("AddressSanitizer and ThreadSanitizer not run: no nightly compiler")
fi

if command -v valgrind >/dev/null; then
    # Valgrind does not support AVX-512.
    if RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --quiet --locked --profile soak --package ferz-soak \
        --target-dir "$folder/valgrind" >"$logs/valgrind.log" 2>&1; then
        log=$logs/memcheck.log
        valgrind --tool=memcheck --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=99 \
            "$folder/valgrind/soak/ferz-soak" storm --seconds "$seconds" --threads 3 >"$log" 2>&1
        conclude memcheck "$log" $?
        ran+=("helgrind not run: it reports Rust atomics and locks as races")
    else
        cat "$logs/valgrind.log" >&2
        ran+=("valgrind not run: the build failed")
        findings=$((findings + 1))
    fi
else
    ran+=("valgrind not run: not installed")
fi

if cargo +nightly miri --version >/dev/null 2>&1; then
    log=$logs/miri.log
    cargo +nightly miri test --package ferz-eval --lib --target-dir "$folder/miri" >"$log" 2>&1
    conclude miri "$log" $?
else
    ran+=("Miri not run: not installed")
fi

printf -v list '%s; ' "${ran[@]}"
echo "sanitizers: ${list}$findings findings"
[ "$findings" -eq 0 ]
