//! Files and modules: puts the output of the emitters into `x.hot.rs` files, one per `.proto`, and writes
//! `hotpb.mod.rs`, which has a module for each package and includes the files.

use crate::attributes;
use crate::emit::facts::Facts;
use crate::emit::{Context, codec, enums};
use crate::error::{Error, SchemaError};
use crate::extension::{Extension, Unit};
use crate::names::{Module, Names, ident};
use crate::options::{Options, is_local};
use crate::plan::*;
use crate::print::print;
use crate::registry::EMITTERS;
use crate::selection::{fields, messages, tiers};
use crate::shipped::feature;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// The path relative to the output folder, with `/`.
    pub name: String,
    /// The Rust source.
    pub content: String,
}

/// The output of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The files; `hotpb.mod.rs` is last.
    pub files: Vec<OutputFile>,
    /// Notes for the user, one sentence each: names that had to change.
    pub notes: Vec<String>,
}

/// The name of the file that includes the others.
pub const MOD_FILE: &str = "hotpb.mod.rs";

/// The version of the generated code. It increases whenever the code needs anything of the runtime that `MAX_GENERATED`
/// did not promise before. When the runtime no longer supports older code, its `MIN_GENERATED` increases.
const GENERATED_VERSION: u32 = 12;

/// Generates these files of a plan.
pub(crate) fn generate(
    plan: &Plan,
    files: &[FileId],
    options: &Options,
    extensions: &[&dyn Extension],
) -> Result<Output, Error> {
    // What to generate, under which names.
    let mut names = Names::new(plan, files, &options.externs);
    let narrowed = fields::narrow(plan, files, options, &mut names)?;
    let plan = &*narrowed.plan;
    let selection = messages::select(plan, files, options)?;
    let tables = tiers::with_options(plan, files, options)?;
    let (messages, skipped) = (&selection.messages, &narrowed.skipped);
    let facts = &Facts::new(plan, &names, messages, &tables, skipped);
    let cx = Context { plan, names: &names, options, messages, tables: &tables, facts, skipped };
    codec::check(&cx)?;
    let faces: Vec<_> = EMITTERS.iter().filter(|emitter| options.has(emitter.face)).collect();
    let mut output = Output { files: Vec::new(), notes: notes(plan, files, options, &names) };
    // A file for each schema: its items, by module.
    let generated = selection.messages.iter().copied().collect();
    let unit = Unit { plan, names: &names, messages: &generated };
    let mut includes = Tree::default();
    for &file in files {
        let mut tree = Tree::default();
        let module = names.file_module(file);
        let mut put = |at: &Module, items: TokenStream| tree.put(&at.segments()[module.segments().len()..], items);
        for id in plan.enums_of(file).filter(|id| selection.enums.contains(id)) {
            put(names.enum_module(id), enums::items(&cx, id));
        }
        for &id in selection.messages.iter().filter(|&&id| plan[id].file == file) {
            for face in &faces {
                let items = (face.message)(&cx, id);
                put(names.module(id), items.here);
                put(names.inside(id), items.nested);
            }
        }
        for (extendee, extension) in plan.extensions_of(file).filter(|(id, _)| selection.extendees.contains(id)) {
            for face in &faces {
                put(names.extension_module(extension), (face.extension)(&cx, extendee, extension));
            }
        }
        for extension in extensions {
            put(module, extension.items(&unit, file)?);
        }
        let name = output_name(plan, file)?;
        let gate = cx.gate(file);
        includes.put(module.segments(), quote!(#gate include!(#name);));
        let body = tree.into_tokens(&[], &|at| {
            let docs = format!(" The declarations inside the message `{}`.", at.join("::"));
            quote!(#[doc = #docs])
        });
        output.files.push(OutputFile { content: print(&format!("from {}", plan[file].name), &body)?, name });
    }
    // The file that includes the others.
    includes.items.extend(needed_features(&cx, files));
    let roots = extensions.iter().map(|extension| extension.root(&cx));
    let unit: TokenStream = faces.iter().map(|face| (face.unit)(&cx)).chain(roots).collect();
    let content = print("from all files of one run", &stitch(includes, unit, &packages(plan, files, &names))?)?;
    output.files.push(OutputFile { name: MOD_FILE.into(), content });
    Ok(output)
}

/// Returns the notes for the user.
fn notes(plan: &Plan, files: &[FileId], options: &Options, names: &Names) -> Vec<String> {
    let mut notes = names.notes().to_vec();
    if options.has("writer") {
        notes.extend_from_slice(names.writer_notes());
    }
    if options.has("view") {
        notes.extend_from_slice(names.view_notes());
    }
    notes.extend(attributes::unused(&options.attributes, plan));
    notes.extend(many_messages(plan, files, options));
    notes
}

/// The number of messages of one file above which a run suggests to select some.
const MANY_MESSAGES: usize = 200;

/// Returns the note on the largest of the files, if it has many messages and the run writes code for all of them.
fn many_messages(plan: &Plan, files: &[FileId], options: &Options) -> Option<String> {
    if options.quiet || !options.messages.is_empty() {
        return None;
    }
    let count = |&file: &FileId| (plan.messages_of(file).filter(|&id| !plan[id].map_entry).count(), file);
    let (messages, file) = files.iter().map(count).max_by_key(|(messages, _)| *messages)?;
    (messages > MANY_MESSAGES).then(|| {
        format!(
            "{}: {messages} messages, code for all of them; messages=pkg.A+pkg.B writes only those and the messages that they need (quiet leaves this line out)",
            plan[file].name
        )
    })
}

/// Returns checks that the crate hotpb has the features which the types in this code need.
fn needed_features(cx: &Context<'_>, generated: &[FileId]) -> TokenStream {
    if cx.options.runtime {
        return TokenStream::new();
    }
    let plan = cx.plan;
    let fields = cx.messages.iter().flat_map(|&id| &plan[id].fields);
    let declared = |x: &&Extendee| x.fields.iter().any(|f| generated.contains(&f.file));
    let extended = plan.extensions.iter().filter(declared).map(|x| plan[x.message].file);
    let types = fields.flat_map(|f| [f.message.map(|m| plan[m].file), f.enum_type.map(|e| plan[e].file)]).flatten();
    let foreign = types.chain(extended).filter(|file| !generated.contains(file));
    let files: BTreeSet<&str> = foreign.map(|file| plan[file].name.as_str()).collect();
    let checks = files.into_iter().filter_map(|file| {
        let feature = feature(file)?;
        let (there, help) = (
            format_ident!("HAS_{}", feature.to_uppercase()),
            format!("this code uses types of {file}: enable the feature `{feature}` of the crate hotpb"),
        );
        Some(quote!(
            const _: () = ::core::assert!(::hotpb::wkt::#there, #help);
        ))
    });
    checks.collect()
}

/// `a/b.proto` → `a/b.hot.rs`; rejects names that would leave the output folder.
fn output_name(plan: &Plan, file: FileId) -> Result<String, SchemaError> {
    let name = &plan[file].name;
    if !is_local(name) {
        return Err(SchemaError {
            file: name.clone(),
            problem: "the file's name is not a relative path".into(),
            fix: "run protoc in the folder to which imports are relative".into(),
            ..SchemaError::default()
        });
    }
    Ok(format!("{}.hot.rs", name.strip_suffix(".proto").unwrap_or(name)))
}

/// Returns the packages of files and those around them, by module.
fn packages<'p>(plan: &'p Plan, files: &[FileId], names: &'p Names) -> BTreeMap<&'p [String], BTreeSet<&'p str>> {
    let mut packages: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for &file in files {
        let package = plan[file].package.as_str();
        let ends = package.match_indices('.').map(|(at, _)| at).chain([package.len()]);
        for (depth, end) in ends.enumerate() {
            packages.entry(&names.file_module(file).segments()[..=depth]).or_default().insert(&package[..end]);
        }
    }
    packages
}

/// Returns the content of `hotpb.mod.rs`.
fn stitch(
    includes: Tree,
    unit: TokenStream,
    packages: &BTreeMap<&[String], BTreeSet<&str>>,
) -> Result<TokenStream, Error> {
    // Names and comments come from the schema, and unused functions are not the user's fault.
    let lints = quote! {
        #[allow(dead_code, deprecated, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        #[allow(unused_doc_comments, unused_imports, unused_mut, unused_parens, unused_results, unused_variables)]
        #[allow(missing_copy_implementations, missing_debug_implementations, single_use_lifetimes, unreachable_pub)]
        #[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction, rustdoc::all)]
    };
    let version = Literal::u32_unsuffixed(GENERATED_VERSION);
    let old =
        "this code is older than the crate hotpb supports: generate it again with the generator of the crate's version";
    let new = "this code is newer than the crate hotpb supports: update hotpb to the version of the generator";
    let modules = includes.into_tokens(&[], &|at| {
        let docs = match packages[at].iter().copied().collect::<Vec<_>>().join("`, `") {
            none if none.is_empty() => " Files without a package.".to_string(),
            names => format!(" Package `{names}`."),
        };
        let lints = (at.len() == 1).then_some(&lints);
        quote!(#[doc = #docs] #lints)
    });
    let unit = syn::parse2::<syn::File>(unit).map_err(|e| Error::Emitter(e.to_string()))?.items;
    // The macros set these attributes themselves: attributes of a macro call do not apply to its expansion.
    let unit = unit.into_iter().map(|item| {
        let lints = (!matches!(item, syn::Item::Macro(_))).then_some(&lints);
        quote!(#lints #item)
    });
    Ok(quote! {
        const _: () = ::core::assert!(#version >= ::hotpb::MIN_GENERATED, #old);
        const _: () = ::core::assert!(#version <= ::hotpb::MAX_GENERATED, #new);
        #modules
        #(#unit)*
    })
}

/// Items by module.
#[derive(Default)]
struct Tree {
    items: TokenStream,
    children: BTreeMap<String, Tree>,
}

impl Tree {
    fn put(&mut self, at: &[String], items: TokenStream) {
        if items.is_empty() {
            return;
        }
        match at.split_first() {
            None => self.items.extend(items),
            Some((first, rest)) => self.children.entry(first.clone()).or_default().put(rest, items),
        }
    }

    /// Converts the tree to modules, each with the `attributes` for its path.
    fn into_tokens(self, at: &[String], attributes: &dyn Fn(&[String]) -> TokenStream) -> TokenStream {
        let mut tokens = self.items;
        for (name, child) in self.children {
            let at: Vec<_> = at.iter().chain([&name]).cloned().collect();
            let (name, attributes_here) = (ident(&name), attributes(&at));
            let items = child.into_tokens(&at, attributes);
            tokens.extend(quote!(#attributes_here pub mod #name { #items }));
        }
        tokens
    }
}
