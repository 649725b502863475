//! The options from everywhere: the command line wins over the environment, and the environment over the file of
//! `--config`. The file is TOML, and its keys are the names of the options.

use crate::options::{Command, Serve};
use crate::tenants::{TenantLimits, check_name};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Options that name a file which is a part of the configuration.
const FILES: [&str; 7] =
    ["basic-file", "basic-tenants-file", "bearer-file", "kafka-properties", "tls-cert", "tls-client-ca", "tls-key"];

/// All options, and where they came from.
#[derive(Clone, Debug)]
pub struct Config {
    /// The options.
    pub serve: Serve,
    /// The limits of some tenants: `[tenants.NAME]` in the file.
    pub tenants: BTreeMap<String, TenantLimits>,
    /// Every option as text, by its long name, to compare two configurations. After the name of a file comes a hash of it.
    pub texts: BTreeMap<String, Vec<OsString>>,
}

/// Why there is no configuration.
#[derive(Debug)]
pub enum ConfigError {
    /// The command line or the environment; also `--help`.
    Usage(clap::Error),
    /// The file, with its name and line.
    File(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Usage(error) => error.fmt(f),
            ConfigError::File(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads the command line `args` of `serve`, which begins with the program's name, the environment, and the file that
    /// they name.
    pub fn load(args: &[OsString]) -> Result<Config, ConfigError> {
        let first = Command::command().try_get_matches_from(args).map_err(ConfigError::Usage)?;
        let given = serve_of(&first);
        let Some(path) = given.get_one::<PathBuf>("config") else {
            return Config::from_matches(&first, BTreeMap::new());
        };
        let text = fs::read_to_string(path).map_err(|e| ConfigError::File(format!("{}: {e}", path.display())))?;
        let (options, tenants) = options_of(path, &text, given)?;
        let mut all = args.to_vec();
        // Options of a subcommand stand after its name. Those that were given elsewhere are left out, so the order among
        // them does not matter.
        let after_name = all.len().min(2);
        all.splice(after_name..after_name, options);
        Config::from_matches(&Command::command().try_get_matches_from(all).map_err(ConfigError::Usage)?, tenants)
    }

    fn from_matches(matches: &ArgMatches, tenants: BTreeMap<String, TenantLimits>) -> Result<Config, ConfigError> {
        let command = Command::from_arg_matches(matches).map_err(ConfigError::Usage)?;
        let serve = command.action.serve().expect("the options of another action have no file");
        let given = serve_of(matches);
        let command = serve_command();
        let texts = command.get_arguments().filter_map(|option| {
            let values = given.get_raw(option.get_id().as_str()).into_iter().flatten();
            Some((option.get_long()?.to_owned(), values.map(OsString::from).collect()))
        });
        let mut texts: BTreeMap<String, Vec<OsString>> = texts.collect();
        for (_, values) in texts.iter_mut().filter(|(name, _)| FILES.contains(&name.as_str())) {
            let content = values.first().and_then(|path| fs::read(path).ok());
            values.extend(content.map(|content| hash(&content).to_string().into()));
        }
        texts.insert("tenants".to_owned(), vec![format!("{tenants:?}").into()]);
        Ok(Config { serve, tenants, texts })
    }

    /// Returns the names of the options that differ.
    pub fn difference(&self, later: &Config) -> Vec<String> {
        let differs = |name: &&String| self.texts.get(*name) != later.texts.get(*name);
        self.texts.keys().filter(differs).cloned().collect()
    }
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

fn serve_of(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand_matches("serve").expect("another action has no configuration")
}

fn serve_command() -> clap::Command {
    Command::command().find_subcommand("serve").expect("it is a subcommand").clone()
}

/// Turns the keys of a file into options, without those that the command line or the environment have.
fn options_of(
    path: &Path,
    text: &str,
    given: &ArgMatches,
) -> Result<(Vec<OsString>, BTreeMap<String, TenantLimits>), ConfigError> {
    let at = |byte: usize, why: &str| {
        let line = 1 + text.as_bytes()[..byte.min(text.len())].iter().filter(|&&b| b == b'\n').count();
        ConfigError::File(format!("{}:{line}: {why}", path.display()))
    };
    let table = DeTable::parse(text)
        .map_err(|error| at(error.span().map_or(0, |span| span.start), error.message().trim_end()))?;
    let command = serve_command();
    let (mut options, mut tenants) = (Vec::new(), BTreeMap::new());
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        if let ("tenants", DeValue::Table(all)) = (name, value.get_ref()) {
            for (tenant, limits) in all {
                let id: &str = tenant.get_ref();
                check_name(id).map_err(|why| at(tenant.span().start, &why))?;
                let DeValue::Table(limits) = limits.get_ref() else {
                    return Err(at(limits.span().start, "the limits of a tenant are rate, burst and series"));
                };
                tenants.insert(id.to_owned(), limits_of(limits).map_err(|(byte, why)| at(byte, &why))?);
            }
            continue;
        }
        let option = command.get_arguments().find(|option| option.get_long() == Some(name));
        // A file that names another file would have to be read before itself.
        let Some(option) = option.filter(|_| !matches!(name, "config" | "help" | "version")) else {
            let hyphens = name.replace('_', "-");
            let hint = match command.get_arguments().any(|option| option.get_long() == Some(&*hyphens)) {
                true if hyphens != name => format!(": it is `{hyphens}`"),
                _ => String::new(),
            };
            return Err(at(key.span().start, &format!("there is no option `{name}`{hint}")));
        };
        let values = match value.get_ref() {
            DeValue::Array(values) => values.iter().map(|value| word(value.get_ref())).collect::<Option<Vec<_>>>(),
            value => word(value).map(|word| vec![word]),
        };
        let Some(values) = values else {
            return Err(at(value.span().start, &format!("`{name}` is a text, a number, true or false")));
        };
        let takes_value = option.get_action().takes_values();
        // Only these options may be a list.
        let takes_many = matches!(option.get_action(), ArgAction::Append);
        let own: Vec<OsString> = match (takes_value, &values[..]) {
            (true, values) if takes_many || values.len() == 1 => {
                values.iter().map(|value| format!("--{name}={value}").into()).collect()
            }
            (true, _) => return Err(at(value.span().start, &format!("`{name}` takes one value"))),
            (false, [word]) if word == "true" => vec![format!("--{name}").into()],
            (false, [word]) if word == "false" => Vec::new(),
            _ => return Err(at(value.span().start, &format!("`{name}` is true or false"))),
        };
        // Checked alone, an option that is wrong is known by its line.
        let alone = [OsString::from("serve")].into_iter().chain(own.iter().cloned());
        if let Err(error) = command.clone().try_get_matches_from(alone) {
            let why = error.to_string();
            let why = why.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            return Err(at(value.span().start, &why));
        }
        let source = given.value_source(option.get_id().as_str());
        if !matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable)) {
            options.extend(own);
        }
    }
    Ok((options, tenants))
}

/// Reads the limits of one tenant. An error has the byte where it is.
fn limits_of(table: &DeTable<'_>) -> Result<TenantLimits, (usize, String)> {
    let mut limits = TenantLimits::default();
    for (key, value) in table {
        let limit = match &**key.get_ref() {
            "rate" => &mut limits.rate,
            "burst" => &mut limits.burst,
            "series" => &mut limits.series,
            other => {
                return Err((key.span().start, format!("a tenant has no limit `{other}`: rate, burst and series")));
            }
        };
        let number = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        };
        *limit = number.ok_or_else(|| (value.span().start, "a limit is a whole number".to_owned()))?;
    }
    Ok(limits)
}

fn word(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn load(file: &str, options: &[&str]) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        fs::write(&path, file).unwrap();
        let mut args = vec![OsString::from("remote-write"), "serve".into(), "--config".into(), path.into()];
        args.extend(options.iter().map(OsString::from));
        Config::load(&args).map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
    }

    #[test]
    fn every_option_may_be_in_the_file() {
        let serve =
            load("workers = 3\nmax-body = \"1KiB\" # small\nlog-json = true\nseal-after = '3h'", &[]).unwrap().serve;
        assert_eq!((serve.workers, serve.max_body, serve.log_json), (3, 1024, true));
        assert_eq!(serve.seal_after, Duration::from_secs(3 * 3600));
        for option in serve_command().get_arguments() {
            let Some(name) = option.get_long().filter(|name| !matches!(*name, "help" | "config")) else { continue };
            let default = option.get_default_values().first().map(|value| value.to_str().unwrap().to_owned());
            let value = match (default, option.get_action().takes_values()) {
                (Some(value), true) => format!("{value:?}"),
                (None, true) if name == "retention" => "\"9d\"".to_owned(),
                (None, true) if name == "memory" => "\"3GiB\"".to_owned(),
                (None, true) if name == "copy-to" => "\"file:///x\"".to_owned(),
                (None, true) => "\"x\"".to_owned(),
                (_, false) => "true".to_owned(),
            };
            load(&format!("{name} = {value}"), &[]).unwrap();
        }
    }

    #[test]
    fn a_list_is_an_option_given_several_times() {
        let promoted = |file: &str, options: &[&str]| load(file, options).unwrap().serve.otlp_promote;
        assert_eq!(promoted("otlp-promote = ['host.name', 'a,b']", &[]), ["host.name", "a", "b"]);
        assert_eq!(promoted("otlp-promote = 'host.name, zone'", &[]), ["host.name", "zone"]);
        assert!(promoted("otlp-promote = []", &[]).is_empty());
        assert_eq!(promoted("otlp-promote = ['host.name']", &["--otlp-promote=zone"]), ["zone"]);
    }

    #[test]
    fn tenants_have_limits_of_their_own() {
        let config = load("tenant-rate = 7\n[tenants.a]\nrate = 5\nseries = 9\n[tenants.'b.c']\n", &[]).unwrap();
        let limits = TenantLimits { rate: 5, burst: 0, series: 9 };
        let expected = [("a".to_owned(), limits), ("b.c".to_owned(), TenantLimits::default())];
        assert_eq!(config.tenants, BTreeMap::from(expected));
        assert_eq!(config.serve.tenant_rate, 7);
        assert_eq!(config.difference(&load("tenant-rate = 7", &[]).unwrap()), ["config", "tenants"]);
    }

    #[test]
    fn the_command_line_wins() {
        let config = load("workers = 3\nlog-json = false", &["--workers=4", "--log-json"]).unwrap();
        assert_eq!((config.serve.workers, config.serve.log_json), (4, true));
    }

    #[test]
    fn errors_name_file_and_line() {
        for (file, part) in [
            ("workers = 3\n\nworkerz = 4", "/c.toml:3: there is no option `workerz`"),
            ("max_body = '1MiB'", "/c.toml:1: there is no option `max_body`: it is `max-body`"),
            ("tenant-rate = -1", "/c.toml:1: invalid value '-1' for '--tenant-rate <ROWS>': it is a whole number"),
            ("\nconfig = 'x'", "/c.toml:2: there is no option `config`"),
            ("workers = 3\nworkers = 4", "/c.toml:2: duplicate key"),
            ("\nworkers = ", "/c.toml:2: "),
            ("\n\nmax-body = '1TB'", "/c.toml:3: invalid value '1TB' for '--max-body <BYTES>': its unit is"),
            ("log-json = 'yes'", "/c.toml:1: `log-json` is true or false"),
            ("[workers]\nx = 1", "/c.toml:1: `workers` is a text, a number, true or false"),
            ("[tenants.a]\nrate = 5\nrows = 3", "/c.toml:3: a tenant has no limit `rows`"),
            ("[tenants.a]\nrate = -5", "/c.toml:2: a limit is a whole number"),
            ("[tenants]\n'a/b' = { rate = 5 }", "/c.toml:2: a tenant's name has letters"),
            ("[tenants]\na = 3", "/c.toml:2: the limits of a tenant are"),
            ("tenants = 3", "/c.toml:1: there is no option `tenants`"),
            (
                "\notlp-promote = ['a', '']",
                "/c.toml:2: invalid value '' for '--otlp-promote <ATTRIBUTES>': an attribute has",
            ),
            ("otlp-promote = ['a', ['b']]", "/c.toml:1: `otlp-promote` is a text, a number, true or false"),
            ("workers = [1, 2]", "/c.toml:1: `workers` takes one value"),
        ] {
            let error = load(file, &["--workers=9"]).unwrap_err();
            assert!(error.contains(part), "{file}: {error}");
        }
        let missing = Config::load(&["remote-write", "serve", "--config=/nowhere/c.toml"].map(OsString::from));
        assert!(missing.unwrap_err().to_string().starts_with("/nowhere/c.toml: "));
    }

    #[test]
    fn differences_have_names() {
        let config = |file: &str| load(file, &["--drain=1s"]).unwrap();
        let names = config("workers = 3\ndrain = '9s'").difference(&config("log-json = true"));
        // The file of `--config` is another one, too.
        assert_eq!(names, ["config", "log-json", "workers"]);
    }
}
