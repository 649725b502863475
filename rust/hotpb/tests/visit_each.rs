//! `Records::visit_each` calls the same methods as `next_record` with a visit of each record, and reports the same errors:
//! for messages of two strings, which it reads in one step, for others, and for any mixture (POL-15).

use hotpb::pool::{Flow, Records, VisitError};
use hotpb::wkt::google::protobuf::{ApiPool, ApiVisitor, Mixin, MixinVisitor, Option, OptionVisitor};

/// The calls of a visitor; after so many, it stops.
struct Calls {
    each: bool,
    left: usize,
    seen: Vec<String>,
}

impl Calls {
    fn call(&mut self, entry: String) -> Flow<&'static str> {
        self.left = self.left.checked_sub(1).ok_or("enough")?;
        self.seen.push(entry);
        Ok(())
    }
}

impl<'a> ApiVisitor<'a> for Calls {
    type Error = &'static str;
    fn mixins(&mut self, mixins: &mut Records<'a, '_, Mixin<'static>>) -> Flow<&'static str> {
        if self.each {
            return mixins.visit_each(self, |calls| calls.call("mixin".into()));
        }
        while let Some(mixin) = mixins.next_record() {
            self.call("mixin".into())?;
            mixin.visit(self)?;
        }
        Ok(())
    }
    fn options(&mut self, options: &mut Records<'a, '_, Option<'static>>) -> Flow<&'static str> {
        if self.each {
            return options.visit_each(self, |calls| calls.call("option".into()));
        }
        while let Some(option) = options.next_record() {
            self.call("option".into())?;
            option.visit(self)?;
        }
        Ok(())
    }
    fn version(&mut self, version: &'a str) -> Flow<&'static str> {
        self.call(format!("version {version}"))
    }
}

impl<'a> MixinVisitor<'a> for Calls {
    type Error = &'static str;
    fn name(&mut self, name: &'a str) -> Flow<&'static str> {
        self.call(format!("name {name}"))
    }
    fn root(&mut self, root: &'a str) -> Flow<&'static str> {
        self.call(format!("root {root}"))
    }
}

impl<'a> OptionVisitor<'a> for Calls {
    type Error = &'static str;
    fn name(&mut self, name: &'a str) -> Flow<&'static str> {
        self.call(format!("option's name {name}"))
    }
}

fn record(tag: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    hotpb::wire::append_bytes(&mut out, payload);
    out
}

fn visit(bytes: &[u8], each: bool, left: usize) -> (Vec<String>, Result<(), VisitError<&'static str>>) {
    let mut calls = Calls { each, left, seen: Vec::new() };
    let result = ApiPool::visit(bytes, &mut calls);
    (calls.seen, result)
}

/// Records of `Api`: pairs, and records that are nearly one.
fn pieces() -> Vec<Vec<u8>> {
    let pair = |a: &[u8], b: &[u8]| [record(0x0a, a), record(0x12, b)].concat();
    let long = vec![b'x'; 130];
    vec![
        record(0x32, &pair(b"a", b"bc")),
        record(0x32, &pair(b"", b"")),
        record(0x32, &pair("ä".as_bytes(), b"b")),
        record(0x32, &pair(&long, b"b")),
        record(0x32, &record(0x0a, b"alone")),
        record(0x32, &record(0x12, b"alone")),
        record(0x32, &[record(0x12, b"b"), record(0x0a, b"a")].concat()),
        record(0x32, &[pair(b"a", b"b"), record(0x0a, b"again")].concat()),
        record(0x32, &[pair(b"a", b"b"), vec![0x78, 1]].concat()),
        record(0x32, &[vec![0x8a, 0x00, 1, b'o'], record(0x12, b"b")].concat()),
        record(0x32, b""),
        record(0x22, b"1"),
        record(0x1a, &record(0x0a, b"o")),
        record(0x1a, &[record(0x12, &record(0x0a, b"url")), record(0x0a, b"o")].concat()),
        // Not valid.
        record(0x32, &pair(b"\xff", b"b")),
        record(0x32, b"\x0a\x01a\x12\x05b"),
        record(0x32, b"\x0a\x01a\x12\x00\x00"),
        vec![0x32, 0x06, 0x0a, 0x01, b'a'],
    ]
}

#[test]
fn it_is_a_visit_of_each_record() {
    let pieces = pieces();
    let mut state = 1u64;
    let mut errors = 0;
    for _ in 0..4000 {
        let mut bytes = Vec::new();
        for _ in 0..1 + state % 7 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            bytes.extend(&pieces[(state >> 33) as usize % pieces.len()]);
        }
        let (seen, result) = visit(&bytes, false, usize::MAX);
        errors += usize::from(result.is_err());
        let (each, result_of_each) = visit(&bytes, true, usize::MAX);
        assert_eq!(result_of_each, result, "{bytes:02x?}");
        if result.is_ok() {
            assert_eq!(each, seen, "{bytes:02x?}");
            for left in 0..seen.len() {
                let stopped = visit(&bytes, true, left);
                assert_eq!(stopped, (seen[..left].to_vec(), Err(VisitError::Visitor("enough"))), "{bytes:02x?}");
            }
        } else {
            assert!(each.len() >= seen.len() || seen.starts_with(&each), "{bytes:02x?}");
            let mut pool = ApiPool::new();
            let error = pool.decode(&bytes).unwrap_err();
            assert_eq!(result, Err(VisitError::Decode(error)), "{bytes:02x?}");
        }
    }
    assert!((500..3500).contains(&errors), "{errors}");
}
