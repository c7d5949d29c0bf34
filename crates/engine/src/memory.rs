//! How much memory this process can still get.
//!
//! Linux promises more memory than there is and ends the process that uses it, so a large table must be asked
//! about before it is made. Elsewhere nothing is known, and the allocator decides.

use std::fs;
use std::path::{Path, PathBuf};

use ferz_search::OutOfMemory;

/// An amount of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Bytes(u64);

impl Bytes {
    /// So many whole MiB.
    pub(crate) fn mebibytes(self) -> usize {
        usize::try_from(self.0 >> 20).unwrap_or(usize::MAX)
    }
}

/// Refuses what is certainly too much: the system would promise it, and end the program when it is used.
pub(crate) fn ensure(mebibytes: usize) -> Result<(), OutOfMemory> {
    let is_too_much = available().is_some_and(|available| mebibytes > available.mebibytes());
    if is_too_much { Err(OutOfMemory { mebibytes }) } else { Ok(()) }
}

/// What can be used without ending the process, if that is known: what the machine has free, or less if the
/// process has a limit of its own or belongs to a group with one (a container). A sixteenth is left to everything
/// else.
fn available() -> Option<Bytes> {
    available_under(Path::new("/"))
}

fn available_under(root: &Path) -> Option<Bytes> {
    let group = groups(root).into_iter().filter_map(|group| group.left()).min();
    let least = machine(root).into_iter().chain(process(root)).chain(group).min()?;
    Some(Bytes(least - least / 16))
}

/// What is left of the addresses that the process may use (`ulimit -v`); `None` if all.
fn process(root: &Path) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(limit.saturating_sub(kibibytes.saturating_mul(1024)))
}

/// `MemAvailable` of the machine.
fn machine(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// A control group, in one of two versions.
struct Group {
    folder: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The groups the process belongs to, with those around them. Inside a container the names may be those of the
/// world outside; then the folder of all groups stands for its own.
fn groups(root: &Path) -> Vec<Group> {
    let Ok(text) = fs::read_to_string(root.join("proc/self/cgroup")) else { return Vec::new() };
    let mut groups = Vec::new();
    for line in text.lines() {
        // `0::/name`, or with version 1 `4:memory:/name`.
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (version, mount) = match controllers {
            "" => (Version::Two, "sys/fs/cgroup"),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                (Version::One, "sys/fs/cgroup/memory")
            }
            _ => continue,
        };
        let around = Path::new(name.trim_start_matches('/')).ancestors();
        groups.extend(around.map(|name| Group { folder: root.join(mount).join(name), version }));
    }
    groups
}

impl Group {
    /// What is left below its limit; `None` if it has none. Files that are only cached give way.
    fn left(&self) -> Option<u64> {
        let (limit, usage, cache) = match self.version {
            Version::One => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
            Version::Two => ("memory.max", "memory.current", "inactive_file"),
        };
        let read = |file: &str| fs::read_to_string(self.folder.join(file)).ok();
        let limit: u64 = read(limit)?.trim().parse().ok()?;
        let usage: u64 = read(usage)?.trim().parse().ok()?;
        let statistics = read("memory.stat").unwrap_or_default();
        let cached = statistics.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok());
        Some(limit.saturating_sub(usage.saturating_sub(cached.unwrap_or(0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// A folder that looks like the root of a system, and is removed in the end.
    struct System(PathBuf);

    impl System {
        fn new(name: &str, files: &[(&str, &str)]) -> System {
            let root = std::env::temp_dir().join(format!("ferz-memory-{name}-{}", std::process::id()));
            for (file, text) in files {
                let file = root.join(file);
                fs::create_dir_all(file.parent().expect("not the root")).expect("a folder for the test");
                fs::write(file, text).expect("a file for the test");
            }
            System(root)
        }

        fn available(&self) -> Option<Bytes> {
            available_under(&self.0)
        }
    }

    impl Drop for System {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal: 64 kB\nMemAvailable:   1638400 kB\nx");

    #[test]
    fn without_groups_the_machine_counts() {
        let system = System::new("plain", &[MEMINFO]);
        assert_eq!(system.available().map(Bytes::mebibytes), Some(1500));
        let nothing = System::new("nothing", &[("proc/meminfo", "nonsense")]);
        assert_eq!(nothing.available(), None);
    }

    #[test]
    fn the_process_may_have_less() {
        let status = ("proc/self/status", "Name:\tferz\nVmPeak:\t 999999 kB\nVmSize:\t  102400 kB\n");
        let limits = |soft: &str| {
            let header = "Limit                     Soft Limit           Hard Limit           Units\n";
            format!("{header}Max address space         {soft:<20} unlimited            bytes\n")
        };
        let limited = limits(&(420 * MIB).to_string());
        let system = System::new("process", &[MEMINFO, status, ("proc/self/limits", &limited)]);
        assert_eq!(system.available().map(Bytes::mebibytes), Some(300));
        let limits = limits("unlimited");
        let system = System::new("unlimited", &[MEMINFO, status, ("proc/self/limits", &limits)]);
        assert_eq!(system.available().map(Bytes::mebibytes), Some(1500));
    }

    #[test]
    fn a_group_may_have_less() {
        let (limit, usage) = ((200 * MIB).to_string(), (60 * MIB).to_string());
        let statistics = format!("anon 5\ninactive_file {}\n", 20 * MIB);
        let system = System::new(
            "two",
            &[
                MEMINFO,
                ("proc/self/cgroup", "0::/outer/inner\n"),
                ("sys/fs/cgroup/outer/inner/memory.max", "max\n"),
                ("sys/fs/cgroup/outer/inner/memory.current", "4096\n"),
                ("sys/fs/cgroup/outer/memory.max", &limit),
                ("sys/fs/cgroup/outer/memory.current", &usage),
                ("sys/fs/cgroup/outer/memory.stat", &statistics),
            ],
        );
        assert_eq!(system.available().map(Bytes::mebibytes), Some(150));
    }

    #[test]
    fn groups_of_the_old_kind() {
        let (limit, usage) = ((32 * MIB).to_string(), (64 * MIB).to_string());
        let system = System::new(
            "one",
            &[
                MEMINFO,
                ("proc/self/cgroup", "7:cpu:/a\n4:memory:/from/outside\n0::/\n"),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", &limit),
                ("sys/fs/cgroup/memory/memory.usage_in_bytes", &usage),
            ],
        );
        assert_eq!(system.available().map(Bytes::mebibytes), Some(0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_memory() {
        assert!(available().expect("Linux tells").mebibytes() > 0);
    }
}
