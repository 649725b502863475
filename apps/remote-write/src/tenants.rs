//! Tenants: whose rows they are, and how many rows each may send.
//!
//! A header names the tenant of a request. The names are the ones that Mimir accepts. There are at most as many tenants as
//! the option `max-tenants` says: a tenant counts once the log has a row of it, and while a request of it is being handled.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

/// The longest name.
pub const MAX_NAME: usize = 150;

/// Checks a tenant's name.
pub fn check_name(name: &str) -> Result<(), String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"!-_.*'()".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(format!("a tenant's name has 1 to {MAX_NAME} characters"));
    }
    if name == "." || name == ".." || !name.bytes().all(good) {
        return Err("a tenant's name has letters, digits and !-_.*'() only, and is not . or ..".to_owned());
    }
    Ok(())
}

/// What a tenant may send. Zero means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TenantLimits {
    /// Rows a second.
    pub rate: u64,
    /// Rows at once, after a pause; zero means ten times the rate.
    pub burst: u64,
    /// Series that each worker knows at a time.
    pub series: u64,
}

/// The limits of all tenants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllLimits {
    /// The number of tenants.
    pub tenants: usize,
    /// The limits of tenants that have none of their own.
    pub default: TenantLimits,
    /// The limits of some tenants.
    pub own: BTreeMap<String, TenantLimits>,
}

impl AllLimits {
    /// Returns the limits of a tenant.
    pub fn get(&self, name: &str) -> TenantLimits {
        self.own.get(name).copied().unwrap_or(self.default)
    }
}

/// The rows that a tenant may send now: they grow with time up to the burst, and fall with each request, also below zero.
#[derive(Debug)]
struct Bucket {
    rows: f64,
    at: Option<Instant>,
}

/// A tenant.
#[derive(Debug)]
pub struct Tenant {
    name: Box<str>,
    /// Whether the store has rows of it.
    kept: AtomicBool,
    bucket: Mutex<Bucket>,
    /// Rows that were written since the start.
    pub rows: AtomicU64,
    /// Requests that were refused because of the rate.
    pub limited: AtomicU64,
}

impl Tenant {
    fn new(name: &str) -> Tenant {
        Tenant {
            name: name.into(),
            kept: AtomicBool::new(false),
            bucket: Mutex::new(Bucket { rows: 0.0, at: None }),
            rows: AtomicU64::new(0),
            limited: AtomicU64::new(0),
        }
    }

    /// Returns the name; empty in a server without tenants.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks whether a request may come. After too many rows: the seconds until then.
    ///
    /// The number of a request's rows is known after it was decoded, so the last request before the limit may exceed it;
    /// the tenant then waits longer.
    pub fn admit(&self, limits: TenantLimits, now: Instant) -> Result<(), u32> {
        if limits.rate == 0 {
            return Ok(());
        }
        let rate = limits.rate as f64;
        let burst = if limits.burst == 0 { rate * 10.0 } else { limits.burst as f64 };
        let mut bucket = self.bucket.lock().expect("no code panics while it holds the bucket");
        bucket.rows = match bucket.at {
            None => burst,
            Some(at) => (bucket.rows + rate * now.saturating_duration_since(at).as_secs_f64()).min(burst),
        };
        bucket.at = Some(now);
        if bucket.rows > 0.0 {
            return Ok(());
        }
        self.limited.fetch_add(1, Ordering::Relaxed);
        Err((-bucket.rows / rate).ceil().clamp(1.0, 3600.0) as u32)
    }

    /// Counts rows that were written.
    pub fn wrote(&self, rows: u64) {
        self.kept.store(true, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.bucket.lock().expect("no code panics while it holds the bucket").rows -= rows as f64;
    }
}

#[derive(Debug)]
struct Known {
    tenant: Arc<Tenant>,
    /// Its requests that are being handled.
    running: usize,
}

/// All tenants that are known.
#[derive(Debug, Default)]
pub struct Tenants(Mutex<HashMap<Box<str>, Known>>);

/// A tenant while a request of it is being handled.
#[derive(Debug)]
pub struct Guest {
    tenants: Arc<Tenants>,
    tenant: Arc<Tenant>,
}

impl std::ops::Deref for Guest {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.tenant
    }
}

impl Guest {
    /// Returns the tenant.
    pub fn tenant(&self) -> &Arc<Tenant> {
        &self.tenant
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut known = self.tenants.lock();
        if let Some(found) = known.get_mut(&self.tenant.name) {
            found.running -= 1;
            if found.running == 0 && !found.tenant.kept.load(Ordering::Relaxed) {
                known.remove(&self.tenant.name);
            }
        }
    }
}

impl Tenants {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Known>> {
        self.0.lock().expect("no code panics while it holds the tenants")
    }

    /// Lets a tenant in, whose name was checked; `None` if it is new and there are `most` already.
    pub fn enter(self: &Arc<Tenants>, name: &str, most: usize) -> Option<Guest> {
        let mut known = self.lock();
        if !known.contains_key(name) {
            if known.len() >= most {
                return None;
            }
            known.insert(name.into(), Known { tenant: Arc::new(Tenant::new(name)), running: 0 });
        }
        let found = known.get_mut(name).expect("it is there, or was inserted");
        found.running += 1;
        let tenant = Arc::clone(&found.tenant);
        drop(known);
        Some(Guest { tenants: Arc::clone(self), tenant })
    }

    /// Learns that the store has rows of a tenant.
    pub fn keep(&self, name: &str) {
        let mut known = self.lock();
        if let Some(found) = known.get(name) {
            return found.tenant.kept.store(true, Ordering::Relaxed);
        }
        let tenant = Arc::new(Tenant::new(name));
        tenant.kept.store(true, Ordering::Relaxed);
        known.insert(name.into(), Known { tenant, running: 0 });
    }

    /// Returns all tenants, sorted by name.
    pub fn all(&self) -> Vec<Arc<Tenant>> {
        let mut all: Vec<_> = self.lock().values().map(|known| Arc::clone(&known.tenant)).collect();
        all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Returns the number of tenants.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn names_are_those_of_mimir() {
        let longest = "x".repeat(MAX_NAME);
        for good in ["a", "Team-1_b.c*d'(e)!", "...", "0", &longest] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a b", "ä", "a|b", "a\0", "a%2f", "a=b", &format!("{longest}x")] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_rate_limits_rows_over_time() {
        let (tenant, limits) = (Tenant::new("t"), TenantLimits { rate: 100, burst: 200, series: 0 });
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        assert_eq!(tenant.admit(limits, at(0)), Ok(()));
        tenant.wrote(500);
        assert_eq!(tenant.admit(limits, at(0)), Err(3));
        assert_eq!(tenant.admit(limits, at(2000)), Err(1));
        assert_eq!(tenant.admit(limits, at(3010)), Ok(()));
        tenant.wrote(2);
        assert_eq!(tenant.admit(limits, at(3010)), Err(1));
        // A long pause brings no more than the burst.
        assert_eq!(tenant.admit(limits, at(3_600_000)), Ok(()));
        tenant.wrote(201);
        assert_eq!(tenant.admit(limits, at(3_600_000)), Err(1));
        assert_eq!(tenant.admit(TenantLimits::default(), at(3_600_000)), Ok(()));
        assert_eq!(tenant.limited.load(Ordering::Relaxed), 4);
        // A clock that goes back does no harm.
        assert_eq!(tenant.admit(limits, at(0)), Err(1));
    }

    #[test]
    fn only_tenants_with_rows_are_kept() {
        let tenants = Arc::new(Tenants::default());
        for number in 0..1000 {
            drop(tenants.enter(&number.to_string(), 2).unwrap());
        }
        assert!(tenants.is_empty());
        let (first, twice) = (tenants.enter("a", 2).unwrap(), tenants.enter("a", 2).unwrap());
        let second = tenants.enter("b", 2).unwrap();
        assert!(tenants.enter("c", 2).is_none());
        first.wrote(1);
        drop((first, twice, second));
        assert_eq!(tenants.all().iter().map(|t| t.name().to_owned()).collect::<Vec<_>>(), ["a"]);
        tenants.keep("d");
        tenants.keep("d");
        assert!(tenants.enter("e", 2).is_none());
        assert!(tenants.enter("a", 0).is_some());
        assert_eq!(tenants.len(), 2);
    }
}
