fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (folder, files) = ("../../../../proto", ["prometheus/remote.proto", "prometheus/write/v2/types.proto"]);
    println!("cargo:rerun-if-changed={folder}/prometheus");
    prost_build::Config::new().compile_fds(protox::compile(files, [folder])?)?;
    Ok(())
}
