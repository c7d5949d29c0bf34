//! The instruction sets the program was built for, and those of the processor.
//!
//! Written by hand: `is_x86_feature_detected!` takes the features of the build for granted, and these are the ones in
//! question. Crates that ask `CPUID` do not know which features the build uses.

/// An instruction set that a build may use.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    pub(crate) is_built_in: bool,
    #[cfg(target_arch = "x86_64")]
    bit: x86::CpuidBit,
}

#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($name:tt $register:ident $bit:literal $state:ident;)*) => {
        [$(Feature {
            name: $name,
            is_built_in: cfg!(target_feature = $name),
            bit: x86::CpuidBit { register: x86::Register::$register, mask: 1 << $bit, state: x86::State::$state },
        }),*]
    };
}

/// The features of the x86-64-v2, v3 and v4 levels, of our kernels, and others that the compiler uses unasked where a
/// processor has them. Each has its `CPUID` bit and the registers that the system must save for it.
#[cfg(target_arch = "x86_64")]
pub(crate) static FEATURES: [Feature; 29] = features! {
    "sse3" Leaf1C 0 Xmm;
    "pclmulqdq" Leaf1C 1 Xmm;
    "ssse3" Leaf1C 9 Xmm;
    "fma" Leaf1C 12 Ymm;
    "cmpxchg16b" Leaf1C 13 Xmm;
    "sse4.1" Leaf1C 19 Xmm;
    "sse4.2" Leaf1C 20 Xmm;
    "movbe" Leaf1C 22 Xmm;
    "popcnt" Leaf1C 23 Xmm;
    "avx" Leaf1C 28 Ymm;
    "f16c" Leaf1C 29 Ymm;
    "lzcnt" ExtendedC 5 Xmm;
    "sse4a" ExtendedC 6 Xmm;
    "tbm" ExtendedC 21 Xmm;
    "bmi1" Leaf7B 3 Xmm;
    "avx2" Leaf7B 5 Ymm;
    "bmi2" Leaf7B 8 Xmm;
    "avx512f" Leaf7B 16 Zmm;
    "avx512dq" Leaf7B 17 Zmm;
    "avx512ifma" Leaf7B 21 Zmm;
    "avx512cd" Leaf7B 28 Zmm;
    "avx512bw" Leaf7B 30 Zmm;
    "avx512vl" Leaf7B 31 Zmm;
    "avx512vbmi" Leaf7C 1 Zmm;
    "avx512vbmi2" Leaf7C 6 Zmm;
    "gfni" Leaf7C 8 Xmm;
    "avx512vnni" Leaf7C 11 Zmm;
    "avx512bitalg" Leaf7C 12 Zmm;
    "avx512vpopcntdq" Leaf7C 14 Zmm;
};

#[cfg(not(target_arch = "x86_64"))]
static FEATURES: [Feature; 1] = [Feature { name: "neon", is_built_in: cfg!(target_feature = "neon") }];

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::Processor;

/// The version, target and instruction sets of this build, and the kernels that this processor evaluates nets with.
pub(crate) fn build_description() -> String {
    let built_in: Vec<_> =
        FEATURES.iter().filter(|feature| feature.is_built_in).map(|feature| feature.name).collect();
    let features = if built_in.is_empty() { "none".to_owned() } else { built_in.join(" ") };
    let checks = if cfg!(debug_assertions) { "on" } else { "off" };
    format!(
        "ferz {}\ntarget {} {}\nfeatures {features}\nkernels {}\ndebug assertions {checks}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        ferz_eval::kernel_name(),
    )
}

/// What the processor and the system offer. The [early check](crate::early_check) says what this code must avoid.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use std::hint::black_box;

    use super::Feature;

    /// A register of a leaf of `CPUID`.
    #[derive(Clone, Copy)]
    pub(super) enum Register {
        Leaf1C,
        Leaf7B,
        Leaf7C,
        ExtendedC,
    }

    /// The largest registers of a feature. The system must save them when it switches threads.
    #[derive(Clone, Copy)]
    pub(super) enum State {
        Xmm,
        Ymm,
        Zmm,
    }

    #[derive(Clone, Copy)]
    pub(super) struct CpuidBit {
        pub(super) register: Register,
        pub(super) mask: u32,
        pub(super) state: State,
    }

    /// The answers of `CPUID` and `XGETBV`.
    pub(crate) struct Processor {
        leaf_1_c: u32,
        leaf_7_b: u32,
        leaf_7_c: u32,
        extended_c: u32,
        saves_ymm: bool,
        saves_zmm: bool,
    }

    const EXTENDED: u32 = 0x8000_0000;
    /// The system uses `XSAVE`, so `XGETBV` may be asked.
    const OSXSAVE: u32 = 1 << 27;
    const YMM_STATE: u64 = 0x06;
    /// macOS saves the larger registers from their first use on, and says so only then.
    const ZMM_STATE: u64 = if cfg!(target_vendor = "apple") { YMM_STATE } else { 0xe6 };

    impl Processor {
        pub(crate) fn detect() -> Processor {
            let last = __cpuid(0).eax;
            let leaf_1_c = black_box(__cpuid(1).ecx);
            let (mut leaf_7_b, mut leaf_7_c, mut extended_c, mut saved) = (0, 0, 0, 0);
            if last >= 7 {
                let leaf = __cpuid_count(7, 0);
                (leaf_7_b, leaf_7_c) = (black_box(leaf.ebx), black_box(leaf.ecx));
            }
            if __cpuid(EXTENDED).eax > EXTENDED {
                extended_c = black_box(__cpuid(EXTENDED + 1).ecx);
            }
            if leaf_1_c & OSXSAVE != 0 {
                // SAFETY: the processor has `XGETBV` if the system uses `XSAVE`.
                saved = black_box(unsafe { _xgetbv(0) });
            }
            Processor {
                leaf_1_c,
                leaf_7_b,
                leaf_7_c,
                extended_c,
                saves_ymm: saved & YMM_STATE == YMM_STATE,
                saves_zmm: saved & ZMM_STATE == ZMM_STATE,
            }
        }

        /// Whether a feature can be used.
        pub(crate) fn has(&self, feature: &Feature) -> bool {
            let CpuidBit { register, mask, state } = feature.bit;
            let bits = match register {
                Register::Leaf1C => self.leaf_1_c,
                Register::Leaf7B => self.leaf_7_b,
                Register::Leaf7C => self.leaf_7_c,
                Register::ExtendedC => self.extended_c,
            };
            let is_saved = match state {
                State::Xmm => true,
                State::Ymm => self.saves_ymm,
                State::Zmm => self.saves_zmm,
            };
            is_saved && bits & mask != 0
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_the_standard_library_knows() {
        macro_rules! compare {
            ($($name:tt)*) => {
                [$(($name, std::is_x86_feature_detected!($name))),*]
            };
        }
        let detected = compare!("sse3" "pclmulqdq" "ssse3" "fma" "cmpxchg16b" "sse4.1" "sse4.2" "movbe" "popcnt" "avx"
            "f16c" "lzcnt" "sse4a" "tbm" "bmi1" "avx2" "bmi2" "avx512f" "avx512dq" "avx512ifma" "avx512cd" "avx512bw"
            "avx512vl" "avx512vbmi" "avx512vbmi2" "gfni" "avx512vnni" "avx512bitalg" "avx512vpopcntdq");
        assert_eq!(detected.len(), FEATURES.len());
        let processor = Processor::detect();
        for (name, is_there) in detected {
            let feature = FEATURES.iter().find(|feature| feature.name == name).expect("listed");
            assert_eq!(processor.has(feature), is_there, "{name}");
        }
    }
}
