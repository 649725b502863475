//! The settings that can change while the server runs, and how they change: SIGHUP, or `POST /-/reload`.

use crate::auth::{Auth, Sources};
use crate::config::Config;
use crate::options::Serve;
use crate::otlp;
use crate::store::merge::Policy;
use crate::tenants::{AllLimits, TenantLimits};
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

/// The options that can change. All others need a restart.
pub const CHANGEABLE: [&str; 31] = [
    "accept-ahead",
    "accept-past",
    "basic-file",
    "basic-tenants-file",
    "bearer-file",
    "body-timeout",
    "drain",
    "header-timeout",
    "idle-timeout",
    "log",
    "max-tenants",
    "merge-files",
    "open-status",
    "otlp-delta",
    "otlp-histograms",
    "otlp-keep-identifying",
    "otlp-names",
    "otlp-promote",
    "otlp-promote-all",
    "otlp-promote-except",
    "otlp-scope",
    "retention",
    "seal-after",
    "seal-rows",
    "tenant-burst",
    "tenant-rate",
    "tenant-series",
    "tenants",
    "tls-cert",
    "tls-client-ca",
    "tls-key",
];

/// Settings of one moment.
#[derive(Debug)]
pub struct Settings {
    /// The age of the oldest sample that is accepted.
    pub accept_past: Duration,
    /// How far ahead of this machine's clock a sample may be.
    pub accept_ahead: Duration,
    /// Rows in memory at which they are written to files.
    pub seal_rows: u64,
    /// Time after which rows are written to files.
    pub seal_after: Duration,
    /// Time to finish requests when the server stops.
    pub drain: Duration,
    /// The time in which a sender must have sent the headers of a request.
    pub header_timeout: Duration,
    /// The time in which a sender must have sent a body.
    pub body_timeout: Duration,
    /// The time after which a connection without requests is closed.
    pub idle_timeout: Duration,
    /// Who may send.
    pub auth: Arc<Auth>,
    /// Whether metrics and status are for everyone.
    pub open_status: bool,
    /// When files are merged and deleted.
    pub policy: Policy,
    /// The limits of tenants.
    pub tenants: AllLimits,
    /// How metrics of OTLP are mapped.
    pub otlp: otlp::Options,
    /// Certificates; without them the server speaks plain HTTP.
    #[cfg(feature = "tls")]
    pub tls: Option<Arc<rustls::ServerConfig>>,
}

impl Settings {
    /// Reads what the options name.
    fn read(config: &Config) -> Result<Settings, String> {
        let serve = &config.serve;
        if let (Some((name, _)), None) = (config.tenants.first_key_value(), &serve.tenant_header) {
            return Err(format!("[tenants.{name}] needs the option tenant-header, which says whose a request is"));
        }
        let default = TenantLimits { rate: serve.tenant_rate, burst: serve.tenant_burst, series: serve.tenant_series };
        Ok(Settings {
            // An older row would be acknowledged, and deleted with the first file that has it.
            accept_past: serve.retention.map_or(serve.accept_past, |kept| kept.min(serve.accept_past)),
            accept_ahead: serve.accept_ahead,
            seal_rows: serve.seal_rows,
            seal_after: serve.seal_after,
            drain: serve.drain,
            header_timeout: serve.header_timeout,
            body_timeout: serve.body_timeout,
            idle_timeout: serve.idle_timeout,
            auth: Arc::new(Auth::read(Sources {
                tokens: serve.bearer_file.as_deref(),
                users: serve.basic_file.as_deref(),
                user_tenants: serve.basic_tenants_file.as_deref(),
                has_tenants: serve.tenant_header.is_some(),
            })?),
            open_status: serve.open_status,
            policy: Policy { files: serve.merge_files, retention: serve.retention, memory: serve.shares().merge },
            tenants: AllLimits { tenants: serve.max_tenants, default, own: config.tenants.clone() },
            otlp: otlp::Options {
                names: serve.otlp_names,
                delta: serve.otlp_delta,
                scope: serve.otlp_scope,
                histograms: serve.otlp_histograms,
                promoted: promoted(serve)?,
                identifying: serve.otlp_keep_identifying,
            },
            #[cfg(feature = "tls")]
            tls: match (&serve.tls_cert, &serve.tls_key) {
                (Some(cert), Some(key)) => Some(crate::http::tls::read(cert, key, serve.tls_client_ca.as_deref())?),
                (None, None) if serve.tls_client_ca.is_none() => None,
                _ => return Err("tls-cert and tls-key belong together; tls-client-ca needs both".to_owned()),
            },
        })
    }
}

/// Returns which attributes become labels.
fn promoted(serve: &Serve) -> Result<otlp::Promoted, String> {
    let all = serve.otlp_promote_all;
    match (all, &serve.otlp_promote[..], &serve.otlp_promote_except[..]) {
        (true, [first, ..], _) => {
            Err(format!("otlp-promote-all promotes all attributes: leave out otlp-promote, which names {first:?}"))
        }
        (false, _, [first, ..]) => Err(format!("otlp-promote-except, which names {first:?}, needs otlp-promote-all")),
        (_, named, except) => Ok(otlp::Promoted { all, names: named.iter().chain(except).cloned().collect() }),
    }
}

/// The settings that hold now.
#[derive(Debug)]
pub struct Live(RwLock<Arc<Settings>>);

impl Live {
    /// Reads the first settings.
    pub fn new(config: &Config) -> Result<Live, String> {
        Settings::read(config).map(|settings| Live(RwLock::new(Arc::new(settings))))
    }

    /// Returns the settings that hold now.
    pub fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.0.read().expect("no code panics while it holds the settings"))
    }
}

/// Changes the filter of the log's lines.
pub type SetLog = Box<dyn Fn(&str) -> Result<(), String> + Send + Sync>;

/// Reads the configuration again.
pub struct Reloader {
    args: Vec<OsString>,
    current: Mutex<Config>,
    live: Arc<Live>,
    set_log: SetLog,
}

/// What a reload did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// The options that changed.
    pub changed: Vec<String>,
    /// The options whose new values hold after a restart.
    pub restart: Vec<String>,
}

impl fmt::Display for Reloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        write!(f, "changed: {}", list(&self.changed))?;
        if !self.restart.is_empty() {
            write!(f, "\nnot changed until the next start: {}", list(&self.restart))?;
        }
        Ok(())
    }
}

impl Reloader {
    /// Creates a reloader for the configuration that these arguments led to.
    pub fn new(args: Vec<OsString>, config: Config, live: Arc<Live>, set_log: SetLog) -> Reloader {
        Reloader { args, current: Mutex::new(config), live, set_log }
    }

    /// Reads everything again. After an error nothing has changed.
    pub fn reload(&self) -> Result<Reloaded, String> {
        let mut current = self.current.lock().expect("no code panics while it holds the configuration");
        let new = Config::load(&self.args).map_err(|error| error.to_string())?;
        let settings = Settings::read(&new)?;
        let (changed, restart): (Vec<String>, Vec<String>) =
            current.difference(&new).into_iter().partition(|name| CHANGEABLE.contains(&name.as_str()));
        (self.set_log)(&new.serve.log)?;
        *self.live.0.write().expect("no code panics while it holds the settings") = Arc::new(settings);
        // An option that needs a restart is named by every reload until then.
        for name in &changed {
            current.texts.insert(name.clone(), new.texts.get(name).cloned().unwrap_or_default());
        }
        Ok(Reloaded { changed, restart })
    }
}
