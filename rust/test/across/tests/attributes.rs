//! Attributes that `build.rs` adds to types and fields (FCE-41). Alignment shows which types have one.

use hotpb_tests_across::attributes::{TEXT, attributes::*};

#[test]
fn types_have_the_attributes_of_their_paths() {
    // `.attributes.Outer` also means the messages and oneofs inside it; `One` is the last part of a oneof's name.
    assert_eq!((align_of::<OuterBuilder>(), align_of::<outer::InnerBuilder>()), (64, 64));
    assert_eq!(align_of::<outer::OneBuilder>(), 32);
    assert_eq!((align_of::<OtherBuilder>(), align_of::<Outer<'_>>()), (align_of::<usize>(), align_of::<usize>()));
    // The attributes stand where they belong, in their order; texts in quotes do not change.
    let colour = TEXT.split("__enum!").nth(1).unwrap().split("Colour, ").next().unwrap();
    assert!(colour.contains(r#"#[must_use = "a : b & c !"]"#), "{colour}");
    assert_eq!(TEXT.matches("must_use").count(), 1, "{TEXT}");
}

#[test]
fn fields_and_members_have_the_attributes_of_their_paths() {
    // In Outer `number` and the member `b` are deprecated, in Other they are not.
    #[expect(deprecated)]
    let number = OuterBuilder::default().number;
    #[expect(deprecated)]
    let b = outer::OneBuilder::B("b".into());
    assert_eq!(number + OtherBuilder::default().number, 0);
    // The path of a member as prost-build has it, inside the oneof.
    #[expect(deprecated)]
    let a = outer::OneBuilder::A(1);
    assert_ne!(b, a);
    // The field that holds the oneof `held`. A path without a dot in front is not for what is inside, the members.
    #[expect(deprecated)]
    let held = HolderBuilder::default().held;
    let scalar = holder::HeldBuilder::A(1);
    assert_ne!(held, Some(scalar));
}
