//! Emits the pool face: rows, decoders, handles, pools.
//!
//! NOTE while this is being written (goes away): what the pool emitter takes from naming and scaffolding.
//! - `Names::new(&Plan)`-like object `n` with, all infallible:
//!   `n.message(MessageId) -> Ident` (handle `Foo`), `n.row(id)` (`FooRow`), `n.pool(id)` (`FooPool`), `n.schema(id)` (static `FooSchema`),
//!   `n.module(MessageId) -> Vec<Ident>` (module path from the root of the unit, of the module the message's items live in; map entries too,
//!   in their parent's module), `n.enum_type(EnumId) -> Ident`, `n.enum_module(EnumId) -> Vec<Ident>`,
//!   `n.method(MessageId, slot) -> Ident` (accessor), `n.has(MessageId, slot) -> Ident`, `n.oneof_method(MessageId, usize)`,
//!   `n.oneof_enum(MessageId, usize)` (lives in the same module as the message's nested types), `n.oneof_variant(MessageId, usize, slot)`,
//!   `n.extension(&Extension) -> Ident` (const), `n.table(MessageId) -> Ident` (field of the unit's `Tables`),
//!   `n.path(from: &[Ident], to: &[Ident], Ident) -> TokenStream` (relative `super::…::Ident`),
//!   `n.is_wkt(FileId) -> bool`: the file ships in `::hotpb::wkt` and this unit is not wkt itself; then paths are `::hotpb::wkt::google::protobuf::…`.
//! - Enums: `struct E(pub i32)` with `From<i32>` and `.0` / `i32::from(e)`.
//! - My entry points: `emit_pool::message(&Ctx, MessageId) -> Items { here: TokenStream, nested: TokenStream }` (`here` goes into the message's module,
//!   `nested` into the module of its nested types: oneof enums), and once per unit `emit_pool::tables(&Ctx) -> TokenStream`, to be placed at the root of the unit
//!   (`hotpb.mod.rs`): `pub struct Tables { … }`, so that it is reached as `n.path(module, &[], Tables)`.
//!   Reencode: `emit_reencode::message(&Ctx, MessageId) -> TokenStream` (same module) and `emit_reencode::table(&Ctx) -> TokenStream` (root).
//! - Methods of handles that fields must not collide with: `unknown_fields`, `extension`, `new`, `clone`.
