//! One executable for all targets: `HOTPB_FUZZ_TARGET` names the one to run. Called by `rust/fuzz/libfuzzer.sh`.
#![no_main]

use hotpb_fuzz::{Run, target};
use hotpb_tests::mutate::Rng;
use std::cell::RefCell;

thread_local! {
    static RUN: RefCell<Run> = RefCell::new({
        let name = std::env::var("HOTPB_FUZZ_TARGET").expect("HOTPB_FUZZ_TARGET names a target");
        (target(&name).start)()
    });
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first_chunk() else { return };
    RUN.with_borrow_mut(|run| run(bytes, &mut Rng::new(u16::from_le_bytes(*choice) as u64)));
});
