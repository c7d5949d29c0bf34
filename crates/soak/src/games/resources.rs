//! What a process uses, as Linux tells it; elsewhere nothing is known.

use std::fs;
use std::time::Duration;

/// Resident memory in KiB.
pub(super) fn resident(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Files, pipes and sockets that are open.
pub(super) fn open_files(id: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{id}/fd")).ok()?.count())
}

/// How long its threads have been ready to run while the processors did something else, all together.
pub(super) fn kept_waiting(id: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let mut sum = Duration::ZERO;
    for thread in threads.flatten() {
        // A thread may end in the meantime.
        let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
        sum += Duration::from_nanos(text.split_whitespace().nth(1)?.parse().ok()?);
    }
    Some(sum)
}

/// Memory that processes can still get, in KiB.
pub(super) fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known() {
        let id = std::process::id();
        assert!(resident(id).is_some_and(|kibibytes| kibibytes > 500));
        assert!(open_files(id).is_some_and(|files| files >= 3));
        assert!(kept_waiting(id).is_some());
        assert!(available().is_some());
    }
}
