# shellcheck shell=bash
# What the scripts of this folder share. They run in the root of the repository.

# Debian's compiler, whose package has the source of the standard library, so that it builds for every target.
debian_cargo=/usr/bin/cargo
debian_rustc=/usr/bin/rustc

fail() {
    echo "$0: $*" >&2
    exit 1
}

# Installs Debian packages that are missing, where that is possible.
need() {
    local package missing=()
    # Elsewhere the tools have other names; a missing one is reported when it is called.
    command -v dpkg-query > /dev/null || return 0
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed \
            || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}"
    if ! { [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -q > /dev/null \
        && DEBIAN_FRONTEND=noninteractive apt-get install -q --yes --no-install-recommends "${missing[@]}" > /dev/null; }; then
        fail "these Debian packages are missing: ${missing[*]}"
    fi
}

has_target() {
    [ -d "$(rustc --print target-libdir --target "$1" 2> /dev/null)" ]
}

# Installs the linker of a target, and the compiler if cargo has no standard library for the target.
need_target() {
    case $1 in
        aarch64-unknown-linux-gnu) need gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
        x86_64-pc-windows-gnu) need gcc-mingw-w64-x86-64-posix mingw-w64-x86-64-dev ;;
    esac
    has_target "$1" || need rustc-web cargo-web rust-web-src
}

# build_for TARGET RUSTFLAGS CARGO_ARGUMENTS...: builds with the compiler in use if it has the target, else with Debian's.
build_for() {
    local target=$1 flags=$2
    shift 2
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc-posix
    # Set even if it is empty: the project's own flags ask for the processor of this machine.
    if has_target "$target"; then
        RUSTFLAGS=$flags ${CARGO:-cargo} build --quiet --locked --target "$target" "$@"
    else
        RUSTC_BOOTSTRAP=1 RUSTC=$debian_rustc RUSTFLAGS=$flags $debian_cargo build --quiet --locked --target "$target" \
            -Zbuild-std=std,panic_unwind "$@"
    fi
}

# The target-cpu of a level.
cpu_of() {
    sed -n "s/^$1 //p" dist/levels
}
