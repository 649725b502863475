//! Who may send: bearer tokens and passwords, each from a file, and for which tenants.
//!
//! Comparisons take the same time whatever was sent: tokens and passwords are compared by keyed hashes of them, and an
//! unknown user costs as much as a wrong password. bcrypt is slow on purpose, so the server keeps the hash of the last
//! right password of each user, and checks at most [`CHECKS`] passwords at a time.

use crate::log::random;
use crate::tenants::check_name;
use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::header::AUTHORIZATION;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::hash::Hasher;
use std::path::Path;
use std::sync::{Arc, Mutex};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// Passwords that bcrypt checks at a time.
pub const CHECKS: usize = 2;

/// The tenants that credentials are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope(Option<Arc<BTreeSet<String>>>);

impl Scope {
    /// Returns whether they are for all tenants.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether they are for a tenant.
    pub fn has(&self, tenant: &str) -> bool {
        self.0.as_ref().is_none_or(|tenants| tenants.contains(tenant))
    }
}

/// The files of credentials.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// Tokens: `TOKEN`, or `TOKEN TENANT[,TENANT]`.
    pub tokens: Option<&'a Path>,
    /// Users: `USER:HASH`.
    pub users: Option<&'a Path>,
    /// Tenants of users: `USER:TENANT[,TENANT]`.
    pub user_tenants: Option<&'a Path>,
    /// Whether the server has tenants.
    pub has_tenants: bool,
}

/// A user of the file.
struct User {
    hash: String,
    scope: Scope,
}

/// The credentials that are accepted.
pub struct Auth {
    /// The key of all hashes, random for each process and reload.
    key: [u8; 16],
    tokens: Option<Vec<([u8; 16], Scope)>>,
    users: Option<HashMap<String, User>>,
    /// For each user, the hash of the password that was right.
    right: Mutex<HashMap<String, [u8; 16]>>,
    checks: Semaphore,
    /// A hash of no password, as costly as those of the file.
    nobody: String,
}

/// What a sender that may not send hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its credentials are accepted for these tenants, or none are asked for.
    Accepted(Scope),
    /// It has none, or wrong ones.
    Refused,
    /// Too many passwords are being checked.
    Busy,
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tokens = self.tokens.as_ref().map(Vec::len);
        f.debug_struct("Auth").field("tokens", &tokens).field("users", &self.users.as_ref().map(HashMap::len)).finish()
    }
}

impl Auth {
    /// Reads the files. Lines that are empty or begin with `#` are skipped.
    pub fn read(from: Sources<'_>) -> Result<Auth, String> {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&random().to_le_bytes());
        key[8..].copy_from_slice(&random().to_le_bytes());
        let in_option = |option: &'static str| move |why: String| format!("{option}: {why}");
        let tokens = from
            .tokens
            .map(|path| read_tokens(path, from.has_tenants))
            .transpose()
            .map_err(in_option("bearer-file"))?;
        let hashed = |(token, scope): (String, Scope)| (hash(&key, &[&token]), scope);
        let tokens = tokens.map(|tokens| tokens.into_iter().map(hashed).collect());
        let mut users = from.users.map(read_users).transpose().map_err(in_option("basic-file"))?;
        match (from.user_tenants, &mut users) {
            (Some(path), Some(users)) => {
                bind_users(path, users, from.has_tenants).map_err(in_option("basic-tenants-file"))?;
            }
            (Some(_), None) => return Err("basic-tenants-file needs basic-file, which has the users".to_owned()),
            (None, _) => (),
        }
        // The salt and hash of an unknown user: no password leads to 31 dots.
        let cost = users.iter().flatten().filter_map(|(_, user)| user.hash.get(4..6)).max().unwrap_or("10");
        let nobody = format!("$2y${cost}${}{}", "Ro0CUfOqk6cXEKf3dyaM7O", ".".repeat(31));
        let checks = Semaphore::new(CHECKS);
        Ok(Auth { key, tokens, users, right: Mutex::default(), checks, nobody })
    }

    /// Returns whether senders need credentials.
    pub fn is_on(&self) -> bool {
        self.tokens.is_some() || self.users.is_some()
    }

    /// Returns the values of `WWW-Authenticate`.
    pub fn challenges(&self) -> impl Iterator<Item = &'static str> {
        let bearer = self.tokens.is_some().then_some("Bearer realm=\"remote-write\"");
        let basic = self.users.is_some().then_some("Basic realm=\"remote-write\", charset=\"UTF-8\"");
        bearer.into_iter().chain(basic)
    }

    /// Checks the credentials of a request.
    pub async fn check(self: &Arc<Auth>, headers: &HeaderMap) -> Verdict {
        if !self.is_on() {
            return Verdict::Accepted(Scope::default());
        }
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return Verdict::Refused };
        let Some((scheme, rest)) = value.to_str().ok().and_then(|text| text.split_once(' ')) else {
            return Verdict::Refused;
        };
        let rest = rest.trim();
        if scheme.eq_ignore_ascii_case("bearer") {
            return self.scope_of_token(rest).map_or(Verdict::Refused, Verdict::Accepted);
        }
        let decoded = scheme.eq_ignore_ascii_case("basic").then(|| BASE64.decode(rest).ok()).flatten();
        let pair = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        match pair.as_deref().and_then(|pair| pair.split_once(':')) {
            Some((user, password)) => match self.users.as_ref().map(|users| users.get(user)) {
                Some(known) => self.check_password(known, user, password).await,
                None => Verdict::Refused,
            },
            _ => Verdict::Refused,
        }
    }

    fn scope_of_token(&self, token: &str) -> Option<Scope> {
        let sent = hash(&self.key, &[token]);
        let all = self.tokens.iter().flatten();
        // All are compared, wherever the right one is.
        all.fold(None, |found, (token, scope)| if token.ct_eq(&sent).into() { Some(scope) } else { found }).cloned()
    }

    async fn check_password(self: &Arc<Auth>, known: Option<&User>, user: &str, password: &str) -> Verdict {
        let accepted = || Verdict::Accepted(known.map(|known| known.scope.clone()).unwrap_or_default());
        let sent = hash(&self.key, &[user, password]);
        let right =
            |auth: &Auth| auth.right.lock().expect("no code panics while it holds the hashes").get(user).copied();
        if right(self).is_some_and(|right| right.ct_eq(&sent).into()) {
            return accepted();
        }
        let room = tokio::time::timeout(std::time::Duration::from_secs(5), self.checks.acquire()).await;
        let Ok(Ok(_room)) = room else { return Verdict::Busy };
        // Many requests begin with the same password at a time; the first one found it right.
        if right(self).is_some_and(|right| right.ct_eq(&sent).into()) {
            return accepted();
        }
        let (hash, is_known) = (known.map_or(&self.nobody, |known| &known.hash).clone(), known.is_some());
        let password = password.to_owned();
        let verified = tokio::task::spawn_blocking(move || bcrypt::verify(password, &hash).unwrap_or(false)).await;
        if !(is_known && verified.unwrap_or(false)) {
            return Verdict::Refused;
        }
        self.right.lock().expect("no code panics while it holds the hashes").insert(user.to_owned(), sent);
        accepted()
    }
}

/// A keyed hash of some texts, which no other texts have.
fn hash(key: &[u8; 16], texts: &[&str]) -> [u8; 16] {
    let mut hasher = SipHasher13::new_with_key(key);
    for text in texts {
        hasher.write_u64(text.len() as u64);
        hasher.write(text.as_bytes());
    }
    hasher.finish128().as_bytes()
}

fn lines(path: &Path) -> Result<Vec<(usize, String)>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(|(at, line)| (at + 1, line.to_owned())).collect())
}

fn read_tokens(path: &Path, has_tenants: bool) -> Result<Vec<(String, Scope)>, String> {
    let (mut tokens, mut seen) = (Vec::new(), HashSet::new());
    for (line, text) in lines(path)? {
        let at = |why: &str| format!("{}:{line}: {why}", path.display());
        let (token, tenants) = text.split_once([' ', '\t']).unwrap_or((&text, ""));
        if token.len() < 16 || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(at("a token has 16 or more visible ASCII characters"));
        }
        if !seen.insert(token.to_owned()) {
            return Err(at("the token is there twice"));
        }
        let scope = match tenants.trim() {
            "" => Scope::default(),
            tenants => scope_of(tenants, has_tenants).map_err(|why| at(&why))?,
        };
        tokens.push((token.to_owned(), scope));
    }
    match tokens.is_empty() {
        true => Err(format!("{}: the file has no token", path.display())),
        false => Ok(tokens),
    }
}

/// Reads names of tenants with commas between them.
fn scope_of(text: &str, has_tenants: bool) -> Result<Scope, String> {
    if !has_tenants {
        return Err("tenants need the option tenant-header, which says whose a request is".to_owned());
    }
    let names: BTreeSet<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    names.iter().try_for_each(|name| check_name(name).map_err(|why| format!("{name:?}: {why}")))?;
    Ok(Scope(Some(Arc::new(names))))
}

/// Reads the tenants of users.
fn bind_users(path: &Path, users: &mut HashMap<String, User>, has_tenants: bool) -> Result<(), String> {
    for (line, text) in lines(path)? {
        let at = |why: &str| format!("{}:{line}: {why}", path.display());
        let (user, tenants) = text.split_once(':').ok_or_else(|| at("a line is USER:TENANT[,TENANT]"))?;
        let user = user.trim();
        let known = users.get_mut(user).ok_or_else(|| at(&format!("the basic-file has no user {user:?}")))?;
        if !known.scope.is_all() {
            return Err(at(&format!("{user:?} is there twice")));
        }
        known.scope = scope_of(tenants, has_tenants).map_err(|why| at(&why))?;
    }
    Ok(())
}

fn read_users(path: &Path) -> Result<HashMap<String, User>, String> {
    let mut users = HashMap::new();
    for (line, text) in lines(path)? {
        let at = |why: &str| format!("{}:{line}: {why}", path.display());
        let (user, hash) = text.split_once(':').ok_or_else(|| at("a line is USER:HASH, as `htpasswd -B` writes it"))?;
        let (user, hash) = (user.trim(), hash.trim());
        if let Err(error) = hash.parse::<bcrypt::HashParts>() {
            return Err(at(&format!("the hash of {user:?} is none of bcrypt ({error}); `htpasswd -B` writes those")));
        }
        let new = User { hash: hash.to_owned(), scope: Scope::default() };
        if users.insert(user.to_owned(), new).is_some() {
            return Err(at(&format!("{user:?} is there twice")));
        }
    }
    match users.is_empty() {
        true => Err(format!("{}: the file has no user", path.display())),
        false => Ok(users),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_wrong_are_named_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let read = |text: &str, tokens: bool| {
            fs::write(&path, text).unwrap();
            let (path, has_tenants) = (Some(path.as_path()), text.contains("team"));
            let from = if tokens {
                Sources { tokens: path, ..Sources::default() }
            } else {
                Sources { users: path, ..Sources::default() }
            };
            Auth::read(Sources { has_tenants, ..from }).map(|auth| format!("{auth:?}")).unwrap_err()
        };
        for (text, tokens, part) in [
            ("# none\n\n", true, "f: the file has no token"),
            ("0123456789abcdef\nshort\n", true, "f:2: a token has 16"),
            ("0123456789 abcdef\n", true, "f:1: a token has 16"),
            ("0123456789abcdef\n\n0123456789abcdef team\n", true, "f:3: the token is there twice"),
            ("0123456789abcdef a\n", true, "f:1: tenants need the option tenant-header"),
            ("0123456789abcdef team,../x\n", true, "f:1: \"../x\": a tenant's name has letters"),
            ("0123456789abcdef team,\n", true, "f:1: \"\": a tenant's name has 1 to"),
            ("0123456789abcdef team other\n", true, "f:1: \"team other\": a tenant's name has letters"),
            ("", false, "f: the file has no user"),
            ("\nuser\n", false, "f:2: a line is USER:HASH"),
            ("user:$apr1$x$y\n", false, "f:1: the hash of \"user\" is none of bcrypt"),
        ] {
            let error = read(text, tokens);
            let option = if tokens { "bearer-file: " } else { "basic-file: " };
            assert!(error.starts_with(option) && error.contains(part), "{text:?}: {error}");
        }
        let hash = bcrypt::hash("p", 4).unwrap();
        assert!(read(&format!("u:{hash}\nu:{hash}"), false).contains("f:2: \"u\" is there twice"));
        let none = folder.path().join("none");
        let from = Sources { tokens: Some(&none), ..Sources::default() };
        assert!(Auth::read(from).unwrap_err().contains("none: No such file"));
        let bound = folder.path().join("b");
        for (text, part) in [
            ("\nv:team", "b:2: the basic-file has no user \"v\""),
            ("u:team\nu:other", "b:2: \"u\" is there twice"),
            ("u team", "b:1: a line is USER:TENANT"),
            ("u:", "b:1: \"\": a tenant's name has 1 to"),
        ] {
            fs::write(&path, format!("u:{hash}")).unwrap();
            fs::write(&bound, text).unwrap();
            let from = Sources { users: Some(&path), user_tenants: Some(&bound), has_tenants: true, tokens: None };
            let error = Auth::read(from).unwrap_err();
            assert!(error.starts_with("basic-tenants-file: ") && error.contains(part), "{text:?}: {error}");
            let error = Auth::read(Sources { users: None, ..from }).unwrap_err();
            assert!(error.starts_with("basic-tenants-file needs basic-file"), "{error}");
        }
    }

    /// No answer may show whether a user exists: the check of an unknown one runs bcrypt at the file's cost, and fails.
    #[test]
    fn the_hash_of_nobody_is_one_of_bcrypt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, format!("u:{}", bcrypt::hash("p", 5).unwrap())).unwrap();
        let auth = Auth::read(Sources { users: Some(&path), ..Sources::default() }).unwrap();
        let parts: bcrypt::HashParts = auth.nobody.parse().unwrap();
        assert_eq!(parts.get_cost(), 5);
        assert_eq!(bcrypt::verify("", &auth.nobody).ok(), Some(false));
    }
}
