//! Starting a build in place of the launcher.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Replaces this process: the build has its arguments, environment, streams and process number. Returns only if that
/// failed.
#[cfg(unix)]
pub(crate) fn start(program: &Path) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    let mut args = env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = args.next() {
        command.arg0(name);
    }
    Err(command.args(args).exec())
}

/// Runs the build as a child process and returns its exit code. A job ends the child if the launcher is killed.
#[cfg(windows)]
pub(crate) fn start(program: &Path) -> io::Result<ExitCode> {
    use std::process;

    let job = job::Job::new()?;
    job::leave_interrupts_to_the_child()?;
    let mut child = Command::new(program).args(env::args_os().skip(1)).spawn()?;
    if let Err(error) = job.add(&child) {
        // A child that has ended already cannot be added.
        if child.try_wait()?.is_none() {
            child.kill()?;
            return Err(error);
        }
    }
    let status = child.wait()?;
    // Windows has 32 bits of exit code, `ExitCode` eight.
    process::exit(status.code().unwrap_or(crate::FAILED.into()))
}

#[cfg(windows)]
mod job {
    use std::io;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::process::Child;
    use std::ptr;

    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
        JobObjectExtendedLimitInformation, SetInformationJobObject,
    };

    /// A group of processes that end when its last handle is closed, which happens also if this process is killed.
    /// Processes that the child starts, such as a browser, are not part of it.
    pub(super) struct Job(OwnedHandle);

    impl Job {
        pub(super) fn new() -> io::Result<Job> {
            // SAFETY: both pointers may be null: default security, no name.
            let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is valid and nothing else owns it.
            let job = Job(unsafe { OwnedHandle::from_raw_handle(handle) });
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags =
                JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
            // SAFETY: the pointer and the size are those of a structure of the kind that is named.
            let is_set = unsafe {
                SetInformationJobObject(
                    handle,
                    JobObjectExtendedLimitInformation,
                    (&raw const limits).cast(),
                    size_of_val(&limits) as u32,
                )
            };
            if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
        }

        pub(super) fn add(&self, child: &Child) -> io::Result<()> {
            // SAFETY: both handles are valid while they are borrowed.
            let is_added = unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) };
            if is_added == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
        }
    }

    /// Ctrl-C reaches all processes of the console. The child decides what it means; the launcher waits for it.
    pub(super) fn leave_interrupts_to_the_child() -> io::Result<()> {
        unsafe extern "system" fn handle(event: u32) -> i32 {
            i32::from(matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT))
        }
        // SAFETY: the handler only compares two numbers and may run on any thread.
        let is_set = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
        if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}
