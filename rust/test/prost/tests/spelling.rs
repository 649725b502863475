//! Every name that prost-build prints for a schema of odd names is a name of hotpb, too: FCE-5. The library does not
//! compile otherwise; these tests show that it compares them all.

use hotpb_prost_tests::spelled::{NAMES, values};

#[test]
fn the_values_of_prosts_constants_are_those_of_hotpb() {
    assert_eq!(values().len(), 40); // 41 values in the schema, of which prost leaves out one alias
    for (at, (own, stock)) in values().into_iter().enumerate() {
        assert_eq!(own, stock, "constant {at}");
    }
}

#[test]
fn the_names_of_all_kinds_are_compared() {
    for name in [
        "pogo_protos::rpc2_go::super_::x_1_y::HttpPing",
        "pogo_protos::rpc2_go::super_::x_1_y::HttpPing.a1b2c",
        "pogo_protos::rpc2_go::super_::x_1_y::HttpPing._123",
        "pogo_protos::rpc2_go::super_::x_1_y::http_ping::InnerKindOneOf._4th",
        "pogo_protos::rpc2_go::super_::x_1_y::http_ping::inner_kind::deep_message2::EnumInDeep.EnumInDeep1st",
        "pogo_protos::rpc2_go::super_::x_1_y::HttpStatus.HttpStatus2xx",
        "pogo_protos::rpc2_go::super_::x_1_y::Self_.self_",
        "pogo_protos::rpc2_go::super_::x_1_y::r#async::r#await::Dyn.Dyn",
        "httpap_iv2::r#gen::self_::extern_type::NestedType.choice",
    ] {
        assert!(NAMES.contains(&name), "{name} is not among {NAMES:#?}");
    }
    // 37 messages and groups, 10 oneofs, 8 enums; then 99 fields, 10 fields for the oneofs, their 21 members, and 40 values.
    let members = NAMES.iter().filter(|name| name.contains('.')).count();
    assert_eq!((NAMES.len() - members, members), (37 + 10 + 8, 99 + 10 + 21 + 40));
}
