//! The command line. Every option can also come from the environment (`REMOTE_WRITE_…`) and from a file ([`crate::config`]).

use crate::log::Durability;
use crate::otlp;
use crate::shares::Shares;
use crate::values::*;
use clap::{Args, Parser, Subcommand};
use http::HeaderName;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A receiver of Prometheus remote write.
#[derive(Debug, Parser)]
#[command(name = "remote-write", version, about, max_term_width = 100)]
pub struct Command {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Take requests over HTTP, and write them to Parquet files.
    #[command(args_override_self = true)]
    Serve(Box<Serve>),
    /// Say what a damaged store can go on with, and what is lost; with `--yes`, make it so. Nothing is deleted.
    Repair(Repair),
    /// Answer a query over the files of a folder, also while a server uses it. Rows that are still in the server's memory
    /// are not in files: for those, ask the server at `/api/v1/sql`.
    #[cfg(feature = "sql")]
    Sql(Box<Sql>),
}

impl Action {
    /// Returns the options of `serve`, if that is the action.
    pub fn serve(self) -> Option<Serve> {
        match self {
            Action::Serve(serve) => Some(*serve),
            Action::Repair(_) => None,
            #[cfg(feature = "sql")]
            Action::Sql(_) => None,
        }
    }
}

/// The options of `repair`.
#[derive(Args, Clone, Debug)]
pub struct Repair {
    /// The folder of the log and the files. No server may use it.
    #[arg(long, env = "REMOTE_WRITE_DATA", default_value = "remote-write-data", value_name = "FOLDER")]
    pub data: PathBuf,
    /// Do it. What the store does not use afterwards is moved to `aside/repair-N` in the folder.
    #[arg(long)]
    pub yes: bool,
}

/// The options of `sql`.
#[cfg(feature = "sql")]
#[derive(Args, Clone, Debug)]
pub struct Sql {
    /// The query; `-` for standard input.
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// The folder of the log and the files.
    #[arg(long, env = "REMOTE_WRITE_DATA", default_value = "remote-write-data", value_name = "FOLDER")]
    pub data: PathBuf,
    /// The tenant whose rows are read; in a store without tenants, none.
    #[arg(long, default_value = "", value_name = "NAME")]
    pub tenant: String,
    /// The format of the answer.
    #[arg(long, value_enum, default_value_t = crate::sql::command::FORMAT)]
    pub format: crate::sql::format::Format,
    /// The limits.
    #[command(flatten)]
    pub limits: SqlLimits,
}

/// What queries may use.
#[cfg(feature = "sql")]
#[derive(Args, Clone, Debug)]
pub struct SqlLimits {
    /// The time that a query may take.
    #[arg(long, env = "REMOTE_WRITE_SQL_TIMEOUT", default_value = "30s", value_parser = some_time, value_name = "TIME")]
    pub sql_timeout: Duration,
    /// The memory of all queries together; in a server at most a quarter of `--memory`, of which it is a part.
    #[arg(long, env = "REMOTE_WRITE_SQL_MEMORY", default_value = "1GiB", value_parser = some_bytes, value_name = "BYTES")]
    pub sql_memory: u64,
    /// The rows of an answer.
    #[arg(long, env = "REMOTE_WRITE_SQL_MAX_ROWS", default_value_t = 1_000_000, value_parser = at_least_one::<u64>, value_name = "N")]
    pub sql_max_rows: u64,
    /// The bytes of an answer.
    #[arg(long, env = "REMOTE_WRITE_SQL_MAX_BYTES", default_value = "64MiB", value_parser = some_bytes, value_name = "BYTES")]
    pub sql_max_bytes: u64,
    /// Queries at a time; others wait.
    #[arg(long, env = "REMOTE_WRITE_SQL_QUERIES", default_value_t = 4, value_parser = at_a_time, value_name = "N")]
    pub sql_queries: usize,
    /// Threads for queries; 0 is one for two cores, and two at least.
    #[arg(long, env = "REMOTE_WRITE_SQL_THREADS", default_value_t = 0, value_parser = threads, value_name = "N")]
    pub sql_threads: usize,
}

/// The options of `serve`.
#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// A TOML file whose keys are the names of these options. Options of the command line and the environment win.
    #[arg(long, env = "REMOTE_WRITE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Take `POST /-/reload`, which reads the configuration again, as SIGHUP does.
    #[arg(long, env = "REMOTE_WRITE_ENABLE_RELOAD")]
    pub enable_reload: bool,
    /// The folder of the log and the files; created if it is not there.
    #[arg(long, env = "REMOTE_WRITE_DATA", default_value = "remote-write-data", value_name = "FOLDER")]
    pub data: PathBuf,
    /// Address and port to listen at.
    #[arg(long, env = "REMOTE_WRITE_LISTEN", default_value = "127.0.0.1:9201", value_parser = address, value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// A file of bearer tokens, one a line: a request needs one of them. After a token and a blank, a line may name its
    /// tenants, with commas between them; without names it opens all tenants.
    #[arg(long, env = "REMOTE_WRITE_BEARER_FILE", value_name = "FILE")]
    pub bearer_file: Option<PathBuf>,
    /// A file of users and passwords as `htpasswd -B` writes it: USER:HASH, with hashes of bcrypt. A request needs one of
    /// them, or, with `--bearer-file`, a token.
    #[arg(long, env = "REMOTE_WRITE_BASIC_FILE", value_name = "FILE")]
    pub basic_file: Option<PathBuf>,
    /// A file of tenants that the users of `--basic-file` are for: USER:TENANT[,TENANT]. A user without a line may use all tenants.
    #[arg(long, env = "REMOTE_WRITE_BASIC_TENANTS_FILE", value_name = "FILE")]
    pub basic_tenants_file: Option<PathBuf>,
    /// `/metrics` and the status page need no credentials.
    #[arg(long, env = "REMOTE_WRITE_OPEN_STATUS")]
    pub open_status: bool,
    /// The certificates of this server, PEM, its own first. With them the server speaks TLS only.
    #[cfg(feature = "tls")]
    #[arg(long, env = "REMOTE_WRITE_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate, PEM.
    #[cfg(feature = "tls")]
    #[arg(long, env = "REMOTE_WRITE_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Certificates of authorities, PEM: a sender needs a certificate that one of them signed.
    #[cfg(feature = "tls")]
    #[arg(long, env = "REMOTE_WRITE_TLS_CLIENT_CA", value_name = "FILE")]
    pub tls_client_ca: Option<PathBuf>,
    /// The header that names the tenant of a request, such as `X-Scope-OrgID`. The files of each tenant are in a folder of
    /// its own. Without this option there are no tenants.
    #[arg(long, env = "REMOTE_WRITE_TENANT_HEADER", value_parser = header, value_name = "NAME")]
    pub tenant_header: Option<HeaderName>,
    /// Tenants that the server takes; requests of others get 403.
    #[arg(long, env = "REMOTE_WRITE_MAX_TENANTS", default_value_t = 1000, value_parser = at_least_one::<usize>, value_name = "N")]
    pub max_tenants: usize,
    /// Rows a second that a tenant may send; then it gets 429. 0 is no limit.
    #[arg(long, env = "REMOTE_WRITE_TENANT_RATE", default_value_t = 0, value_parser = number, value_name = "ROWS")]
    pub tenant_rate: u64,
    /// Rows that a tenant may send at once after a pause; 0 is ten times the rate.
    #[arg(long, env = "REMOTE_WRITE_TENANT_BURST", default_value_t = 0, value_parser = number, value_name = "ROWS")]
    pub tenant_burst: u64,
    /// Series of a tenant that each worker knows at a time; new ones are refused then, and those that it knows go on.
    /// 0 is no limit.
    #[arg(long, env = "REMOTE_WRITE_TENANT_SERIES", default_value_t = 0, value_parser = number, value_name = "N")]
    pub tenant_series: u64,
    /// Threads that decode; 0 is one for each core.
    #[arg(long, env = "REMOTE_WRITE_WORKERS", default_value_t = 0, value_parser = threads, value_name = "N")]
    pub workers: usize,
    /// When a request counts as written: `sync` after fdatasync; `os` after write, as Prometheus does, so that a power
    /// cut loses what the system had not written yet; `interval=200ms` after write, with a sync that often, so that a
    /// power cut loses at most that much.
    #[arg(long, env = "REMOTE_WRITE_DURABILITY", default_value = "sync", value_parser = durability, value_name = "WHEN")]
    pub durability: Durability,
    /// The longest body, before and after inflating, in bytes; KiB, MiB and GiB may follow.
    #[arg(long, env = "REMOTE_WRITE_MAX_BODY", default_value = "32MiB", value_parser = body_bytes, value_name = "BYTES")]
    pub max_body: u64,
    /// Memory of the process, at least eight times `--max-body`; without this option 1 GiB for each worker. An eighth of it is for requests that are being handled, three
    /// eighths for rows and the series that are known; writing and merging files take the rest. Rows go to files early, or
    /// requests get 503, when it is not enough.
    #[arg(long, env = "REMOTE_WRITE_MEMORY", value_parser = some_bytes, value_name = "BYTES")]
    pub memory: Option<u64>,
    /// Connections at a time.
    #[arg(long, env = "REMOTE_WRITE_MAX_CONNECTIONS", default_value_t = 1024, value_parser = at_a_time, value_name = "N")]
    pub max_connections: usize,
    /// Requests at a time in one connection of HTTP/2.
    #[arg(long, env = "REMOTE_WRITE_MAX_STREAMS", default_value_t = 64, value_parser = at_least_one::<u32>, value_name = "N")]
    pub max_streams: u32,
    /// The time in which a sender must have sent the headers of a request.
    #[arg(long, env = "REMOTE_WRITE_HEADER_TIMEOUT", default_value = "10s", value_parser = some_time, value_name = "TIME")]
    pub header_timeout: Duration,
    /// The time in which a sender must have sent a body.
    #[arg(long, env = "REMOTE_WRITE_BODY_TIMEOUT", default_value = "30s", value_parser = some_time, value_name = "TIME")]
    pub body_timeout: Duration,
    /// The time after which a connection without requests is closed.
    #[arg(long, env = "REMOTE_WRITE_IDLE_TIMEOUT", default_value = "2min", value_parser = some_time, value_name = "TIME")]
    pub idle_timeout: Duration,
    /// Rows that one request may add.
    #[arg(long, env = "REMOTE_WRITE_MAX_ROWS", default_value_t = 1_000_000, value_parser = at_least_one::<usize>, value_name = "N")]
    pub max_rows: usize,
    /// Labels that one series may have.
    #[arg(long, env = "REMOTE_WRITE_MAX_LABEL_NAMES", default_value_t = 256, value_parser = at_least_one::<usize>, value_name = "N")]
    pub max_label_names: usize,
    /// Rows in memory at which they are written to files.
    #[arg(long, env = "REMOTE_WRITE_SEAL_ROWS", default_value_t = 2_000_000, value_parser = at_least_one::<u64>, value_name = "N")]
    pub seal_rows: u64,
    /// Time after which rows are written to files.
    #[arg(long, env = "REMOTE_WRITE_SEAL_AFTER", default_value = "2min", value_parser = duration, value_name = "TIME")]
    pub seal_after: Duration,
    /// Files of one hour that are merged into one when there are more; half an hour after its end an hour's files are merged
    /// whatever their number.
    #[arg(long, env = "REMOTE_WRITE_MERGE_FILES", default_value_t = 8, value_parser = at_least_one::<usize>, value_name = "N")]
    pub merge_files: usize,
    /// The age of the newest row at which a file is deleted; without it files stay for ever.
    #[arg(long, env = "REMOTE_WRITE_RETENTION", value_parser = some_time, value_name = "TIME")]
    pub retention: Option<Duration>,
    /// Where to copy all files: `s3://BUCKET/PREFIX`, `file:///FOLDER`. The environment has the rest of S3's settings, such as
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`. Files that are merged or too old are
    /// deleted there, too.
    #[cfg(feature = "copy")]
    #[arg(long, env = "REMOTE_WRITE_COPY_TO", value_parser = place, value_name = "URL")]
    pub copy_to: Option<url::Url>,
    /// The age of the oldest sample that is accepted; with a shorter `--retention`, it is that.
    #[arg(long, env = "REMOTE_WRITE_ACCEPT_PAST", default_value = "31d", value_parser = duration, value_name = "TIME")]
    pub accept_past: Duration,
    /// How far ahead of this machine's clock a sample may be.
    #[arg(long, env = "REMOTE_WRITE_ACCEPT_AHEAD", default_value = "10min", value_parser = duration, value_name = "TIME")]
    pub accept_ahead: Duration,
    /// The names of OTLP's metrics and attributes in Prometheus; the values are those of Prometheus' option
    /// `translation_strategy`.
    #[arg(
        long,
        env = "REMOTE_WRITE_OTLP_NAMES",
        default_value = "UnderscoreEscapingWithSuffixes",
        value_name = "FORM"
    )]
    pub otlp_names: otlp::Names,
    /// What becomes of OTLP's points with delta temporality: refuse them, or keep their values as they are.
    #[arg(long, env = "REMOTE_WRITE_OTLP_DELTA", default_value = "refuse", value_name = "WHAT")]
    pub otlp_delta: otlp::Delta,
    /// The scope of OTLP's metrics becomes labels: `otel_scope_name` and others.
    #[arg(long, env = "REMOTE_WRITE_OTLP_SCOPE")]
    pub otlp_scope: bool,
    /// What becomes of OTLP's histograms with explicit bounds: `classic` is a series for each bucket, `custom` one native
    /// histogram with custom buckets.
    #[arg(long, env = "REMOTE_WRITE_OTLP_HISTOGRAMS", default_value = "classic", value_name = "FORM")]
    pub otlp_histograms: otlp::Histograms,
    /// Attributes of OTLP's resources that become labels of all their series, with commas between them; the option may be
    /// given several times.
    #[arg(long, env = "REMOTE_WRITE_OTLP_PROMOTE", value_delimiter = ',', value_parser = attribute, value_name = "ATTRIBUTES")]
    pub otlp_promote: Vec<String>,
    /// All attributes of OTLP's resources become labels of all their series.
    #[arg(long, env = "REMOTE_WRITE_OTLP_PROMOTE_ALL")]
    pub otlp_promote_all: bool,
    /// Attributes that `--otlp-promote-all` leaves out.
    #[arg(
        long,
        env = "REMOTE_WRITE_OTLP_PROMOTE_EXCEPT",
        value_delimiter = ',',
        value_parser = attribute,
        value_name = "ATTRIBUTES"
    )]
    pub otlp_promote_except: Vec<String>,
    /// OTLP's `service.name`, `service.namespace` and `service.instance.id` are labels of `target_info`, too.
    #[arg(long, env = "REMOTE_WRITE_OTLP_KEEP_IDENTIFYING")]
    pub otlp_keep_identifying: bool,
    /// Length of a segment of the log.
    #[arg(long, env = "REMOTE_WRITE_SEGMENT", default_value = "128MiB", value_parser = some_bytes, value_name = "BYTES")]
    pub segment: u64,
    /// Time to finish requests after SIGTERM.
    #[arg(long, env = "REMOTE_WRITE_DRAIN", default_value = "30s", value_parser = duration, value_name = "TIME")]
    pub drain: Duration,
    /// Which lines to log: `error`, `warn`, `info`, `debug`, or a filter as of the crate tracing-subscriber.
    #[arg(long, env = "REMOTE_WRITE_LOG", default_value = "info", value_parser = filter, value_name = "LEVEL")]
    pub log: String,
    /// Log lines as JSON.
    #[arg(long, env = "REMOTE_WRITE_LOG_JSON")]
    pub log_json: bool,
    /// Where requests go, too.
    #[cfg(feature = "kafka")]
    #[command(flatten)]
    pub kafka: crate::kafka::KafkaOptions,
    /// The limits of queries.
    #[cfg(feature = "sql")]
    #[command(flatten)]
    pub sql: SqlLimits,
}

impl Serve {
    /// Returns the number of threads that decode.
    pub fn workers(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if self.workers == 0 { cores } else { self.workers }
    }

    /// Returns the memory of the process.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or((self.workers() as u64) << 30)
    }

    /// Returns the part of the memory that queries may use.
    pub fn sql_memory(&self) -> u64 {
        #[cfg(feature = "sql")]
        return self.sql.sql_memory.min(self.memory() / 4);
        #[cfg(not(feature = "sql"))]
        0
    }

    /// Returns how the rest of the memory is divided.
    pub fn shares(&self) -> Shares {
        Shares::divide(usize::try_from(self.memory() - self.sql_memory()).unwrap_or(usize::MAX), self.workers())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Command::command().debug_assert();
        let parsed = |args: &[&str]| Command::try_parse_from([&["remote-write", "serve"], args].concat());
        let command = parsed(&["--durability=interval=200ms", "--max-body=1KiB", "--seal-after", "3h"]).unwrap();
        let serve = command.action.serve().unwrap();
        assert_eq!(serve.durability, Durability::Interval(Duration::from_millis(200)));
        assert_eq!((serve.max_body, serve.seal_after), (1024, Duration::from_secs(3 * 3600)));
        let command = parsed(&["--otlp-promote=a.b, c", "--otlp-promote", "d"]).unwrap();
        assert_eq!(command.action.serve().unwrap().otlp_promote, ["a.b", "c", "d"]);
        for bad in [
            "--max-body=x",
            "--max-body=1TB",
            "--max-body=5GiB",
            "--max-body=99999999999GiB",
            "--durability=never",
            "--durability=interval=0s",
            "--drain=5",
            "--log=x=loud",
            "--log=loud",
            "--listen=localhost:9201",
            "--workers=100000",
            "--max-tenants=0",
            "--memory=0",
            "--max-connections=0",
            "--max-streams=0",
            "--header-timeout=0s",
            "--body-timeout=0s",
            "--idle-timeout=0s",
            "--max-rows=0",
            "--max-label-names=0",
            "--seal-rows=0",
            "--merge-files=0",
            "--retention=0s",
            "--segment=0",
            "--otlp-promote=",
            "--otlp-promote=a,,b",
            "--otlp-promote-except= ",
            "--otlp-histograms=native",
        ] {
            assert!(parsed(&[bad]).is_err(), "{bad}");
        }
    }
}
