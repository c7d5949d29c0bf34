//! What the processor can do, asked once.
//!
//! A build for any x86-64 processor still counts moves with the instructions of the one it runs on. The functions for
//! them take a token, which exists only where the instructions do. Nothing here needs the standard library.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Whether every processor this build runs on can count with AVX-512, so that it need not be asked.
pub(crate) const BUILT_FOR_AVX512: bool =
    cfg!(all(target_feature = "avx512f", target_feature = "avx512dq", target_feature = "avx512vpopcntdq"));

/// The processor has POPCNT, LZCNT, BMI1 and BMI2.
#[derive(Clone, Copy)]
pub(crate) struct Bmi(());

/// The processor has AVX-512 F, DQ and VPOPCNTDQ besides.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

const KNOWN: u8 = 1;
const BMI: u8 = 2;
const AVX512: u8 = 4;

impl Bmi {
    #[inline(always)]
    pub(crate) fn detect() -> Option<Bmi> {
        (features() & BMI != 0).then_some(Bmi(()))
    }
}

impl Avx512 {
    #[inline(always)]
    pub(crate) fn detect() -> Option<Avx512> {
        (BUILT_FOR_AVX512 || features() & AVX512 != 0).then_some(Avx512(()))
    }
}

#[inline]
fn features() -> u8 {
    static FEATURES: AtomicU8 = AtomicU8::new(0);
    let known = FEATURES.load(Relaxed);
    if known != 0 {
        return known;
    }
    let found = KNOWN | ask();
    FEATURES.store(found, Relaxed);
    found
}

#[cold]
fn ask() -> u8 {
    let has = |register: u32, bits: &[u32]| bits.iter().all(|bit| register >> bit & 1 != 0);
    if __cpuid(0).eax < 7 || __cpuid(0x8000_0000).eax < 0x8000_0001 {
        return 0;
    }
    let (basic, extended, amd) = (__cpuid(1), __cpuid_count(7, 0), __cpuid(0x8000_0001));
    // POPCNT; BMI1 and BMI2; LZCNT.
    if !(has(basic.ecx, &[23]) && has(extended.ebx, &[3, 8]) && has(amd.ecx, &[5])) {
        return 0;
    }
    // AVX, FMA, F16C, OSXSAVE; AVX2, AVX-512 F and DQ; VPOPCNTDQ.
    if !(has(basic.ecx, &[12, 27, 28, 29]) && has(extended.ebx, &[5, 16, 17]) && has(extended.ecx, &[14])) {
        return BMI;
    }
    // SAFETY: the system has enabled XSAVE, says OSXSAVE.
    let saved = unsafe { _xgetbv(0) };
    // The system must save the registers of SSE, AVX and AVX-512 when it switches between programs.
    if saved & 0b1110_0110 == 0b1110_0110 { BMI | AVX512 } else { BMI }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::is_x86_feature_detected;

    #[test]
    fn the_standard_library_finds_the_same() {
        let bmi = is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        assert_eq!(Bmi::detect().is_some(), bmi);
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vpopcntdq");
        assert_eq!(Avx512::detect().is_some(), avx512 && bmi);
    }
}
