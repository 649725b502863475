//! The tables of the cold decoder (`hotpb::wire`), which finds the code, offset and path of an error after the fast
//! decoder has failed. They have only the fields that have columns, so a field left out is an unknown field there, too
//! (FCE-21).

use hotpb::wire::__rt::{FieldSchema, Kind, Limits, MessageSchema, Spent, check_part};
use std::ptr::NonNull;

/// A field of a message that [`Check::new`] gets.
pub(crate) struct CheckField {
    pub number: u32,
    pub name: String,
    pub kind: Kind,
    pub repeated: bool,
    pub message: Option<usize>,
}

/// Tables that refer to each other, and may refer to themselves. hotpb's cold decoder wants `'static` ones, which in
/// generated code they are; here they live as long as this value, and no reference to them leaves it.
pub(crate) struct Check {
    messages: NonNull<[MessageSchema]>,
    fields: Vec<NonNull<[FieldSchema]>>,
    names: Vec<NonNull<str>>,
}

// SAFETY: the tables are not changed after `new`, and hold plain data only.
unsafe impl Send for Check {}
// SAFETY: as above.
unsafe impl Sync for Check {}

impl Check {
    /// Creates tables; the fields of each message are in ascending order of numbers.
    pub fn new(messages: Vec<Vec<CheckField>>) -> Check {
        let empty: Box<[MessageSchema]> = messages.iter().map(|_| MessageSchema::new("", &[])).collect();
        let tables = NonNull::from(Box::leak(empty));
        let base = tables.cast::<MessageSchema>();
        let (mut all_fields, mut names) = (Vec::new(), Vec::new());
        // First all fields, then the links to them. References to messages are created from `base` where they are
        // read; in the fields they are stored as pointers.
        for fields in messages {
            let list: Box<[FieldSchema]> = fields
                .iter()
                .map(|field| {
                    let name = NonNull::from(Box::leak(field.name.clone().into_boxed_str()));
                    names.push(name);
                    // SAFETY: the name lives until this value is dropped, and no field outlives it.
                    let mut schema = FieldSchema::new(field.number, unsafe { name.as_ref() }, field.kind);
                    schema.repeated = field.repeated;
                    schema
                })
                .collect();
            let list = NonNull::from(Box::leak(list));
            for (i, field) in fields.iter().enumerate() {
                if let Some(message) = field.message {
                    assert!(message < tables.len());
                    // SAFETY: `i` is an element of `list`, `message` one of the tables (the assertion). The place holds an
                    // `Option<&MessageSchema>`, which has the form of a pointer; writing the pointer itself creates no
                    // reference, so the writes to the table below invalidate none.
                    unsafe {
                        let place = &raw mut (*list.cast::<FieldSchema>().as_ptr().add(i)).message;
                        place.cast::<*const MessageSchema>().write(base.as_ptr().add(message));
                    }
                }
            }
            all_fields.push(list);
        }
        for (i, list) in all_fields.iter().enumerate() {
            // SAFETY: `i` is one of the tables. The place holds a `&[FieldSchema]`, which has the form of a pointer to a
            // slice.
            unsafe {
                let place = &raw mut (*base.as_ptr().add(i)).fields;
                place.cast::<*const [FieldSchema]>().write(list.as_ptr());
            }
        }
        Check { messages: tables, fields: all_fields, names }
    }

    /// Walks a message, or a part of an input, as this type.
    #[cold]
    pub fn run(&self, message: usize, bytes: &[u8], limits: &Limits, spent: Option<Spent>) -> Result<(), hotpb::Error> {
        assert!(message < self.messages.len());
        // SAFETY: `message` is one of the tables, which are complete and not changed while `self` lives. `check_part`
        // returns no reference to them, so none lives longer than this call.
        let schema: &'static MessageSchema = unsafe { &*self.messages.cast::<MessageSchema>().as_ptr().add(message) };
        check_part(bytes, 0, bytes.len(), schema, limits, spent)
    }
}

impl Drop for Check {
    fn drop(&mut self) {
        // SAFETY: each pointer came from `Box::leak`, and nothing refers to these boxes any more.
        unsafe {
            drop(Box::from_raw(self.messages.as_ptr()));
            self.fields.iter().for_each(|list| drop(Box::from_raw(list.as_ptr())));
            self.names.iter().for_each(|name| drop(Box::from_raw(name.as_ptr())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_contain_themselves_find_an_error_and_its_path() {
        let field =
            |number, name: &str, kind, message| CheckField { number, name: name.into(), kind, repeated: true, message };
        let check = Check::new(vec![
            vec![
                field(1, "text", Kind::Utf8, None),
                field(2, "kids", Kind::Message, Some(0)),
                field(3, "others", Kind::Message, Some(1)),
            ],
            vec![field(1, "back", Kind::Message, Some(0))],
        ]);
        let run = |bytes: &[u8]| check.run(0, bytes, &Limits::default(), None).map_err(|e| e.to_string());
        assert_eq!(run(&[0x12, 2, 0x0a, 0]), Ok(()));
        let error = run(&[0x12, 0, 0x12, 8, 0x1a, 6, 0x0a, 4, 0x12, 2, 0x0a, 0x01]);
        assert_eq!(error, Err("Truncated at byte 12: kids[1].others[0].back[0].kids[0].text[0]".into()));
    }
}
