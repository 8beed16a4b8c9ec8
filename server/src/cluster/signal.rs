//! Sends signals to PostgreSQL by the shell's own `kill`: the standard library has no call for it, and not every
//! system has the program.

use std::process::{Command, Stdio};

/// What to tell `postgres` (PostgreSQL's manual, "Shutting Down the Server").
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    /// Fast shutdown: roll back what is open, then stop in order.
    Interrupt,
    /// Immediate shutdown: stop at once; the next start recovers from the log.
    Quit,
}

/// Sends a signal; `false` when there is no such process or it is not ours.
pub(super) fn send(pid: u32, signal: Signal) -> bool {
    let name = match signal {
        Signal::Interrupt => "INT",
        Signal::Quit => "QUIT",
    };
    kill(name, pid)
}

/// Whether a process with this id exists and could be signalled by us.
pub(super) fn is_alive(pid: u32) -> bool {
    kill("0", pid)
}

fn kill(signal: &str, pid: u32) -> bool {
    Command::new("sh")
        .args(["-c", "kill -s \"$0\" \"$1\"", signal, &pid.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_process_is_told_from_a_dead_one() {
        assert!(is_alive(std::process::id()));
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(child.id()));
    }

    #[test]
    fn an_interrupt_ends_a_process() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(send(child.id(), Signal::Interrupt));
        assert!(!child.wait().unwrap().success());
    }
}
