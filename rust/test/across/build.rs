fn main() -> Result<(), hotpb_build::Error> {
    let mut config = hotpb_build::Config::new();
    config.faces(["pool", "builder", "visitor", "writer", "view"]);
    config.clone().unit("built_in").compile(&["proto/built_in.proto"], &["proto"])?;
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
    let includes = ["proto", "../shared/proto"];
    config.clone().extern_path(".shared", "::hotpb_tests_shared::shared").compile(&across, &includes)?;
    // The same messages in one unit, to compare with.
    config.unit("together").compile(&across, &includes)
}
