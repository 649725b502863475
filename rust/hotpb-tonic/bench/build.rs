//! Generates hotpb's and prost's code for `proto/prometheus`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (file, folder) = ("prometheus/remote.proto", "../../../proto");
    hotpb_build::Config::new()
        .faces(["pool", "builder", "writer"])
        .compile(&[format!("{folder}/{file}")], &[folder])?;
    prost_build::Config::new().compile_fds(protox::compile([file], [folder])?)?;
    Ok(())
}
