//! The time.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Returns milliseconds since the epoch, by the machine's clock. They fall when that is set back: what waits for a time to pass
/// asks [`steady_ms`].
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// Returns milliseconds of the process, at least 1. They never fall.
pub fn steady_ms() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_millis() as u64 + 1
}

/// Returns the UTC hour of a time, as `2026-11-25T06`.
pub fn hour(ms: i64) -> String {
    let (days, hour) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000) / 3_600_000);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}")
}

/// Turns days since the epoch into year, month and day (Howard Hinnant's algorithm: years begin in March, in eras of 400
/// years).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_have_their_names() {
        assert_eq!(hour(0), "1970-01-01T00");
        assert_eq!(hour(951_782_400_000 - 1), "2000-02-28T23");
        assert_eq!(hour(951_782_400_000), "2000-02-29T00");
        assert_eq!(hour(1_795_590_000_000), "2026-11-25T07");
        assert_eq!(hour(-1), "1969-12-31T23");
    }
}
