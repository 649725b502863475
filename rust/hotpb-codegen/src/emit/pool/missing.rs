//! Checks for absent required fields, in messages that can have some (ERR-5).

use super::{Msg, Storage};
use crate::plan::{Field, Presence, Type};
use proc_macro2::TokenStream;
use quote::quote;

impl Msg<'_> {
    /// Ends the search if the stack has no room for a message that can contain messages of its own kind.
    fn missing_room(&self) -> Option<TokenStream> {
        (self.m.recursion != 0).then(|| {
            quote! {
                if stack.is_used_up() {
                    return ::core::result::Result::Err(::hotpb::pool::__rt::Missing::too_deep());
                }
            }
        })
    }

    /// Returns the search in the messages of a field, if they can lack something.
    fn missing_inside(&self, f: &Field) -> Option<TokenStream> {
        let child = f.message.filter(|&child| self.may_miss(child))?;
        let (name, home, table) = (&f.name, self.home_ref(child), self.table(child));
        let slot = self.slot(f);
        Some(match Storage::new(f) {
            Storage::List | Storage::Map => {
                let side = self.home(child);
                quote! {
                    for (i, row) in #table.list(self.#slot, &#side.side).enumerate() {
                        row.missing(#home, stack).map_err(|m| m.at(#name, i))?;
                    }
                }
            }
            Storage::Oneof => {
                let (case, value) = self.oneof_slots(f.oneof.expect("a oneof member"));
                let number = f.number;
                quote! {
                    if self.#case == #number {
                        #table.get(self.#value as u32).missing(#home, stack).map_err(|m| m.inside(#name))?;
                    }
                }
            }
            // An absent value of a map entry still exists, as an empty message (MAP-1).
            _ if self.m.map_entry => {
                quote!(#table.get(self.#slot).missing(#home, stack).map_err(|m| m.inside(#name))?;)
            }
            _ => quote! {
                if self.#slot != 0 {
                    #table.get(self.#slot).missing(#home, stack).map_err(|m| m.inside(#name))?;
                }
            },
        })
    }

    /// Returns `FooRow::missing`: fields of the message first, then children, both in ascending order of numbers.
    pub(super) fn missing_items(&self) -> Option<TokenStream> {
        if !self.may_miss(self.id) {
            return None;
        }
        let (row, tables) = (self.ctx.names.row(self.id), self.tables());
        let own = self.m.fields.iter().filter(|f| f.presence == Presence::Required).map(|f| {
            let name = &f.name;
            let slot = self.slot(f);
            let there = match f.ty {
                Type::Message => quote!(self.#slot != 0),
                _ => self.get_has(f, quote!(self)).unwrap_or_else(|| quote!(true)),
            };
            quote! {
                if !(#there) {
                    return ::core::result::Result::Err(::hotpb::pool::__rt::Missing::field(#name));
                }
            }
        });
        let children = self.m.fields.iter().filter_map(|f| self.missing_inside(f));
        let (own, children): (TokenStream, TokenStream) = (own.collect(), children.collect());
        let room = self.missing_room();
        let t = if children.is_empty() { quote!(_t) } else { quote!(t) };
        let stack = if children.is_empty() && room.is_none() { quote!(_stack) } else { quote!(stack) };
        Some(quote! {
            impl #row {
                /// Finds the first required field that is absent.
                #[doc(hidden)]
                pub fn missing(
                    &self,
                    #t: &#tables,
                    #stack: &::hotpb::pool::__rt::Stack,
                ) -> ::core::result::Result<(), ::hotpb::pool::__rt::Missing> {
                    #room
                    #own
                    #children
                    ::core::result::Result::Ok(())
                }
            }
        })
    }
}
