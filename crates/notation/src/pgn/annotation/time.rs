//! Clock times.

use std::fmt;
use std::time::Duration;

/// Reads `1:23:45.6`, and what is shorter: `23:45`, `45.6`.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut seconds: u64 = 0;
    for (place, field) in whole.split(':').enumerate() {
        if place == 3 {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(digits(field)?)?;
    }
    Duration::from_secs(seconds).checked_add(Duration::from_nanos(billionths(fraction)?))
}

/// A number of plain digits: no sign, nothing else that `parse` would take.
fn digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The digits behind a point; more than nine are cut off.
fn billionths(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.bytes().chain(std::iter::repeat(b'0')).take(9);
    is_number.then(|| digits.fold(0, |number, digit| 10 * number + u64::from(digit - b'0')))
}

/// Writes `1:23:45`, with a fraction if there is one.
pub(super) fn write(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    write!(f, "{}:{:02}:{seconds:02}", minutes / 60, minutes % 60)?;
    if time.subsec_nanos() == 0 {
        return Ok(());
    }
    let fraction = format!("{:09}", time.subsec_nanos());
    write!(f, ".{}", fraction.trim_end_matches('0'))
}
