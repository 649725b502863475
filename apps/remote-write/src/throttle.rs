//! Lines of the log that would be as many as the requests: one for each reason and ten seconds.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The time between two lines of one reason.
pub const EVERY: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Line {
    last: Option<Instant>,
    unsaid: u64,
}

/// Decides which lines are written.
#[derive(Default)]
pub struct Throttle(Mutex<HashMap<&'static str, Line>>);

impl Throttle {
    /// Asks whether to write a line now: the number of lines that were not written since the last one.
    pub fn turn(&self, reason: &'static str) -> Option<u64> {
        self.turn_at(reason, Instant::now())
    }

    fn turn_at(&self, reason: &'static str, now: Instant) -> Option<u64> {
        let mut lines = self.0.lock().expect("no code panics while it holds the lines");
        let line = lines.entry(reason).or_default();
        if line.last.is_some_and(|last| now.saturating_duration_since(last) < EVERY) {
            line.unsaid += 1;
            return None;
        }
        line.last = Some(now);
        Some(std::mem::take(&mut line.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_one_line_in_ten_seconds() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let mut said = Vec::new();
        for second in 0..25 {
            let now = start + Duration::from_secs(second);
            said.extend(throttle.turn_at("a", now).map(|unsaid| (second, unsaid)));
            assert_eq!(throttle.turn_at("b", now).is_some(), second % 10 == 0);
        }
        assert_eq!(said, [(0, 0), (10, 9), (20, 9)]);
    }
}
