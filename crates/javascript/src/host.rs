//! What JavaScript does for the module. Native builds, which are for tests, have stand-ins.

#[cfg(target_family = "wasm")]
mod imports {
    #[link(wasm_import_module = "ferz")]
    unsafe extern "C" {
        pub safe fn now() -> f64;
        pub safe fn poll() -> u32;
        pub safe fn report(kind: u32);
        pub safe fn read(reader: u32, start: *mut u8, length: usize) -> i32;
        pub safe fn panicked(start: *const u8, length: usize);
    }
}

#[cfg(not(target_family = "wasm"))]
mod imports {
    pub fn now() -> f64 {
        ferz_search::monotonic_now().as_secs_f64() * 1000.0
    }

    pub fn poll() -> u32 {
        0
    }

    pub fn report(_: u32) {}

    pub fn read(_: u32, _: *mut u8, _: usize) -> i32 {
        0
    }

    pub fn panicked(_: *const u8, _: usize) {}
}

/// Milliseconds since any fixed moment.
pub fn now() -> f64 {
    imports::now()
}

/// Whether JavaScript wants the search to end.
pub fn poll() -> bool {
    imports::poll() != 0
}

/// A line of the search is in the buffers.
pub fn report(kind: u32) {
    imports::report(kind);
}

/// Fills a buffer with the next bytes of a PGN text: their number, 0 at the end; `None` if JavaScript has an error.
pub fn read(reader: u32, buffer: &mut [u8]) -> Option<usize> {
    let length = usize::try_from(imports::read(reader, buffer.as_mut_ptr(), buffer.len())).ok()?;
    Some(length.min(buffer.len()))
}

/// The message of a panic.
pub fn panicked(message: &str) {
    imports::panicked(message.as_ptr(), message.len());
}
