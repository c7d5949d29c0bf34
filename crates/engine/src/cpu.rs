//! The instruction sets the program was built for, and those of the processor.
//!
//! Written by hand: `is_x86_feature_detected!` takes the features of the build for granted, and these are the ones in
//! question. Crates that ask `CPUID` do not know which features the build uses.

/// An instruction set that a build may use.
struct Feature {
    name: &'static str,
    is_built_in: bool,
    #[cfg(target_arch = "x86_64")]
    bit: cpuid::CpuidBit,
}

#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($name:tt $bit:expr;)*) => {
        [$(Feature { name: $name, is_built_in: cfg!(target_feature = $name), bit: $bit }),*]
    };
}

/// The features of the x86-64-v2, v3 and v4 levels and of our kernels, with their `CPUID` bits.
#[cfg(target_arch = "x86_64")]
static FEATURES: [Feature; 19] = {
    use cpuid::CpuidBit::{ExtendedC, Leaf1C, Leaf7B, Leaf7C};
    features! {
        "sse3" Leaf1C(0);
        "ssse3" Leaf1C(9);
        "fma" Leaf1C(12);
        "sse4.1" Leaf1C(19);
        "sse4.2" Leaf1C(20);
        "popcnt" Leaf1C(23);
        "avx" Leaf1C(28);
        "lzcnt" ExtendedC(5);
        "bmi1" Leaf7B(3);
        "avx2" Leaf7B(5);
        "bmi2" Leaf7B(8);
        "avx512f" Leaf7B(16);
        "avx512dq" Leaf7B(17);
        "avx512bw" Leaf7B(30);
        "avx512vl" Leaf7B(31);
        "avx512vbmi" Leaf7C(1);
        "avx512vbmi2" Leaf7C(6);
        "avx512vnni" Leaf7C(11);
        "avx512vpopcntdq" Leaf7C(14);
    }
};

#[cfg(not(target_arch = "x86_64"))]
static FEATURES: [Feature; 1] = [Feature { name: "neon", is_built_in: cfg!(target_feature = "neon") }];

/// The instruction sets of this build that the processor lacks. Without this check the program would be killed by an
/// illegal instruction.
pub(crate) fn missing_features() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        let missing: Vec<_> = FEATURES
            .iter()
            .filter(|feature| feature.is_built_in && !cpuid::has(feature.bit))
            .map(|feature| feature.name)
            .collect();
        (!missing.is_empty()).then(|| missing.join(" "))
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

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

/// The `CPUID` instruction.
#[cfg(target_arch = "x86_64")]
mod cpuid {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    /// A register of a leaf, and the number of the bit.
    #[derive(Clone, Copy)]
    pub(super) enum CpuidBit {
        Leaf1C(u32),
        Leaf7B(u32),
        Leaf7C(u32),
        ExtendedC(u32),
    }

    const EXTENDED: u32 = 0x8000_0000;

    /// Whether the processor has a feature. Support by the operating system is not checked: all current systems have
    /// it.
    pub(super) fn has(bit: CpuidBit) -> bool {
        let leaf = |leaf: u32| (__cpuid(leaf & EXTENDED).eax >= leaf).then(|| __cpuid_count(leaf, 0));
        let (register, place) = match bit {
            CpuidBit::Leaf1C(place) => (leaf(1).map(|leaf| leaf.ecx), place),
            CpuidBit::Leaf7B(place) => (leaf(7).map(|leaf| leaf.ebx), place),
            CpuidBit::Leaf7C(place) => (leaf(7).map(|leaf| leaf.ecx), place),
            CpuidBit::ExtendedC(place) => (leaf(EXTENDED + 1).map(|leaf| leaf.ecx), place),
        };
        register.is_some_and(|register| register >> place & 1 == 1)
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
        let detected = compare!("sse3" "ssse3" "fma" "sse4.1" "sse4.2" "popcnt" "avx" "lzcnt" "bmi1" "avx2" "bmi2"
            "avx512f" "avx512dq" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2" "avx512vnni" "avx512vpopcntdq");
        assert_eq!(detected.len(), FEATURES.len());
        for (name, is_there) in detected {
            let feature = FEATURES.iter().find(|feature| feature.name == name).expect("listed");
            assert_eq!(cpuid::has(feature.bit), is_there, "{name}");
        }
        assert_eq!(missing_features(), None);
    }
}
