//! The user's options: the plugin's parameter, or `--opt`.

use crate::attributes::Attribute;
use crate::error::OptionError;
use crate::externs::ExternPath;
use crate::faces::{self, FACES};

/// The options, which are checked when they are parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The names of the faces and extras to emit, in the order of the registry.
    pub faces: Vec<&'static str>,
    /// The full names of the messages to generate; empty selects all.
    pub messages: Vec<String>,
    /// The full names of the only fields to generate, in the messages that have these fields.
    pub only: Vec<String>,
    /// The full names of fields that are not generated.
    pub skip: Vec<String>,
    /// Whether records of fields that are not generated are kept among the unknown fields.
    pub keep_skipped: bool,
    /// The full names of messages that get straight code, or `*`.
    pub hot: Vec<String>,
    /// The full names of messages that are read and written by table, or `*`.
    pub cold: Vec<String>,
    /// `utf8=strict`: whether generated decoders check every string, whatever the schema says.
    pub strict: bool,
    /// `prost=`: the module with the code of prost, and the paths of other prefixes.
    pub prost: Vec<String>,
    /// `extern_path=`: the packages whose code is elsewhere. The option may be given several times.
    pub externs: Vec<ExternPath>,
    /// Attributes for types and fields. They have no spelling as a plugin's option, which a comma in an attribute would
    /// end.
    pub attributes: Vec<Attribute>,
    /// `quiet`: no note on the number of messages.
    pub quiet: bool,
    /// `runtime`, used only for the code that ships with the crate hotpb: whether files depend on the features that the
    /// crate has for them.
    pub runtime: bool,
    /// `emit_plan=FILE`, for plugins: the plan is one of the generated files. Without `faces=` it is the only one.
    pub emit_plan: Option<String>,
}

const ALLOWED: &str = "the options are faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, prost=, extern_path=, quiet and emit_plan=";

impl Default for Options {
    fn default() -> Options {
        Options {
            faces: vec![faces::DEFAULT_FACE],
            messages: Vec::new(),
            only: Vec::new(),
            skip: Vec::new(),
            keep_skipped: false,
            hot: Vec::new(),
            cold: Vec::new(),
            strict: false,
            prost: Vec::new(),
            externs: Vec::new(),
            attributes: Vec::new(),
            quiet: false,
            runtime: false,
            emit_plan: None,
        }
    }
}

impl Options {
    /// Reads a comma-separated parameter. It ignores nothing: an option that cannot be applied is an error.
    pub fn parse(parameter: &str) -> Result<Options, OptionError> {
        let mut options = Options::default();
        let mut given = Vec::new();
        for part in parameter.split(',').filter(|part| !part.is_empty()) {
            let (option, value) = part.split_once('=').unwrap_or((part, ""));
            if option != "extern_path" && given.contains(&option) {
                let (option, value) = (option.to_string(), value.to_string());
                return Err(OptionError { option, value, problem: "given twice".into() });
            }
            given.push(option);
            options.set(part)?;
        }
        if options.emit_plan.is_some() && !given.contains(&"faces") {
            options.faces.clear();
            options.check_plan_alone()?;
        }
        options.check_skipped()?;
        options.check_tiers()?;
        Ok(options)
    }

    /// Applies one option.
    fn set(&mut self, part: &str) -> Result<(), OptionError> {
        let (option, value) = part.split_once('=').unwrap_or((part, ""));
        let refuse =
            |problem: String| Err(OptionError { option: option.to_string(), value: value.to_string(), problem });
        match (option, value) {
            ("faces", value) if !value.is_empty() => match faces::select(value) {
                Ok(faces) => self.faces = faces,
                Err(problem) => return refuse(problem),
            },
            ("messages", value) if !value.is_empty() => {
                self.messages = value.split('+').map(str::to_string).collect();
                if self.messages.iter().any(|name| name.is_empty() || name.starts_with('.')) {
                    return refuse("write full names joined by +, as in messages=pkg.A+pkg.B".into());
                }
            }
            ("utf8", "schema") => self.strict = false,
            ("utf8", "strict") => self.strict = true,
            ("utf8", _) => return refuse("the values are schema and strict".into()),
            ("extern_path", value) if !value.is_empty() => {
                let new = ExternPath::parse(value)?;
                if self.externs.iter().any(|x| x.package == new.package) {
                    return refuse("the package has a path already".into());
                }
                self.externs.push(new);
            }
            ("emit_plan", "-") => {
                return refuse("standard output carries the response to protoc; write the name of a file".into());
            }
            ("emit_plan", value) if !value.is_empty() => {
                if !is_local(value) {
                    return refuse("write the name of a file inside the output folder".into());
                }
                self.emit_plan = Some(value.to_string());
            }
            ("only", value) if !value.is_empty() => self.only = value.split('+').map(str::to_string).collect(),
            ("skip", value) if !value.is_empty() => self.skip = value.split('+').map(str::to_string).collect(),
            ("hot" | "cold", value) if !value.is_empty() => {
                let names: Vec<_> = value.split('+').map(str::to_string).collect();
                if names.iter().any(String::is_empty) {
                    return refuse("write full names of messages joined by +".into());
                }
                *(if option == "hot" { &mut self.hot } else { &mut self.cold }) = names;
            }
            ("prost", value) if !value.is_empty() => self.prost = value.split('+').map(str::to_string).collect(),
            ("keep_skipped", _) if part == option => self.keep_skipped = true,
            ("runtime", _) if part == option => self.runtime = true,
            ("quiet", _) if part == option => self.quiet = true,
            ("keep_skipped" | "quiet", _) => return refuse("it has no value".into()),
            ("faces" | "messages" | "only" | "skip" | "hot" | "cold" | "prost" | "extern_path" | "emit_plan", _) => {
                return refuse(format!("the value is missing; {ALLOWED}"));
            }
            (face, "") if FACES.iter().any(|f| f.name == face) => {
                return refuse("a face is no option: join the names of faces with +, as in faces=pool+writer".into());
            }
            _ => return refuse(format!("there is no such option; {ALLOWED}")),
        }
        Ok(())
    }

    /// Checks that no option is given that matters for code only.
    fn check_plan_alone(&self) -> Result<(), OptionError> {
        let names = [&self.messages, &self.only, &self.skip, &self.hot, &self.cold];
        if !self.strict && names.iter().all(|names| names.is_empty()) {
            return Ok(());
        }
        let problem = "the plan alone does not depend on messages=, only=, skip=, hot=, cold= or utf8=; add faces= or remove them";
        let value = self.emit_plan.clone().unwrap_or_default();
        Err(OptionError { option: "emit_plan".into(), value, problem: problem.into() })
    }

    /// Checks that the faces support `only=` and `skip=`.
    fn check_skipped(&self) -> Result<(), OptionError> {
        let selects = [("only", &self.only), ("skip", &self.skip)].into_iter().filter(|(_, names)| !names.is_empty());
        if let (true, true, Some((option, names))) = (self.has("codec"), self.has("builder"), selects.clone().next()) {
            let problem = "a builder that is converted from prost's struct would lose these fields; leave builder out of faces=, or generate the codec in a unit of its own";
            return Err(OptionError { option: option.into(), value: names.join("+"), problem: problem.into() });
        }
        let encodes = FACES.iter().find(|f| f.encodes && self.has(f.name));
        if let (Some(face), Some((option, names)), false) = (encodes, selects.clone().next(), self.keep_skipped) {
            let problem = format!(
                "{0} would write messages without the fields that are left out; add keep_skipped, or leave {0} out of faces=",
                face.name
            );
            return Err(OptionError { option: option.into(), value: names.join("+"), problem });
        }
        if self.keep_skipped && selects.count() == 0 {
            let problem = "it needs only= or skip=".into();
            return Err(OptionError { option: "keep_skipped".into(), value: String::new(), problem });
        }
        Ok(())
    }

    /// Checks that a face has tiers.
    fn check_tiers(&self) -> Result<(), OptionError> {
        let given = [("hot", &self.hot), ("cold", &self.cold)].into_iter().find(|(_, names)| !names.is_empty());
        match given {
            Some((option, names)) if !self.has("pool") && !self.has("view") => Err(OptionError {
                option: option.into(),
                value: names.join("+"),
                problem:
                    "only pool and view have straight code and tables; add one of them to faces=, or remove the option"
                        .into(),
            }),
            _ => Ok(()),
        }
    }

    /// Reports whether a face or extra is requested.
    pub fn has(&self, face: &str) -> bool {
        self.faces.contains(&face)
    }
}

/// Reports whether a path stays inside the folder it is relative to, on every operating system.
pub(crate) fn is_local(path: &str) -> bool {
    let odd = path.bytes().any(|b| b == b'\\' || b == b':' || b.is_ascii_control());
    !odd && !path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = Options::parse("messages=a.B+c.D,utf8=strict,faces=builder+pool").unwrap();
        assert_eq!(options.messages, ["a.B", "c.D"]);
        assert!(options.strict);
        assert_eq!(options.faces, ["pool", "builder"]);
        assert_eq!(Options::parse("").unwrap(), Options::default());
        let tiers = Options::parse("hot=a.B+*,cold=c.D").unwrap();
        assert_eq!((tiers.hot, tiers.cold), (vec!["a.B".into(), "*".into()], vec!["c.D".into()]));
        let selected = Options::parse("only=a.B.c+a.B.d,skip=e.F.g,keep_skipped,faces=pool+builder").unwrap();
        assert_eq!((selected.only, selected.skip), (vec!["a.B.c".into(), "a.B.d".into()], vec!["e.F.g".into()]));
        assert!(selected.keep_skipped);
        let externs = Options::parse("extern_path=.a.b=::x::a,extern_path=.=crate::all").unwrap().externs;
        let externs: Vec<_> = externs.iter().map(|x| (x.package.as_str(), x.path.as_str())).collect();
        assert_eq!(externs, [("a.b", "::x::a"), ("", "crate::all")]);
        let plan_alone = Options::parse("emit_plan=p/x.json").unwrap();
        assert_eq!((plan_alone.emit_plan.as_deref(), plan_alone.faces.len()), (Some("p/x.json"), 0));
    }

    #[test]
    fn bad_options_are_refused_with_name_value_and_what_is_allowed() {
        for (parameter, expected) in [
            (
                "faces=json",
                "option faces=json: the face \"json\" is not in this version of the Rust generator; it has pool, builder, visitor, writer, view, codec",
            ),
            ("faces=builder", "option faces=builder: builder needs pool: write faces=pool+builder"),
            ("faces=pool+pool", "option faces=pool+pool: pool is named twice"),
            (
                "faces=",
                "option faces=: the value is missing; the options are faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, prost=, extern_path=, quiet and emit_plan=",
            ),
            (
                "faces",
                "option faces=: the value is missing; the options are faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, prost=, extern_path=, quiet and emit_plan=",
            ),
            ("messages=a.B+", "option messages=a.B+: write full names joined by +, as in messages=pkg.A+pkg.B"),
            ("utf8=off", "option utf8=off: the values are schema and strict"),
            (
                "skip=",
                "option skip=: the value is missing; the options are faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, prost=, extern_path=, quiet and emit_plan=",
            ),
            ("keep_skipped", "option keep_skipped=: it needs only= or skip="),
            ("skip=a.B.c,keep_skipped=", "option keep_skipped=: it has no value"),
            ("quiet=yes", "option quiet=yes: it has no value"),
            ("skip=a.B.c,keep_skipped=yes", "option keep_skipped=yes: it has no value"),
            (
                "faces=pool+builder,only=a.B.c+a.B.d",
                "option only=a.B.c+a.B.d: builder would write messages without the fields that are left out; add keep_skipped, or leave builder out of faces=",
            ),
            (
                "paths=import",
                "option paths=import: there is no such option; the options are faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, prost=, extern_path=, quiet and emit_plan=",
            ),
            (
                "faces=pool,writer",
                "option writer=: a face is no option: join the names of faces with +, as in faces=pool+writer",
            ),
            (
                "emit_plan=-",
                "option emit_plan=-: standard output carries the response to protoc; write the name of a file",
            ),
            ("emit_plan=../x", "option emit_plan=../x: write the name of a file inside the output folder"),
            (
                "emit_plan=x,skip=a.B.c",
                "option emit_plan=x: the plan alone does not depend on messages=, only=, skip=, hot=, cold= or utf8=; add faces= or remove them",
            ),
            ("hot=a.B+", "option hot=a.B+: write full names of messages joined by +"),
            (
                "cold=",
                "option cold=: the value is missing; the options are faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, prost=, extern_path=, quiet and emit_plan=",
            ),
            (
                "faces=writer,hot=a.B",
                "option hot=a.B: only pool and view have straight code and tables; add one of them to faces=, or remove the option",
            ),
            ("utf8=strict,utf8=strict", "option utf8=strict: given twice"),
            (
                "extern_path=.a",
                "option extern_path=.a: write a package and the module that has its code, as in extern_path=.google.api=::google_api",
            ),
            ("extern_path=a=::a", "option extern_path=a=::a: the package begins with a dot, as in .google.api"),
            (
                "extern_path=.a=a::b",
                "option extern_path=.a=a::b: the path of the module begins with :: or crate, as in ::google_api or crate::api",
            ),
            ("extern_path=.a=::a,extern_path=.a=::b", "option extern_path=.a=::b: the package has a path already"),
        ] {
            assert_eq!(Options::parse(parameter).unwrap_err().to_string(), expected);
        }
    }
}
