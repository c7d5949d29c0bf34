#!/usr/bin/env bash
# Runs the storm of `ferz-soak` under every race and memory checker there is, and ends with a line that says which ran
# and what they found. Exits with 1 if one of them found something. SECONDS_EACH: how long each storm lasts.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-20}
target=x86_64-unknown-linux-gnu
folder=${CARGO_TARGET_DIR:-target}/sanitizers
mkdir -p "$folder/logs"
logs=$(realpath "$folder/logs")
ran=() findings=0

has_nightly() { rustc +nightly --version >/dev/null 2>&1; }

# conclude NAME LOG STATUS: one more that ran.
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

# sanitize NAME FLAGS: a build with a sanitizer of the compiler, and a storm.
sanitize() {
    local name=$1 log=$logs/$1.log
    if ! RUSTFLAGS="-Zsanitizer=$2 -Cunsafe-allow-abi-mismatch=sanitizer -Ctarget-cpu=native -Cdebug-assertions=on" \
        cargo +nightly build --quiet --locked --release --config profile.release.lto=false \
        --config profile.release.codegen-units=16 --config 'profile.release.debug="line-tables-only"' \
        --package ferz-soak --target $target --target-dir "$folder/$name" >"$log" 2>&1; then
        cat "$log" >&2
        ran+=("$name not run: it does not build")
        findings=$((findings + 1))
        return
    fi
    "$folder/$name/$target/release/ferz-soak" storm --seconds "$seconds" >"$log" 2>&1
    conclude "$name" "$log" $?
}

if has_nightly; then
    sanitize address address
    # The standard library is not instrumented (that needs its source): what it does by itself, and how it hands over
    # the result of a thread, would be reported.
    printf '%s\n' 'race_top:^std::' 'race_top:^<std::' 'race:lifecycle::Packet' 'race:std::thread::thread::Inner' \
        >"$logs/thread.supp"
    TSAN_OPTIONS="suppressions=$logs/thread.supp history_size=4" sanitize thread thread
else
    ran+=("sanitizers of the compiler not run: there is no nightly compiler")
fi

if command -v valgrind >/dev/null; then
    # It knows no AVX-512.
    if RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --quiet --locked --profile soak --package ferz-soak \
        --target-dir "$folder/valgrind" >"$logs/valgrind.log" 2>&1; then
        log=$logs/memcheck.log
        valgrind --tool=memcheck --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=99 \
            "$folder/valgrind/soak/ferz-soak" storm --seconds "$seconds" --threads 3 >"$log" 2>&1
        conclude memcheck "$log" $?
        ran+=("helgrind not run: it knows neither atomics nor the locks of Rust, and takes all of them for races")
    else
        cat "$logs/valgrind.log" >&2
        ran+=("valgrind not run: the build failed")
        findings=$((findings + 1))
    fi
else
    ran+=("valgrind not run: it is not installed")
fi

if cargo +nightly miri --version >/dev/null 2>&1; then
    log=$logs/miri.log
    cargo +nightly miri test --package ferz-eval --lib --target-dir "$folder/miri" >"$log" 2>&1
    conclude miri "$log" $?
else
    ran+=("Miri not run: it is not installed")
fi

printf -v list '%s; ' "${ran[@]}"
echo "sanitizers: ${list}$findings findings"
[ "$findings" -eq 0 ]
