//! Emitters of code that walks the generated faces, for hotpb's own tests. They are extras of `faces=` beside the
//! faces that they need, as in `faces=pool+reencode`; [`generate`] knows them.

mod reencode;
mod reencode_view;
mod rewrite;
mod script;
mod walk;

use hotpb_codegen::emit::Context;
use hotpb_codegen::plan::{FileId, Plan};
use hotpb_codegen::{Error, Extension, Options, Output, Unit, generate_with};
use proc_macro2::TokenStream;

/// An extra: a module at the root of the generated code.
#[derive(Debug)]
struct Extra {
    name: &'static str,
    module: fn(&Context<'_>) -> TokenStream,
}

/// The extras, in the order in which their modules are written.
static EXTRAS: [Extra; 4] = [
    Extra { name: "reencode", module: reencode::module },
    Extra { name: "reencode_view", module: reencode_view::module },
    Extra { name: "rewrite", module: rewrite::module },
    Extra { name: "script", module: script::module },
];

impl Extension for Extra {
    fn items(&self, _: &Unit<'_>, _: FileId) -> Result<TokenStream, Error> {
        Ok(TokenStream::new())
    }

    fn root(&self, ctx: &Context<'_>) -> TokenStream {
        (self.module)(ctx)
    }
}

/// Generates the requested files of a plan with these options, whose `faces=` may name extras.
pub fn generate(plan: &Plan, parameter: &str) -> Result<Output, Error> {
    let (mut wanted, mut options) = (Vec::new(), Vec::new());
    for option in parameter.split(',') {
        let Some(faces) = option.strip_prefix("faces=") else {
            options.push(option.to_string());
            continue;
        };
        let is_extra = |name: &&str| EXTRAS.iter().any(|extra| extra.name == *name);
        let (extras, faces): (Vec<&str>, Vec<&str>) = faces.split('+').partition(is_extra);
        wanted = extras;
        options.push(format!("faces={}", faces.join("+")));
    }
    let extras = EXTRAS.iter().filter(|extra| wanted.contains(&extra.name));
    let extras: Vec<&dyn Extension> = extras.map(|extra| extra as &dyn Extension).collect();
    generate_with(plan, &Options::parse(&options.join(","))?, &extras)
}
