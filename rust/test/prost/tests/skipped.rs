//! `skip=` and `only=` beside the codec: fields that are left out stay unset in prost's structs, too (FCE-9).

use hotpb_prost_tests::skipped::at_root::inner as hot;
use hotpb_prost_tests::skipped::pb::at_root::inner::{Tree, tree};
use prost::Message;

fn full(depth: u32) -> Tree {
    Tree {
        name: format!("tree {depth}"),
        children: if depth > 0 { vec![full(depth - 1); 2] } else { Vec::new() },
        leaves: [("leaf".to_string(), tree::Leaf { number: 7 })].into(),
        fruit: Some(if depth == 1 {
            tree::Fruit::Word("fig".into())
        } else {
            tree::Fruit::Graft(Box::new(Tree { name: "graft".into(), ..Default::default() }))
        }),
    }
}

/// The same without the fields that are left out.
fn bare(full: &Tree) -> Tree {
    Tree { name: full.name.clone(), children: full.children.iter().map(bare).collect(), ..Default::default() }
}

#[test]
fn fields_that_are_left_out_are_unset_and_a_struct_with_them_loses_them() {
    let full = full(3);
    let bytes = full.encode_to_vec();
    let mut reuse = hot::TreeReuse::new();
    for mut message in [Tree::default(), full.clone(), full.children[0].clone()] {
        for _ in 0..2 {
            reuse.decode(&mut message, &bytes).unwrap();
            assert_eq!(message, bare(&full));
        }
        assert_eq!(message.encoded_len(), bare(&full).encoded_len());
    }
    let mut pool = hot::TreePool::new();
    assert_eq!(Tree::from(pool.decode(&bytes).unwrap()), bare(&full));
}

#[test]
fn records_that_are_left_out_are_checked_for_form_only() {
    let mut reuse = hot::TreeReuse::new();
    let mut message = Tree::default();
    reuse.decode(&mut message, b"\x22\x01\xff\x0a\x01a").unwrap(); // `word` is not UTF-8
    assert_eq!(message, Tree { name: "a".into(), ..Default::default() });
    // The path has the number of a field that is left out; the content begins at byte 5. The pool reports the same.
    let truncated = b"\x0a\x01a\x22\x05x";
    let error = reuse.decode(&mut message, truncated).unwrap_err().to_string();
    assert_eq!(error, "Truncated at byte 5: 4");
    assert_eq!(hot::TreePool::new().decode(truncated).unwrap_err().to_string(), error);
}
