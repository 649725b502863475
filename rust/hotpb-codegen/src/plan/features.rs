//! Edition features, resolved (PLN-5 … PLN-7).

use crate::descriptor::{Features, FileProto};
use crate::plan::{Syntax, Utf8};

/// The values of `google.protobuf.FeatureSet` that are used here.
mod value {
    pub const EXPLICIT: i32 = 1;
    pub const IMPLICIT: i32 = 2;
    pub const LEGACY_REQUIRED: i32 = 3;
    pub const OPEN: i32 = 1;
    pub const CLOSED: i32 = 2;
    pub const PACKED: i32 = 1;
    pub const EXPANDED: i32 = 2;
    pub const VERIFY: i32 = 2;
    pub const NONE: i32 = 3;
    pub const LENGTH_PREFIXED: i32 = 1;
    pub const DELIMITED: i32 = 2;
}
use value::*;

/// The features of one element, all set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    values: Features,
    /// Whether elements inside may change them, as in editions.
    inherits: bool,
}

/// Returns the syntax of a file and its initial features; otherwise the error.
pub(crate) fn of_file(file: &FileProto) -> Result<(Syntax, Resolved), String> {
    let fixed = |field_presence, enum_type, repeated_field_encoding, utf8_validation| Resolved {
        values: Features {
            field_presence,
            enum_type,
            repeated_field_encoding,
            utf8_validation,
            message_encoding: LENGTH_PREFIXED,
        },
        inherits: false,
    };
    let (syntax, start) = match (file.syntax.as_str(), file.edition) {
        ("" | "proto2", _) => (Syntax::Proto2, fixed(EXPLICIT, CLOSED, EXPANDED, NONE)),
        ("proto3", _) => (Syntax::Proto3, fixed(IMPLICIT, OPEN, PACKED, VERIFY)),
        ("editions", edition @ (1000 | 1001)) => {
            let syntax = if edition == 1000 { Syntax::Edition2023 } else { Syntax::Edition2024 };
            (syntax, Resolved { inherits: true, ..fixed(EXPLICIT, OPEN, PACKED, VERIFY) })
        }
        ("editions", other) => return Err(format!("edition {other} is not supported")),
        (other, _) => return Err(format!("syntax {other:?} is not supported")),
    };
    Ok((syntax, start.merged(&file.features)?))
}

impl Resolved {
    /// Applies an element's own features on top of these; otherwise names the feature that descriptor.proto does not
    /// define.
    pub fn merged(mut self, own: &Features) -> Result<Resolved, String> {
        if !self.inherits {
            return Ok(self);
        }
        let v = &mut self.values;
        set(&mut v.field_presence, own.field_presence, "field_presence", &[EXPLICIT, IMPLICIT, LEGACY_REQUIRED])?;
        set(&mut v.enum_type, own.enum_type, "enum_type", &[OPEN, CLOSED])?;
        set(
            &mut v.repeated_field_encoding,
            own.repeated_field_encoding,
            "repeated_field_encoding",
            &[PACKED, EXPANDED],
        )?;
        set(&mut v.utf8_validation, own.utf8_validation, "utf8_validation", &[VERIFY, NONE])?;
        set(&mut v.message_encoding, own.message_encoding, "message_encoding", &[LENGTH_PREFIXED, DELIMITED])?;
        Ok(self)
    }

    pub fn required(&self) -> bool {
        self.values.field_presence == LEGACY_REQUIRED
    }

    pub fn explicit(&self) -> bool {
        self.values.field_presence == EXPLICIT
    }

    pub fn closed(&self) -> bool {
        self.values.enum_type == CLOSED
    }

    pub fn delimited(&self) -> bool {
        self.values.message_encoding == DELIMITED
    }

    pub fn utf8(&self) -> Utf8 {
        if self.values.utf8_validation == VERIFY { Utf8::Verify } else { Utf8::None }
    }

    /// `option` is the field's own `packed`, which has an effect in proto2 and proto3 only.
    pub fn packed(&self, option: Option<bool>) -> bool {
        let feature = self.values.repeated_field_encoding == PACKED;
        if self.inherits { feature } else { option.unwrap_or(feature) }
    }

    /// Returns the five values, in the order of `FeatureSet`.
    #[cfg(test)]
    pub fn numbers(&self) -> [i32; 5] {
        let v = self.values;
        [v.field_presence, v.enum_type, v.repeated_field_encoding, v.utf8_validation, v.message_encoding]
    }
}

fn set(to: &mut i32, own: i32, name: &str, known: &[i32]) -> Result<(), String> {
    match own {
        0 => {}
        own if known.contains(&own) => *to = own,
        own => return Err(format!("feature {name} has the unknown value {own}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hotpb::wire::Reader;
    use std::collections::BTreeMap;

    /// The output of `protoc --edition_defaults_out --edition_defaults_minimum=PROTO2 --edition_defaults_maximum=2024`,
    /// protoc 36.2, for descriptor.proto.
    const DEFAULTS: &[u8] = include_bytes!("../../testdata/edition_defaults.binpb");

    fn fields<'a>(bytes: &'a [u8], mut on: impl FnMut(u32, u64, &'a [u8])) {
        let mut reader = Reader::new(bytes);
        while let Some(tag) = reader.tag().unwrap() {
            match tag & 7 {
                0 => on(tag >> 3, reader.varint().unwrap(), &[]),
                2 => on(tag >> 3, 0, reader.bytes().unwrap()),
                _ => reader.skip(tag).unwrap(),
            }
        }
    }

    /// Maps an edition to the five features, with overridable and fixed ones combined.
    fn defaults() -> BTreeMap<u64, [i32; 5]> {
        let mut defaults = BTreeMap::new();
        fields(DEFAULTS, |number, _, entry| {
            if number != 1 {
                return;
            }
            let (mut edition, mut values) = (0, [0; 5]);
            fields(entry, |number, value, set| match number {
                3 => edition = value,
                4 | 5 => fields(set, |number, value, _| {
                    if let Some(to) = values.get_mut(number as usize - 1) {
                        *to = value as i32;
                    }
                }),
                _ => {}
            });
            defaults.insert(edition, values);
        });
        defaults
    }

    #[test]
    fn files_start_from_the_defaults_that_protoc_has_for_their_edition() {
        let defaults = defaults();
        assert!(defaults.len() >= 3, "{defaults:?}");
        for (syntax, edition, as_edition) in
            [("proto2", 0, 998), ("proto3", 0, 999), ("editions", 1000, 1000), ("editions", 1001, 1001)]
        {
            let file = FileProto { syntax: syntax.into(), edition, ..FileProto::default() };
            let (_, resolved) = of_file(&file).unwrap();
            // Defaults apply from their edition to the next one in the list.
            let (_, expected) = defaults.range(..=as_edition).next_back().unwrap();
            assert_eq!(resolved.numbers(), *expected, "{syntax} {edition}");
        }
    }

    #[test]
    fn features_count_in_editions_only() {
        let own = Features { field_presence: IMPLICIT, message_encoding: DELIMITED, ..Features::default() };
        for (syntax, edition, counts) in [("proto2", 0, false), ("proto3", 0, false), ("editions", 1000, true)] {
            let file = FileProto { syntax: syntax.into(), edition, ..FileProto::default() };
            let resolved = of_file(&file).unwrap().1.merged(&own).unwrap();
            assert_eq!(resolved.delimited(), counts, "{syntax}");
        }
    }

    #[test]
    fn a_feature_value_that_does_not_exist_is_named() {
        let file = FileProto { syntax: "editions".into(), edition: 1000, ..FileProto::default() };
        let own = Features { utf8_validation: 1, ..Features::default() };
        let problem = of_file(&file).unwrap().1.merged(&own).unwrap_err();
        assert_eq!(problem, "feature utf8_validation has the unknown value 1");
    }
}
