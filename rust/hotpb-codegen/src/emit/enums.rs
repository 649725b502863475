//! Enums: a newtype of the number, so that open enums keep any value. Closed enums have the same form, because
//! undefined values never reach them (they are kept among the unknown fields).

use crate::attributes;
use crate::docs;
use crate::emit::Context;
use crate::names::idents::ident;
use crate::plan::EnumId;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Returns the type and its impls.
pub(crate) fn items(cx: &Context<'_>, id: EnumId) -> TokenStream {
    let e = &cx.plan[id];
    let name = cx.names.enum_type(id);
    let about = format!("`{}`, {} enum.", e.name, if e.closed { "a closed" } else { "an open" });
    let docs = docs::with_deprecation(
        &if e.doc.is_empty() { format!(" {about}") } else { format!("{}\n\n {about}", e.doc) },
        e.deprecated,
    );
    let values = e.values.iter().zip(cx.names.values(id)).map(|(value, constant)| {
        let constant = ident(constant);
        let number = Literal::i32_unsuffixed(value.number);
        let (docs, text) = (docs::with_deprecation(&value.doc, value.deprecated), &value.name);
        quote!(#docs #constant = #number #text;)
    });
    let (full, first) = (&e.name, Literal::i32_unsuffixed(e.values[0].number));
    let attributes = attributes::of_enum(&cx.options.attributes, e);
    quote!(::hotpb::__enum! { #docs #attributes #name, #full = #first; #(#values)* })
}
