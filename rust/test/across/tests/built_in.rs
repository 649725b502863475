//! A field that has the name of a built-in method keeps its name; the method is a function of a trait then (FCE-39).

use hotpb::pool::{Encode, Flow, ProtoStr};
use hotpb::view::View;
use hotpb::writer::{VecBuffer, Writer};

macro_rules! every_face {
    ($module:ident) => {
        mod $module {
            use super::*;
            use hotpb_tests_across::$module::demo::*;

            fn written() -> Vec<u8> {
                let mut out = VecBuffer::new();
                let mut message = <BuiltInWriter<'_> as Writer>::new(&mut out);
                message.new(1).delimited(2).finish(3).status("ok").append_raw([5]).raw(6).from_raw(7).into_raw(8);
                message.extension(11).clone(12).table(13).side(14).encode_to_vec(15).encode_into(16).write(17);
                message.decode(21).default(22).from(23).encode(24).fill(25);
                message.decode_with(31).validate(32).check_initialized(33).as_bytes(34).scan(35).error(41).visit(42);
                write_count(&mut message, 100);
                let before = Writer::status(&message).unwrap();
                Writer::append_raw(&mut message, &[0xa2, 6, 1, 9]); // 100 with another wire type
                assert_eq!(Writer::finish(message).unwrap(), before + 4);
                out.into_vec().unwrap()
            }

            #[test]
            fn a_writer_has_fields_of_these_names() {
                let mut derived = VecBuffer::new();
                let mut message = DerivedWriter::new(&mut derived);
                message.append_raw(&[0x0a, 0]); // an encoded child
                Writer::append_raw(&mut message, &[0x0a, 0]); // encoded fields
                assert_eq!(message.finish().unwrap(), 6);
                assert_eq!(derived.bytes().unwrap(), [0x0a, 2, 0x0a, 0, 0x0a, 0]);

                let mut two = VecBuffer::new();
                <BuiltInWriter<'_> as Writer>::delimited(&mut two).new(1);
                assert_eq!(two.bytes().unwrap(), [2, 8, 1]);
            }

            #[test]
            fn a_handle_has_fields_of_these_names() {
                let (bytes, mut pool) = (written(), BuiltInPool::new());
                let m = pool.decode(&bytes).unwrap();
                assert_eq!(
                    (m.new(), m.delimited(), m.finish(), m.status().as_bytes(), m.append_raw()),
                    (1, 2, 3, &b"ok"[..], &[5][..])
                );
                assert_eq!((m.raw(), m.from_raw(), m.into_raw(), m.extension(), m.clone()), (6, 7, 8, 11, 12));
                assert_eq!((m.table(), m.side(), m.encode_to_vec(), m.encode_into(), m.write()), (13, 14, 15, 16, 17));
                assert_eq!((m.decode(), m.default(), m.from(), m.encode(), m.fill()), (21, 22, 23, 24, 25));
                assert_eq!((m.decode_with(), m.validate(), m.check_initialized(), m.as_bytes()), (31, 32, 33, 34));
                assert_eq!((m.scan(), m.error(), m.visit()), (35, 41, 42));
                assert!(m.has_new() && m.has_extension() && m.has_clone());
                assert_eq!(COUNT.read(m.unknown_fields()).unwrap(), Some(100));
                assert!(COUNT.is_in(m.unknown_fields()));
                assert_eq!(Encode::encode_to_vec(&m).unwrap(), bytes);
            }

            #[test]
            fn a_builder_has_fields_of_these_names() {
                let bytes = written();
                let built = <BuiltInBuilder as hotpb::pool::Builder>::decode(&bytes).unwrap();
                let copy = Clone::clone(&built);
                assert_eq!(
                    (copy.new, copy.extension, copy.status.unwrap().as_bytes()),
                    (Some(1), Some(11), &b"ok"[..])
                );
                assert_eq!(
                    (built.clone, built.default, built.from, built.encode),
                    (Some(12), Some(22), Some(23), Some(24))
                );
                assert_eq!(Clone::clone(&built), built);
                assert_eq!(built.encode_to_vec().unwrap(), bytes);
                assert_eq!(BuiltInBuilder::default().encode_to_vec().unwrap(), []);
            }

            #[test]
            fn a_view_has_fields_of_these_names() {
                let bytes = written();
                let v = <BuiltInView<'_> as View>::decode(&bytes).unwrap();
                assert_eq!((v.new(), v.finish(), v.status().as_bytes(), v.append_raw()), (1, 3, &b"ok"[..], &[5][..]));
                assert_eq!((v.raw(), v.extension(), v.clone(), v.scan(), v.decode()), (6, 11, 12, 35, 21));
                assert_eq!((v.decode_with(), v.validate(), v.check_initialized(), v.as_bytes()), (31, 32, 33, 34));
                assert!(v.has_extension());
                assert_eq!(View::extension(&v, &COUNT_VIEW).unwrap(), Some(100));
                assert!(View::has_extension(&v, &COUNT_VIEW));
                View::validate(&v).unwrap();
                View::check_initialized(&v).unwrap();
                assert_eq!(View::as_bytes(&v), bytes);
                assert_eq!(Clone::clone(&v).new(), 1);
            }

            #[derive(Default)]
            struct Sum(i32, Vec<u8>);
            impl<'a> BuiltInVisitor<'a> for Sum {
                type Error = std::convert::Infallible;
                fn new(&mut self, value: i32) -> Flow<Self::Error> {
                    self.0 += value;
                    Ok(())
                }
                fn status(&mut self, value: &'a ProtoStr) -> Flow<Self::Error> {
                    self.1.extend(value.as_bytes());
                    Ok(())
                }
                fn error(&mut self, value: i32) -> Flow<Self::Error> {
                    self.0 += value;
                    Ok(())
                }
                fn visit(&mut self, value: i32) -> Flow<Self::Error> {
                    self.0 += value;
                    Ok(())
                }
            }

            #[test]
            fn a_visitor_has_fields_of_these_names() {
                let mut sum = <Sum as Default>::default();
                BuiltInPool::visit(&written(), &mut sum).unwrap();
                assert_eq!((sum.0, &sum.1[..]), (84, &b"ok"[..]));
            }

            #[test]
            fn the_extension_of_a_message_without_such_fields_is_a_method() {
                let mut pool = DerivedPool::new();
                let _ = pool.decode(&[0x0a, 0]).unwrap().append().unwrap().has_append();
                fn of_a_message<'a>(
                    m: Derived<'a>,
                    x: &hotpb::pool::extension::Extension<
                        Derived<'static>,
                        hotpb::pool::extension::Singular<hotpb::pool::extension::Int32>,
                    >,
                ) {
                    assert!(!m.has_extension(x) && m.extension(x).unwrap().is_none());
                }
                let _ = of_a_message;
            }
        }
    };
}
every_face!(built_in);
every_face!(hot);
