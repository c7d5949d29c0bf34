//! The instruction-set levels that Ferz is built for, and whether this processor has them.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// A build of Ferz.
pub(crate) struct Level {
    pub(crate) name: &'static str,
    /// Whether the processor and the system can run it, and run it well.
    pub(crate) can_run: fn() -> bool,
}

impl Level {
    pub(crate) fn file_name(&self) -> String {
        format!("ferz-{}{EXE_SUFFIX}", self.name)
    }

    /// The program of this level.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.file_name())
    }
}

/// All levels, from the fastest to the plain one. `dist/levels` says how each is built.
#[cfg(target_arch = "x86_64")]
pub(crate) static LEVELS: [Level; 5] = [
    Level { name: "x86-64-v4", can_run: x86::has_v4 },
    Level { name: "x86-64-v3-pext", can_run: || x86::has_v3() && x86::has_fast_pext() },
    Level { name: "x86-64-v3", can_run: x86::has_v3 },
    Level { name: "x86-64-v2", can_run: x86::has_v2 },
    Level { name: "x86-64", can_run: || true },
];

/// Other processors need no launcher: there is one build.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) static LEVELS: [Level; 1] = [Level { name: std::env::consts::ARCH, can_run: || true }];

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::__cpuid;

    macro_rules! has_all {
        ($($name:tt)*) => {
            $(is_x86_feature_detected!($name))&&*
        };
    }

    pub(super) fn has_v2() -> bool {
        has_all!("sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "cmpxchg16b")
    }

    pub(super) fn has_v3() -> bool {
        has_v2() && has_all!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe")
    }

    /// Every processor with AVX-512 has a fast PEXT too.
    pub(super) fn has_v4() -> bool {
        has_v3() && has_all!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl")
    }

    /// Whether PEXT is an instruction in hardware. AMD before Zen 3 and its relatives take up to 300 cycles for one, so
    /// that magic bitboards are faster there.
    pub(super) fn has_fast_pext() -> bool {
        // The build is for Haswell, which has these too.
        has_all!("pclmulqdq" "rdrand" "xsaveopt") && has_fast_pext_by(vendor(), family())
    }

    pub(super) fn has_fast_pext_by(vendor: [u32; 3], family: u32) -> bool {
        /// `AuthenticAMD` and `HygonGenuine`.
        const AMD: [u32; 3] = [0x6874_7541, 0x6974_6e65, 0x444d_4163];
        const HYGON: [u32; 3] = [0x6f67_7948, 0x6e65_476e, 0x656e_6975];
        const ZEN_3: u32 = 0x19;
        !(vendor == HYGON || vendor == AMD && family < ZEN_3)
    }

    /// The name of the maker, twelve letters.
    fn vendor() -> [u32; 3] {
        let leaf = __cpuid(0);
        [leaf.ebx, leaf.edx, leaf.ecx]
    }

    fn family() -> u32 {
        let version = __cpuid(1).eax;
        let (base, extended) = (version >> 8 & 0xf, version >> 20 & 0xff);
        if base == 0xf { base + extended } else { base }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::LEVELS;
    use super::x86::has_fast_pext_by;

    fn vendor_of(name: &[u8; 12]) -> [u32; 3] {
        let word = |i: usize| u32::from_le_bytes([name[i], name[i + 1], name[i + 2], name[i + 3]]);
        [word(0), word(4), word(8)]
    }

    #[test]
    fn pext_is_slow_on_amd_before_zen_3() {
        for (vendor, family, is_fast) in [
            (b"GenuineIntel", 6, true),
            (b"AuthenticAMD", 0x15, false),
            (b"AuthenticAMD", 0x17, false),
            (b"AuthenticAMD", 0x19, true),
            (b"AuthenticAMD", 0x1a, true),
            (b"HygonGenuine", 0x18, false),
        ] {
            assert_eq!(has_fast_pext_by(vendor_of(vendor), family), is_fast, "{family:#x}");
        }
    }

    #[test]
    fn the_levels_are_those_of_the_downloads() {
        let file = include_str!("../../../dist/levels");
        let mut names: Vec<_> = LEVELS.iter().map(|level| level.name).collect();
        names.reverse();
        let built: Vec<_> = file
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert_eq!(names, built);
    }

    #[test]
    fn a_level_includes_those_below_it() {
        let can_run: Vec<_> = LEVELS.iter().map(|level| (level.can_run)()).collect();
        assert!(can_run[4], "plain x86-64 runs everywhere");
        assert!(!can_run[0] || can_run[2], "v4 includes v3");
        assert!(!can_run[1] || can_run[2], "v3 with PEXT includes v3");
        assert!(!can_run[2] || can_run[3], "v3 includes v2");
    }
}
