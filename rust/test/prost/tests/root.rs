//! prost's packages as modules of the crate's root, `.prost(["crate"])`; and the root of all tests, which are one program,
//! because each would link the library once more.

#![allow(missing_docs)]

mod convert;
mod memory;
mod names;
mod pbjson;
mod random;
mod skipped;
mod spelling;
mod vectors;

include!(concat!(env!("OUT_DIR"), "/at-root/prost/mod.rs"));

mod hot {
    include!(concat!(env!("OUT_DIR"), "/at-root/hotpb/hotpb.mod.rs"));
}

use at_root::inner::{Tree, tree};
use prost::Message as _;

/// COD-80.
#[test]
fn the_module_with_prosts_code_may_be_the_root_of_the_crate() {
    let leaf = |name: &str| Tree { name: name.into(), ..Tree::default() };
    let tree = Tree {
        children: vec![leaf("a"), leaf("b")],
        fruit: Some(tree::Fruit::Graft(Box::new(leaf("c")))),
        leaves: [("d".to_string(), tree::Leaf { number: 7 })].into(),
        ..leaf("root")
    };
    let bytes = tree.encode_to_vec();
    let (mut reuse, mut read) = (hot::at_root::inner::TreeReuse::new(), Tree::default());
    reuse.decode(&mut read, &bytes).unwrap();
    assert_eq!(read, tree);
    // And from and to the pool's side.
    let mut pool = hot::at_root::inner::TreePool::new();
    assert_eq!(Tree::from(pool.decode(&bytes).unwrap()), tree);
    assert_eq!(Tree::from(hot::at_root::inner::TreeBuilder::from(tree.clone())), tree);
}
