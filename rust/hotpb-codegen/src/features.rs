//! Edition features, resolved (PLN-5 … PLN-7).

use crate::descriptor::{Features, FileProto};
use crate::plan::{Syntax, Utf8};

/// `google.protobuf.FeatureSet`'s values that matter here.
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
    /// Editions: elements inside may change them.
    inherits: bool,
}

/// The syntax of a file and the features it starts from; else what is wrong with it.
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
        ("editions", other) => return Err(format!("edition {other} is not known here")),
        (other, _) => return Err(format!("syntax {other:?} is not known here")),
    };
    Ok((syntax, start.with(&file.features)?))
}

impl Resolved {
    /// Lays an element's own features over these; else names the one that descriptor.proto does not define.
    pub fn with(mut self, own: &Features) -> Result<Resolved, String> {
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

    /// `option` is the field's own `packed`, which counts in proto2 and proto3 only.
    pub fn packed(&self, option: Option<bool>) -> bool {
        let feature = self.values.repeated_field_encoding == PACKED;
        if self.inherits { feature } else { option.unwrap_or(feature) }
    }

    /// The five values, in the order of `FeatureSet`.
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
