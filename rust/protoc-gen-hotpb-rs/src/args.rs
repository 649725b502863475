//! The command line: flags of the form `--name=value`.

/// The arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// An encoded `FileDescriptorSet`.
    pub descriptor_set: String,
    /// The folder for the generated files.
    pub out: Option<String>,
    /// The values of `--files`; empty means all files.
    pub files: Vec<String>,
    /// The options, in the form in which a plugin receives them.
    pub opt: String,
    /// The file for the plan; `-` is standard output.
    pub emit_plan: Option<String>,
}

const ALLOWED: &str =
    "the arguments are --descriptor_set=, --out=, --files=, --opt=, --emit_plan=, --help and --version";

/// Parses the arguments. Each may occur once, `--opt` and `--files` several times.
pub fn parse(arguments: &[String]) -> Result<Args, String> {
    let mut args = Args::default();
    let mut given = Vec::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        if given.contains(&name) && name != "--opt" && name != "--files" {
            return Err(format!("{name} is given twice"));
        }
        given.push(name);
        match name {
            "--descriptor_set" => args.descriptor_set = value.to_string(),
            "--out" => args.out = Some(value.to_string()),
            "--files" => args.files.push(value.to_string()),
            "--emit_plan" => args.emit_plan = Some(value.to_string()),
            "--opt" if args.opt.is_empty() => args.opt = value.to_string(),
            "--opt" => args.opt = format!("{},{value}", args.opt),
            _ => return Err(format!("there is no argument {argument}; {ALLOWED}")),
        }
        if value.is_empty() {
            return Err(format!("{name} needs a value, as in {name}=…; {ALLOWED}"));
        }
    }
    if args.descriptor_set.is_empty() {
        return Err("--descriptor_set=FILE is missing".into());
    }
    if args.out.is_none() && args.emit_plan.is_none() {
        return Err("--out=DIR or --emit_plan=FILE is missing".into());
    }
    Ok(args)
}

/// The files that the values of `--files` name: names of files in the set joined by `+`, which may be part of a name. Of
/// several readings, the one with the longest names counts. A name that is not in the set ends at its first `+`.
pub fn files_named(in_set: &[&str], values: &[String]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for value in values {
        let mut parts: &[&str] = &value.split('+').collect::<Vec<_>>();
        while !parts.is_empty() {
            let longest = (1..=parts.len()).rev().find(|&n| in_set.contains(&parts[..n].join("+").as_str()));
            let (name, rest) = parts.split_at(longest.unwrap_or(1));
            let name = name.join("+");
            if name.is_empty() {
                return Err(format!(
                    "--files={value}: write names of files of the set joined by +, as in --files=a.proto+b.proto"
                ));
            }
            names.push(name);
            parts = rest;
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Args, String> {
        parse(&arguments.iter().map(|a| a.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read() {
        let args = parsed(&[
            "--descriptor_set=x.fds",
            "--out=o",
            "--files=a.proto+b.proto",
            "--files=c++.proto",
            "--opt=faces=pool",
            "--opt=utf8=strict",
        ]);
        let expected = Args {
            descriptor_set: "x.fds".into(),
            out: Some("o".into()),
            files: vec!["a.proto+b.proto".into(), "c++.proto".into()],
            opt: "faces=pool,utf8=strict".into(),
            emit_plan: None,
        };
        assert_eq!(args, Ok(expected));
    }

    #[test]
    fn names_with_a_plus_and_blanks_are_those_of_the_set() {
        let set = ["c++api.proto", "my dir/a b.proto", "a.proto", "a.proto+", "b.proto", "+.proto"];
        for (value, expected) in [
            ("c++api.proto", &["c++api.proto"][..]),
            ("my dir/a b.proto", &["my dir/a b.proto"]),
            ("b.proto+c++api.proto", &["b.proto", "c++api.proto"]),
            ("c++api.proto+b.proto", &["c++api.proto", "b.proto"]),
            ("a.proto++b.proto", &["a.proto+", "b.proto"]),
            ("a.proto+b.proto", &["a.proto", "b.proto"]),
            ("b.proto++.proto", &["b.proto", "+.proto"]),
            ("x+z.proto", &["x", "z.proto"]),
        ] {
            assert_eq!(files_named(&set, &[value.into()]).unwrap(), expected, "{value}");
        }
        for value in ["b.proto++b.proto", "b.proto+", "+"] {
            let problem = files_named(&set, &[value.into()]).unwrap_err();
            assert!(problem.starts_with(&format!("--files={value}: write names of files of the set")), "{problem}");
        }
    }

    #[test]
    fn bad_arguments_are_refused_by_name() {
        for (arguments, expected) in [
            (&["--out=o"][..], "--descriptor_set=FILE is missing"),
            (&["--descriptor_set=x"], "--out=DIR or --emit_plan=FILE is missing"),
            (&["--descriptor_set=x", "--out"], "--out needs a value"),
            (&["--descriptor_set=x", "--descriptor_set=y"], "--descriptor_set is given twice"),
            (&["--plan=x"], "there is no argument --plan=x"),
            (&["x.fds"], "there is no argument x.fds"),
        ] {
            let problem = parsed(arguments).unwrap_err();
            assert!(problem.starts_with(expected), "{arguments:?}: {problem}");
        }
    }
}
