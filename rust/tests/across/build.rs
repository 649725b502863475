fn main() -> Result<(), hotpb_build::Error> {
    let mut config = hotpb_build::Config::new();
    config.faces(["pool", "builder", "visitor", "writer", "view"]);
    config.clone().unit("built_in").compile(&["proto/built_in.proto"], &["proto"])?;
    // More than 16 fields are by table, unless an option says otherwise.
    config.hot(["*"]).unit("hot").compile(&["proto/built_in.proto"], &["proto"])
}
