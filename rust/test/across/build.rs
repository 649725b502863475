use std::{env, fmt::Write, fs, path::PathBuf};

/// Writes a schema of 160 messages: each contains the next one, in one of four ways.
fn write_chain() -> PathBuf {
    let mut text = String::from("syntax = \"proto3\";\npackage chain;\n");
    for i in 0..160 {
        let next = format!("M{}", i + 1);
        let field = match i % 4 {
            0 => format!("{next} next = 1;"),
            1 => format!("repeated {next} next = 1;"),
            2 => format!("oneof held {{ {next} next = 1; }}"),
            _ => format!("map<int32, {next}> next = 1;"),
        };
        writeln!(text, "message M{i} {{ {field} }}").unwrap();
    }
    text.push_str("message M160 { int32 end = 1; }\n");
    let folder = PathBuf::from(env::var("OUT_DIR").unwrap()).join("proto");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("chain.proto"), text).unwrap();
    folder
}

fn main() -> Result<(), hotpb_build::Error> {
    let mut config = hotpb_build::Config::new();
    config.faces(["pool", "builder", "visitor", "writer", "view"]);
    config.clone().unit("built_in").compile(&["proto/built_in.proto"], &["proto"])?;
    let mut pools = hotpb_build::Config::new();
    pools.faces(["pool"]).hot(["*"]).unit("chain").compile(&["chain.proto"], &[write_chain()])?;
    // More than 16 fields are by table, unless an option says otherwise.
    config.clone().hot(["*"]).unit("hot").compile(&["proto/built_in.proto"], &["proto"])?;
    config
        .clone()
        .message_attribute(".attributes.Outer", "#[repr(align(64))]")
        .type_attribute("Outer.one", "#[repr(align(32))]")
        .enum_attribute(".attributes.Colour", "#[must_use = \"a : b & c !\"]")
        .field_attribute("Outer.number", "#[deprecated]")
        .field_attribute(".attributes.Outer.b", "#[deprecated]")
        .field_attribute("Outer.one.a", "#[deprecated]")
        .field_attribute("Holder.held", "#[deprecated]")
        .unit("attributes")
        .compile(&["proto/attributes.proto"], &["proto"])?;
    // `.shared` also has the package `shared.units`.
    let across = ["proto/across/scene.proto"];
    let includes = ["proto", "../imported/proto"];
    config.clone().extern_path(".shared", "::hotpb_tests_imported::shared").compile(&across, &includes)?;
    // The same messages in one unit, to compare with.
    config.unit("together").compile(&across, &includes)
}
