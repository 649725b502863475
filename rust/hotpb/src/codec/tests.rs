//! Hostile callers and senders of the codec face: a struct and its `Reuse` after damaged messages, in any order.

use super::{DecodeOptions, Reuse, Root};
use crate::Code;
use crate::wire::check::{FieldSchema, Kind, MessageSchema};
use crate::wire::{self, LEN, MAX_DEPTH};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A message in the shape of prost's structs, with a place of every kind for its own type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    text: String,
    next: Option<Box<Node>>,
    all: Vec<Node>,
    words: Vec<String>,
    by_key: BTreeMap<i32, Node>,
    remote: Option<Box<Node>>,
    pick: Option<Pick>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Pick {
    Node(Box<Node>),
    Word(String),
}

static ENTRY: MessageSchema = MessageSchema::new(
    "Node.ByKeyEntry",
    &[FieldSchema::new(1, "key", Kind::Int32), FieldSchema::new(2, "value", Kind::Message).child(&NODE)],
);

static NODE: MessageSchema = MessageSchema::new(
    "Node",
    &[
        FieldSchema::new(1, "text", Kind::Utf8),
        FieldSchema::new(2, "next", Kind::Message).child(&NODE),
        FieldSchema::new(3, "all", Kind::Message).repeated().child(&NODE),
        FieldSchema::new(4, "words", Kind::Utf8).repeated(),
        FieldSchema::new(5, "by_key", Kind::Map).repeated().child(&ENTRY),
        FieldSchema::new(6, "remote", Kind::Message).child(&NODE),
        FieldSchema::new(7, "node", Kind::Message).child(&NODE),
        FieldSchema::new(8, "word", Kind::Utf8),
    ],
);

crate::__spares! { Spares; node Node; }

crate::__codec! {
    /// The message as prost would have it.
    NodeCodec NodeReuse, Node, Spares, node, NODE, true;
    10 text Plain<Utf8>;
    18 next Maybe<Message<NodeCodec>>;
    26 all List<Message<NodeCodec>>;
    34 words List<Utf8>;
    42 by_key Map<Int32, Message<NodeCodec>>;
    50 remote Far<Maybe<Message<NodeCodec>>>;
    oneof pick [Pick] {
        58 Node Message<NodeCodec>;
        66 Word Utf8;
    }
}

/// Returns the number of levels of a struct.
fn depth(node: &Node) -> usize {
    let picked = match &node.pick {
        Some(Pick::Node(node)) => Some(&**node),
        _ => None,
    };
    let below = node.next.as_deref().into_iter().chain(&node.all).chain(node.by_key.values());
    1 + below.chain(node.remote.as_deref()).chain(picked).map(depth).max().unwrap_or_default()
}

/// Returns whether this text is anywhere in the struct.
fn has(node: &Node, text: &str) -> bool {
    let mut found = false;
    let mut look = |s: &String| found |= s == text;
    look(&node.text);
    node.words.iter().for_each(&mut look);
    let mut below: Vec<&Node> = node.next.as_deref().into_iter().chain(&node.all).chain(node.by_key.values()).collect();
    below.extend(node.remote.as_deref());
    match &node.pick {
        Some(Pick::Node(node)) => below.push(node),
        Some(Pick::Word(word)) => look(word),
        None => {}
    }
    found || below.into_iter().any(|node| has(node, text))
}

fn field(number: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::append_tag(&mut bytes, number, LEN);
    wire::append_bytes(&mut bytes, payload);
    bytes
}

/// Wraps bytes in a message `levels` times.
fn nested(inner: &[u8], number: u32, levels: usize) -> Vec<u8> {
    (0..levels).fold(inner.to_vec(), |bytes, _| match number {
        5 => field(5, &field(2, &bytes)),
        number => field(number, &bytes),
    })
}

/// The fields that hold a message: each way down.
const WAYS: [u32; 5] = [2, 3, 5, 6, 7];

/// The levels below the root that the way has room for.
fn room(way: u32, levels: usize) -> usize {
    if way == 5 { levels / 2 } else { levels }
}

/// RCL-1. Each message leads to a level that was used before, and ends there with an error.
#[test]
fn damaged_messages_never_make_a_struct_deeper_than_the_limit() {
    let (depth_limit, rounds) = if cfg!(miri) { (8, 1) } else { (MAX_DEPTH, 20) };
    let options = DecodeOptions { depth: depth_limit, ..DecodeOptions::default() };
    let levels = depth_limit as usize;
    let faults: [&[u8]; 3] = [&[0x0a, 5], &[0x0a, 1, 0xff], &[0x12, 0, 0xc6, 0x3e]];
    for first in WAYS {
        for second in WAYS.into_iter().filter(|&second| !cfg!(miri) || first <= second && second - first < 3) {
            let (mut reuse, mut node) = (NodeReuse::new(), Node::default());
            for round in 0..rounds {
                for (way, last) in [(first, second), (second, first)] {
                    let fault = faults[round % faults.len()];
                    let inner = nested(fault, last, 1);
                    let bytes = nested(&inner, way, room(way, levels - 2));
                    let merge = round % 4 == 3;
                    let done = match merge {
                        true => reuse.merge_with(&mut node, &bytes, &options),
                        false => reuse.decode_with(&mut node, &bytes, &options),
                    };
                    assert!(done.is_err(), "{way} {last}");
                    assert!(depth(&node) <= levels + 1, "{} levels by {way} and {last}", depth(&node));
                    // One level too many.
                    let deeper = nested(&nested(&[], last, 2), way, levels - 1);
                    let error = reuse.decode_with(&mut node, &deeper, &options).unwrap_err();
                    assert_eq!(error.code(), Code::DepthExceeded);
                    assert!(depth(&node) <= levels + 1, "{} levels by {way} and {last}", depth(&node));
                    // The struct's old content waits in the `Reuse`.
                    reuse.decode_with(&mut node, &[], &options).unwrap();
                    assert_eq!(node, Node::default());
                }
            }
            // The `Reuse` has no deeper parts, either: they would come to light here.
            let good = nested(&[], first, room(first, levels));
            reuse.decode_with(&mut node, &good, &options).unwrap();
            let mut fresh = Node::default();
            NodeReuse::new().decode_with(&mut fresh, &good, &options).unwrap();
            assert_eq!(node, fresh);
        }
    }
}

/// RCL-9. A struct takes whichever stack is there: no option says how much that is.
#[test]
#[cfg_attr(miri, ignore = "Miri's threads have no stack to overflow")]
fn a_thread_of_one_mebibyte_decodes_and_drops_the_deepest_struct() {
    let levels = MAX_DEPTH as usize;
    let run = move |way: u32| {
        let options = DecodeOptions::default();
        let (mut reuse, mut node) = (NodeReuse::new(), Node::default());
        for _ in 0..2 {
            reuse.decode_with(&mut node, &nested(&[], way, room(way, levels)), &options).unwrap();
            assert_eq!(depth(&node), room(way, levels) + 1);
        }
        reuse.merge_with(&mut node, &nested(&[], way, room(way, levels)), &options).unwrap();
        let error = reuse.decode_with(&mut node, &nested(&[], way, room(way, levels) + 1), &options).unwrap_err();
        assert_eq!(error.code(), Code::DepthExceeded);
    };
    for way in WAYS {
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || run(way)).unwrap();
        thread.join().unwrap();
    }
}

/// A message with this text in each of its places.
fn full(text: &str) -> Vec<u8> {
    let leaf = [field(1, text.as_bytes()), field(4, text.as_bytes())].concat();
    let entry = [&[8, 1][..], &field(2, &leaf)].concat();
    let word = field(8, text.as_bytes());
    [
        &leaf[..],
        &field(2, &leaf),
        &field(3, &leaf),
        &field(3, &word),
        &field(5, &entry),
        &field(6, &word),
        &field(7, &leaf),
    ]
    .concat()
}

/// RCL-2.
#[test]
fn after_an_error_nothing_of_an_older_message_is_left() {
    let (old, new) = (full("old"), full("new"));
    let deep = [&field(3, &old), &field(2, &old), &field(7, &old), &old[..]].concat();
    let (mut reuse, mut node) = (NodeReuse::new(), Node::default());
    for end in (0..new.len()).step_by(if cfg!(miri) { 29 } else { 1 }) {
        for damage in [&[][..], &[0x07], &[0x12, 1], &[0x1a, 2, 0x0a, 9], &[0x32, 2, 0x0a, 9], &[0x3a, 1, 0x0a]] {
            reuse.decode(&mut node, &deep).unwrap();
            assert!(has(&node, "old"));
            let bytes = [&new[..end], damage].concat();
            let done = reuse.decode(&mut node, &bytes);
            assert!(!has(&node, "old"), "{bytes:02x?}: {done:?} {node:?}");
            if done.is_ok() {
                let mut fresh = Node::default();
                NodeReuse::new().decode(&mut fresh, &bytes).unwrap();
                assert_eq!(node, fresh, "{bytes:02x?}");
            }
            // A merge that fails keeps the old content, and adds nothing of older messages.
            let mut own = Node { words: vec!["own".into()], ..Node::default() };
            if reuse.merge(&mut own, &bytes).is_err() {
                assert!(has(&own, "own") && !has(&own, "old"), "{bytes:02x?}: {own:?}");
            }
        }
    }
}

/// RCL-3. A `Reuse` belongs to no struct: programs exchange, replace and forget both.
#[test]
fn structs_that_were_moved_exchanged_or_built_by_hand_are_as_good_as_new() {
    let bodies = [full("a"), nested(&full("b"), 3, 3), full("c"), nested(&[], 7, 5), Vec::new()];
    let mut fresh = Vec::new();
    for body in &bodies {
        let mut node = Node::default();
        NodeReuse::new().decode(&mut node, body).unwrap();
        fresh.push(node);
    }
    let (mut reuse, mut created) = (NodeReuse::new(), NodeReuse::default());
    let mut nodes = vec![Node::default(); 3];
    let mut parked = Vec::new();
    for turn in 0..if cfg!(miri) { 24 } else { 400 } {
        let (at, body) = (turn % 3, turn % bodies.len());
        let reuse = if turn % 4 == 0 { &mut created } else { &mut reuse };
        reuse.decode(&mut nodes[at], &bodies[body]).unwrap();
        assert_eq!(nodes[at], fresh[body], "{turn}");
        match turn % 7 {
            0 => parked.push(core::mem::take(&mut nodes[at])),
            1 => nodes.swap(0, 2),
            2 => forget(core::mem::take(reuse)),
            3 => nodes[at].all.extend(parked.pop()),
            4 => nodes[at].next = Some(Box::new(fresh[0].clone())),
            5 => nodes[at].by_key.values_mut().for_each(|value| value.words.clear()),
            _ => reuse.clear(),
        }
    }
    forget(created);
}

/// Miri reports every leak, also one on purpose.
fn forget<T>(value: T) {
    if cfg!(miri) { drop(value) } else { core::mem::forget(value) }
}

/// The type is what a program names; nothing else may be needed for it.
#[test]
fn the_reuse_of_a_codec_prints_its_message() {
    assert_eq!(alloc::format!("{:?}", Reuse::<NodeCodec>::new()), "Reuse<Node>");
    let _: fn() -> <NodeCodec as Root>::Struct = Node::default;
}
