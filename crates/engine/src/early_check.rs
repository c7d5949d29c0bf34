//! The check that the processor has the instruction sets of this build, before anything else runs.
//!
//! A link section holds a pointer to [`check`], which the system's start-up code calls before `main`. `main` itself is
//! too late: with link-time optimisation even the standard library's part before it is compiled for the build's
//! processor, and dies there with an illegal instruction.
//!
//! The check is compiled with the same flags, so it must give the compiler no reason to use a newer instruction: bits
//! are compared with constant masks (a variable shift is BMI2's `shrx`), nothing is copied or kept in arrays (that is
//! AVX), and `black_box` prevents vectors. Tests run it on emulated processors, as `docs/platforms.md` describes.

use std::hint::black_box;

use crate::cpu::{FEATURES, Processor};
use system::{exit, write_error};

#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCB"))]
#[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".init_array.00000"))]
static CHECK: extern "C" fn() = check;

/// Ends the program with exit code 2 and a message if the processor lacks an instruction set of this build.
extern "C" fn check() {
    let processor = Processor::detect();
    let mut is_first = true;
    for feature in &FEATURES {
        let feature = black_box(feature);
        if feature.is_built_in && !processor.has(feature) {
            write_error(if is_first { "error: this build of ferz needs " } else { " " });
            write_error(feature.name);
            is_first = false;
        }
    }
    if !is_first {
        write_error(", which this processor or system lacks; use a build for an older processor\n");
        exit(crate::FAILED);
    }
}

#[cfg(unix)]
mod system {
    unsafe extern "C" {
        fn write(file: i32, bytes: *const u8, len: usize) -> isize;
        fn _exit(code: i32) -> !;
    }

    const STDERR: i32 = 2;

    pub(super) fn write_error(text: &str) {
        // SAFETY: the pointer and the length are those of a string.
        let _ = unsafe { write(STDERR, text.as_ptr(), text.len()) };
    }

    pub(super) fn exit(code: u8) -> ! {
        // SAFETY: `_exit` ends the process without running anything of it.
        unsafe { _exit(code.into()) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::c_void;
    use std::ptr;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetStdHandle(which: u32) -> *mut c_void;
        fn WriteFile(
            file: *mut c_void,
            bytes: *const u8,
            len: u32,
            written: *mut u32,
            overlapped: *mut c_void,
        ) -> i32;
        fn GetCurrentProcess() -> *mut c_void;
        fn TerminateProcess(process: *mut c_void, code: u32) -> i32;
    }

    const STD_ERROR_HANDLE: u32 = -12_i32 as u32;

    pub(super) fn write_error(text: &str) {
        let mut written = 0;
        // SAFETY: the pointer and the length are those of a string, and `written` outlives the call.
        unsafe {
            let stderr = GetStdHandle(STD_ERROR_HANDLE);
            WriteFile(stderr, text.as_ptr(), text.len() as u32, &raw mut written, ptr::null_mut());
        }
    }

    /// `ExitProcess` would run destructors of the standard library, which may not run here.
    pub(super) fn exit(code: u8) -> ! {
        loop {
            // SAFETY: this ends the process without running anything of it.
            unsafe { TerminateProcess(GetCurrentProcess(), code.into()) };
        }
    }
}
