//! The memory this process can still get.
//!
//! Linux grants more memory than there is and kills the process that uses it, so the size of a large table must be
//! checked before it is allocated.

use ferz_search::OutOfMemory;
use sysinfo::{MemoryRefreshKind, Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Rejects an allocation that certainly does not fit.
pub(crate) fn ensure(mebibytes: usize) -> Result<(), OutOfMemory> {
    let is_too_much = available().is_some_and(|available| mebibytes as u64 > available >> 20);
    if is_too_much { Err(OutOfMemory::new(mebibytes)) } else { Ok(()) }
}

/// The bytes that can be used safely, if known: the free memory of the machine, or less if the process has a limit or
/// runs in a container with one. One sixteenth is left to everything else.
pub(crate) fn available() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let id = Pid::from_u32(std::process::id());
    let memory = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, memory);
    let process = system.process(id);
    // Zero means that the system does not tell.
    let machine = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    // Cached files count as used, but the system drops them when it needs the memory: only `rss` is really in use.
    let group =
        process.and_then(Process::cgroup_limits).map(|group| group.total_memory.saturating_sub(group.rss));
    let least = [machine, group, process.and_then(address_space)].into_iter().flatten().min()?;
    Some(least - least / 16)
}

/// What is left of the address space (`ulimit -v`); `None` if it is not limited.
#[cfg(target_os = "linux")]
fn address_space(process: &Process) -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    Some(getrlimit(Resource::As).current?.saturating_sub(process.virtual_memory()))
}

#[cfg(not(target_os = "linux"))]
fn address_space(_: &Process) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_memory_is_available_and_a_petabyte_is_not() {
        assert_eq!(ensure(1), Ok(()));
        assert_eq!(ensure(1 << 30), Err(OutOfMemory::new(1 << 30)));
    }
}
