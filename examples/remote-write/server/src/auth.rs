//! Who may send: bearer tokens and passwords, each from a file.
//!
//! Comparisons take the same time whatever was sent: tokens and passwords are compared by keyed hashes of them, and an
//! unknown user costs as much as a wrong password. bcrypt is slow on purpose, so the server keeps the hash of the last
//! right password of each user, and checks at most [`CHECKS`] passwords at a time.

use crate::log::random;
use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::header::AUTHORIZATION;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::HashMap;
use std::fs;
use std::hash::Hasher;
use std::path::Path;
use std::sync::{Arc, Mutex};
use subtle::{Choice, ConstantTimeEq};
use tokio::sync::Semaphore;

/// Passwords that bcrypt checks at a time.
pub const CHECKS: usize = 2;

/// The credentials that are accepted.
pub struct Auth {
    /// The key of all hashes, random for each process and reload.
    key: [u8; 16],
    tokens: Option<Vec<[u8; 16]>>,
    users: Option<HashMap<String, String>>,
    /// For each user, the hash of the password that was right.
    right: Mutex<HashMap<String, [u8; 16]>>,
    checks: Semaphore,
    /// A hash of no password, as costly as those of the file.
    nobody: String,
}

/// What a sender that may not send hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its credentials are accepted, or none are asked for.
    Accepted,
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
    pub fn read(tokens: Option<&Path>, users: Option<&Path>) -> Result<Auth, String> {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&random().to_le_bytes());
        key[8..].copy_from_slice(&random().to_le_bytes());
        let tokens = tokens.map(read_tokens).transpose()?;
        let tokens = tokens.map(|tokens| tokens.iter().map(|token| hash(&key, &[token])).collect());
        let users = users.map(read_users).transpose()?;
        // The salt and hash of an unknown user: no password leads to 31 dots.
        let cost = users.iter().flatten().filter_map(|(_, hash)| hash.get(4..6)).max().unwrap_or("10");
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
            return Verdict::Accepted;
        }
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return Verdict::Refused };
        let Some((scheme, rest)) = value.to_str().ok().and_then(|text| text.split_once(' ')) else {
            return Verdict::Refused;
        };
        let rest = rest.trim();
        if scheme.eq_ignore_ascii_case("bearer") {
            return if self.has_token(rest) { Verdict::Accepted } else { Verdict::Refused };
        }
        let decoded = scheme.eq_ignore_ascii_case("basic").then(|| BASE64.decode(rest).ok()).flatten();
        let pair = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        match pair.as_deref().and_then(|pair| pair.split_once(':')) {
            Some((user, password)) if self.users.is_some() => self.has_password(user, password).await,
            _ => Verdict::Refused,
        }
    }

    fn has_token(&self, token: &str) -> bool {
        let sent = hash(&self.key, &[token]);
        let all = self.tokens.iter().flatten();
        all.fold(Choice::from(0), |found, token| found | token.ct_eq(&sent)).into()
    }

    async fn has_password(self: &Arc<Auth>, user: &str, password: &str) -> Verdict {
        let sent = hash(&self.key, &[user, password]);
        let right =
            |auth: &Auth| auth.right.lock().expect("no code panics while it holds the hashes").get(user).copied();
        if right(self).is_some_and(|right| right.ct_eq(&sent).into()) {
            return Verdict::Accepted;
        }
        let room = tokio::time::timeout(std::time::Duration::from_secs(5), self.checks.acquire()).await;
        let Ok(Ok(_room)) = room else { return Verdict::Busy };
        // Many requests begin with the same password at a time; the first one found it right.
        if right(self).is_some_and(|right| right.ct_eq(&sent).into()) {
            return Verdict::Accepted;
        }
        let known = self.users.as_ref().and_then(|users| users.get(user));
        let (hash, is_known) = (known.unwrap_or(&self.nobody).clone(), known.is_some());
        let password = password.to_owned();
        let verified = tokio::task::spawn_blocking(move || bcrypt::verify(password, &hash).unwrap_or(false)).await;
        if !(is_known && verified.unwrap_or(false)) {
            return Verdict::Refused;
        }
        self.right.lock().expect("no code panics while it holds the hashes").insert(user.to_owned(), sent);
        Verdict::Accepted
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

fn read_tokens(path: &Path) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    for (line, token) in lines(path)? {
        if token.len() < 16 || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("{}:{line}: a token has 16 or more visible ASCII characters", path.display()));
        }
        tokens.push(token);
    }
    match tokens.is_empty() {
        true => Err(format!("{}: the file has no token", path.display())),
        false => Ok(tokens),
    }
}

fn read_users(path: &Path) -> Result<HashMap<String, String>, String> {
    let mut users = HashMap::new();
    for (line, text) in lines(path)? {
        let at = |why: &str| format!("{}:{line}: {why}", path.display());
        let (user, hash) = text.split_once(':').ok_or_else(|| at("a line is USER:HASH, as `htpasswd -B` writes it"))?;
        let (user, hash) = (user.trim(), hash.trim());
        if let Err(error) = hash.parse::<bcrypt::HashParts>() {
            return Err(at(&format!("the hash of {user:?} is none of bcrypt ({error}); `htpasswd -B` writes those")));
        }
        if users.insert(user.to_owned(), hash.to_owned()).is_some() {
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
            let path = Some(path.as_path());
            let auth = if tokens { Auth::read(path, None) } else { Auth::read(None, path) };
            auth.map(|auth| format!("{auth:?}")).unwrap_err()
        };
        for (text, tokens, part) in [
            ("# none\n\n", true, "f: the file has no token"),
            ("0123456789abcdef\nshort\n", true, "f:2: a token has 16"),
            ("0123456789 abcdef\n", true, "f:1: a token has 16"),
            ("", false, "f: the file has no user"),
            ("\nuser\n", false, "f:2: a line is USER:HASH"),
            ("user:$apr1$x$y\n", false, "f:1: the hash of \"user\" is none of bcrypt"),
        ] {
            let error = read(text, tokens);
            assert!(error.contains(part), "{text:?}: {error}");
        }
        let hash = bcrypt::hash("p", 4).unwrap();
        assert!(read(&format!("u:{hash}\nu:{hash}"), false).contains("f:2: \"u\" is there twice"));
        assert!(Auth::read(Some(&folder.path().join("none")), None).unwrap_err().contains("none: No such file"));
    }

    /// No answer may show whether a user exists: the check of an unknown one runs bcrypt at the file's cost, and fails.
    #[test]
    fn the_hash_of_nobody_is_one_of_bcrypt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, format!("u:{}", bcrypt::hash("p", 5).unwrap())).unwrap();
        let auth = Auth::read(None, Some(&path)).unwrap();
        let parts: bcrypt::HashParts = auth.nobody.parse().unwrap();
        assert_eq!(parts.get_cost(), 5);
        assert_eq!(bcrypt::verify("", &auth.nobody).ok(), Some(false));
    }
}
