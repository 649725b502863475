fn main() -> Result<(), hotpb_build::Error> {
    hotpb_build::Config::new()
        .faces(["pool", "builder", "writer"])
        .extend(hotpb_tonic_build::Services::new())
        .compile(&["proto/loopback.proto"], &["proto"])?;
    // Stubs without the transport, with a codec of the crate's own.
    hotpb_build::Config::new()
        .unit("own")
        .extend(hotpb_tonic_build::Services::new().transport(false).default_stubs(true).codec("crate::StrictCodec"))
        .compile(&["proto/loopback.proto"], &["proto"])
}
