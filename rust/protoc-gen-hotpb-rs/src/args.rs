//! The command line: flags of the form `--name=value`.

/// The arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// An encoded `FileDescriptorSet`.
    pub descriptor_set: String,
    /// The folder for the generated files.
    pub out: Option<String>,
    /// The files to generate; empty means all.
    pub files: Vec<String>,
    /// The options, in the form in which a plugin receives them.
    pub opt: String,
    /// The file for the plan; `-` is standard output.
    pub emit_plan: Option<String>,
}

const ALLOWED: &str =
    "the arguments are --descriptor_set=, --out=, --files=, --opt=, --emit_plan=, --help and --version";

/// Parses the arguments. Each may occur once, `--opt` several times.
pub fn parse(arguments: &[String]) -> Result<Args, String> {
    let mut args = Args::default();
    let mut given = Vec::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        if given.contains(&name) && name != "--opt" {
            return Err(format!("{name} is given twice"));
        }
        given.push(name);
        match name {
            "--descriptor_set" => args.descriptor_set = value.to_string(),
            "--out" => args.out = Some(value.to_string()),
            "--files" => args.files = value.split('+').map(str::to_string).collect(),
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
            "--opt=faces=pool",
            "--opt=utf8=strict",
        ]);
        let expected = Args {
            descriptor_set: "x.fds".into(),
            out: Some("o".into()),
            files: vec!["a.proto".into(), "b.proto".into()],
            opt: "faces=pool,utf8=strict".into(),
            emit_plan: None,
        };
        assert_eq!(args, Ok(expected));
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
