//! For `build.rs`: reads the code that prost-build has written, and writes Rust code that uses every one of its names on
//! hotpb's types. The compiler then compares the names.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::path::Path;
use syn::{Attribute, Ident, Item, ItemEnum, ItemStruct, Type};

/// Reads `prost/mod.rs` in this folder and writes `names.rs`.
pub fn write(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut found = Names::default();
    let prost = folder.join("prost");
    found.read(&prost, &[], &std::fs::read_to_string(prost.join("mod.rs"))?)?;
    let Names { names, mut uses, checks } = found;
    uses.extend(quote! {
        /// Every name in prost's code.
        pub const NAMES: &[&str] = &[#(#names),*];
        /// Values of enums, with the names of prost's constants: of hotpb, and of prost.
        pub fn values() -> Vec<(i32, i32)> {
            vec![#(#checks),*]
        }
    });
    Ok(std::fs::write(folder.join("names.rs"), uses.to_string())?)
}

/// prost's forms of the names, in the order in which it writes them.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    uses: TokenStream,
    checks: Vec<TokenStream>,
}

impl Names {
    /// Reads the items of a module, of the files that it includes too.
    fn read(&mut self, folder: &Path, module: &[Ident], code: &str) -> Result<(), Box<dyn std::error::Error>> {
        self.items(folder, module, syn::parse_file(code)?.items)
    }

    fn items(&mut self, folder: &Path, module: &[Ident], items: Vec<Item>) -> Result<(), Box<dyn std::error::Error>> {
        for item in items {
            match item {
                Item::Mod(inner) => {
                    let path: Vec<Ident> = module.iter().cloned().chain([inner.ident]).collect();
                    self.items(folder, &path, inner.content.map(|(_, items)| items).unwrap_or_default())?;
                }
                Item::Macro(include) if include.mac.path.is_ident("include") => {
                    let name: syn::LitStr = include.mac.parse_body()?;
                    self.read(folder, module, &std::fs::read_to_string(folder.join(name.value()))?)?;
                }
                Item::Struct(message) => self.message(module, &message),
                Item::Enum(members) if derives(&members.attrs, "Oneof") => self.oneof(module, &members),
                Item::Enum(values) => self.values(module, &values),
                Item::Impl(_) => {}
                other => {
                    return Err(format!("prost-build writes an item that this test does not know: {other:?}").into());
                }
            }
        }
        Ok(())
    }

    /// A struct is a handle with accessors, a builder with fields, and the types of the other faces.
    fn message(&mut self, module: &[Ident], message: &ItemStruct) {
        let (name, module) = (&message.ident, &path(module));
        let suffixed = |suffix: &str| derived(name, suffix);
        let (pool, builder, writer, visitor) =
            (suffixed("Pool"), suffixed("Builder"), suffixed("Writer"), suffixed("Visitor"));
        let (view, reuse) = (suffixed("View"), suffixed("Reuse"));
        let fields: Vec<&Ident> = message.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
        let plain: Vec<&Ident> = message
            .fields
            .iter()
            .filter(
                |field| !matches!(&field.ty, Type::Path(ty) if ty.path.segments.iter().any(|s| s.ident == "HashMap")),
            )
            .filter_map(|field| field.ident.as_ref())
            .collect();
        self.add(module, name, &fields);
        self.uses.extend(quote! {
            const _: () = {
                #[allow(unused_imports)]
                use hot::#module {#pool, #reuse, #writer, #visitor};
                fn handle(message: hot::#module #name<'_>) { let _ = message; #(let _ = message.#fields();)* }
                fn builder(message: &hot::#module #builder) { let _ = message; #(let _ = &message.#fields;)* }
                fn view(message: hot::#module #view<'_>) { let _ = message; #(let _ = message.#plain();)* }
                fn stock(message: &pb::#module #name) { let _ = message; #(let _ = &message.#fields;)* }
            };
        });
    }

    fn oneof(&mut self, module: &[Ident], members: &ItemEnum) {
        let module = &path(module);
        let (name, variants) =
            (&members.ident, members.variants.iter().map(|variant| &variant.ident).collect::<Vec<_>>());
        let (builder, view) = (derived(name, "Builder"), derived(name, "View"));
        self.add(module, name, &variants);
        self.uses.extend(quote! {
            const _: () = {
                fn members() {
                    #(
                        let _ = hot::#module #name::#variants;
                        let _ = hot::#module #builder::#variants;
                        let _ = hot::#module #view::#variants;
                        let _ = pb::#module #name::#variants;
                    )*
                }
            };
        });
    }

    fn values(&mut self, module: &[Ident], values: &ItemEnum) {
        let module = &path(module);
        let (name, constants) =
            (&values.ident, values.variants.iter().map(|variant| &variant.ident).collect::<Vec<_>>());
        self.add(module, name, &constants);
        self.checks.extend(
            constants
                .iter()
                .map(|constant| quote!((hot::#module #name::#constant.0, pb::#module #name::#constant as i32))),
        );
    }

    fn add(&mut self, module: &TokenStream, name: &Ident, members: &[&Ident]) {
        let path = quote!(#module #name).to_string().replace(' ', "");
        self.names.extend(members.iter().map(|member| format!("{path}.{member}")));
        self.names.push(path);
    }
}

/// A name that begins with a type's, which may end with `_` because it is a keyword.
fn derived(name: &Ident, suffix: &str) -> Ident {
    format_ident!("{}{suffix}", name.to_string().trim_end_matches('_'))
}

fn path(module: &[Ident]) -> TokenStream {
    quote!(#(#module::)*)
}

fn derives(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| quote!(#attribute).to_string().contains(name))
}
