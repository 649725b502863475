//! The targets that need no stock runtime.

fn main() {
    hotpb_fuzz::drive::main(&hotpb_fuzz::TARGETS);
}
