//! Messages that hold messages of another crate (FCE-40): the same results as in one unit.

use hotpb::pool::{DecodeOptions, Encode, Flow, Records};
use hotpb::view::{Scratch, View};
use hotpb::writer::VecBuffer;
use hotpb_tests_across::{apart, together};
use hotpb_tests_imported::shared;

use apart::across::{SceneBuilder, ScenePool, SceneView, SceneVisitor, SceneWriter, WidePool, WideWriter};

fn shape(w: &mut shared::ShapeWriter<'_>, depth: i32) {
    w.name("shape").tags("a").tags("b").numbers(&[1, 2, 300]);
    w.points(|p| {
        p.x(depth).y(-depth);
    });
    w.points(|p| {
        p.x(depth + 1);
    });
    w.time(|t| {
        t.seconds(5);
    });
    w.details(|d| {
        d.fields("k", |v| {
            v.string_value("v");
        });
        d.fields("k", |v| {
            v.number_value(1.5);
        });
    });
    w.length(|l| {
        l.value(2.5).unit(shared::units::Unit::Metre);
    });
    if depth % 2 == 0 {
        w.text("text");
    } else {
        w.point(|p| {
            p.x(7);
        });
    }
    w.inner(|i| {
        i.id(depth);
    });
    w.part(|p| {
        p.n(depth);
    });
    if depth > 0 {
        w.parts(|part| shape(part, depth - 1));
        for _ in 0..2 {
            w.named("same", |part| shape(part, depth - 1)); // the last one counts
        }
        w.named("other", |part| shape(part, depth - 1));
    }
    apart::across::write_weight(w, depth);
    apart::across::write_centre(w, |p: &mut shared::PointWriter<'_>| {
        p.x(1).y(2);
    });
    apart::across::write_scene(w, |s: &mut SceneWriter<'_>| {
        s.number(3);
    });
}

fn scene(w: &mut SceneWriter<'_>, depth: i32) {
    w.first(|s| shape(s, 1));
    w.first(|s| shape(s, 0)); // merges
    for depth in 0..3 {
        w.shapes(|s| shape(s, depth));
    }
    for key in ["x", "y", "x"] {
        w.by_name(key, |s| shape(s, 1));
    }
    w.units(1, shared::units::Unit::Metre).units(2, shared::units::Unit::None).units(1, shared::units::Unit::None);
    match depth % 4 {
        0 => w.shape(|s| shape(s, 0)),
        1 => w.point(|p| {
            p.x(4);
        }),
        2 => w.number(9),
        _ => w.inner(|i| {
            i.id(10);
        }),
    };
    for depth in 0..depth {
        w.scenes(|s| scene(s, depth));
    }
    w.unit(shared::units::Unit::None).several(shared::units::Unit::Metre).several(shared::units::Unit::None);
    w.time(|t| {
        t.seconds(1);
    });
    w.numbers(1).numbers(2);
    w.must(|m| {
        m.id(1);
    });
    w.part(|p| {
        p.n(2);
    });
}

fn written(depth: i32) -> Vec<u8> {
    let mut out = VecBuffer::new();
    let mut w = SceneWriter::new(&mut out);
    scene(&mut w, depth);
    w.finish().unwrap();
    out.into_vec().unwrap()
}

#[test]
fn pools_read_and_write_the_same_as_in_one_unit() {
    let (mut pool, mut twin) = (ScenePool::new(), together::across::ScenePool::new());
    // A smaller message follows: nothing of the larger one is left.
    for depth in [3, 0, 2, 1] {
        let bytes = written(depth);
        let (a, b) = (pool.decode(&bytes).unwrap(), twin.decode(&bytes).unwrap());
        let canonical = a.encode_to_vec().unwrap();
        assert_eq!(canonical, b.encode_to_vec().unwrap());
        assert_eq!(a.by_name().len(), 2, "keys are unique");
        assert_eq!(
            a.by_name().get(hotpb::pool::ProtoStr::new(b"x")).unwrap().named().len(),
            2,
            "keys of maps in the other unit are, too"
        );
        let details = a.shapes().iter().next().unwrap().details().unwrap();
        assert_eq!(details.fields().len(), 1, "and in a unit inside it");
        assert_eq!(details.fields().get("k").unwrap().number_value(), 1.5);
        let first: shared::Shape<'_> = a.first().unwrap();
        assert_eq!((first.points().len(), first.numbers().len(), first.tags().len()), (4, 6, 4));
        assert_eq!((first.name(), first.time().unwrap().seconds()), (shape_name(), 5));
        assert_eq!(first.length().unwrap().unit(), shared::units::Unit::Metre);
        assert_eq!(first.extension(&apart::across::WEIGHT).unwrap(), Some(0));
        let mut points = shared::PointPool::new();
        let centre = first.extension(&apart::across::CENTRE).unwrap().unwrap();
        assert_eq!(centre.decode(&mut points).unwrap().y(), 2);
        match (depth % 4, a.one().unwrap()) {
            (0, apart::across::scene::One::Shape(s)) => assert_eq!(s.text(), hotpb::pool::ProtoStr::new(b"text")),
            (1, apart::across::scene::One::Point(p)) => assert_eq!(p.x(), 4),
            (2, apart::across::scene::One::Number(n)) => assert_eq!(n, 9),
            (3, apart::across::scene::One::Inner(i)) => assert_eq!(i.id(), 10),
            (depth, _) => panic!("another member at depth {depth}"),
        }
        assert_eq!(pool.decode(&canonical).unwrap().encode_to_vec().unwrap(), canonical);
    }
    let kept = pool.memory();
    assert!(kept > 0);
    pool.shrink();
    assert_eq!(pool.memory(), 0, "memory of the other unit is freed, too");
}

fn shape_name() -> &'static hotpb::pool::ProtoStr {
    hotpb::pool::ProtoStr::new(b"shape")
}

#[test]
fn errors_are_the_same_as_in_one_unit() {
    let bytes = written(1);
    let (mut pool, mut twin) = (ScenePool::new(), together::across::ScenePool::new());
    for end in 0..bytes.len() {
        let cut = &bytes[..end];
        let (a, b) = (pool.decode(cut).map(|m| m.encode_to_vec()), twin.decode(cut).map(|m| m.encode_to_vec()));
        assert_eq!(a, b, "of the first {end} bytes");
        let view = SceneView::decode(cut).and_then(|view| view.validate());
        assert_eq!(view.err(), pool.decode_with(cut, &partial()).err(), "a view of the first {end} bytes");
    }
    // must.id is absent.
    let error = pool.decode(&[0x72, 0]).unwrap_err();
    assert_eq!((error.code(), error.path()), (hotpb::Code::MissingRequired, "must.id"));
    assert_eq!(error, twin.decode(&[0x72, 0]).unwrap_err());
    assert!(SceneView::decode(&[0x72, 0]).unwrap().check_initialized().is_err());
}

fn partial() -> DecodeOptions {
    DecodeOptions { allow_partial: true, ..DecodeOptions::default() }
}

#[test]
fn a_wide_message_that_holds_such_messages_works() {
    let mut out = VecBuffer::new();
    let mut w = WideWriter::new(&mut out);
    w.f1(1).f16("s");
    w.scene(|s| scene(s, 1));
    w.shapes(|s| shape(s, 2)).numbered(3, |s| shape(s, 1)).numbered(3, |s| shape(s, 0));
    w.finish().unwrap();
    let bytes = out.into_vec().unwrap();
    let (mut pool, mut twin) = (WidePool::new(), together::across::WidePool::new());
    let wide = pool.decode(&bytes).unwrap();
    assert_eq!((wide.numbered().len(), wide.scene().unwrap().shapes().len()), (1, 3));
    assert_eq!(wide.encode_to_vec().unwrap(), twin.decode(&bytes).unwrap().encode_to_vec().unwrap());
}

#[test]
fn builders_hold_builders_of_the_other_crate() {
    let bytes = written(2);
    let (mut pool, mut twin) = (ScenePool::new(), together::across::ScenePool::new());
    let mut built = SceneBuilder::from(pool.decode(&bytes).unwrap());
    let expected = together::across::SceneBuilder::from(twin.decode(&bytes).unwrap());
    assert!(built.encode_to_vec() == expected.encode_to_vec());
    assert_eq!(built.clone(), built);
    let added = shared::ShapeBuilder { name: Some("new".into()), ..Default::default() };
    built.shapes.push(added.clone());
    built.by_name.insert("new".into(), added);
    built.one =
        Some(apart::across::scene::OneBuilder::Point(shared::PointBuilder { x: Some(1), ..Default::default() }));
    let bytes = built.encode_to_vec().unwrap();
    let decoded = pool.decode(&bytes).unwrap();
    assert_eq!((decoded.shapes().len(), decoded.by_name().len(), decoded.point().unwrap().x()), (4, 3, 1));
}

#[derive(Default)]
struct Xs(Vec<i32>);
impl<'a> SceneVisitor<'a> for Xs {
    type Error = std::convert::Infallible;
    fn shapes(&mut self, records: &mut Records<'a, '_, shared::Shape<'static>>) -> Flow<Self::Error> {
        records.visit(self)
    }
    fn point(&mut self, records: &mut Records<'a, '_, shared::Point<'static>>) -> Flow<Self::Error> {
        records.visit(self)
    }
}
impl<'a> shared::ShapeVisitor<'a> for Xs {
    type Error = std::convert::Infallible;
    fn points(&mut self, records: &mut Records<'a, '_, shared::Point<'static>>) -> Flow<Self::Error> {
        records.visit(self)
    }
}
impl<'a> shared::PointVisitor<'a> for Xs {
    type Error = std::convert::Infallible;
    fn x(&mut self, value: i32) -> Flow<Self::Error> {
        self.0.push(value);
        Ok(())
    }
}

#[test]
fn visitors_go_into_messages_of_the_other_crate() {
    let mut xs = Xs::default();
    ScenePool::visit(&written(1), &mut xs).unwrap();
    assert_eq!(xs.0, [0, 1, 1, 2, 2, 3, 4]);
}

#[test]
fn views_open_messages_of_the_other_crate() {
    let bytes = written(1);
    let scratch = Scratch::new();
    let scene = SceneView::decode(&bytes).unwrap();
    scene.validate().unwrap();
    let first = scene.first().unwrap().open(&scratch).unwrap();
    assert_eq!((first.points().count(), first.name()), (4, shape_name()));
    assert_eq!(first.extension(&apart::across::WEIGHT_VIEW).unwrap(), Some(0));
    let names = scene.by_name().iter().count();
    assert!(names >= 2);
    for shape in scene.shapes() {
        let shape: shared::ShapeView<'_> = shape.open().unwrap();
        assert_eq!(shape.length().unwrap().open(&scratch).unwrap().unit(), shared::units::Unit::Metre);
    }
}
