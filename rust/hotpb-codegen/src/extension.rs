//! [`Extension`]: code of another generator in the files of this one, for example the clients and servers of an RPC library.

use crate::emit::Context;
use crate::error::Error;
use crate::names::{Module, Names, ident};
use crate::plan::{FileId, MessageId, Plan};
use proc_macro2::TokenStream;
use std::collections::HashSet;
use std::fmt;

/// Adds items to the generated files.
pub trait Extension: fmt::Debug {
    /// Whether it uses the messages of the services that the files declare. Then the imported files that define these
    /// messages are generated, too.
    fn uses_services(&self) -> bool {
        false
    }

    /// Returns the items for the module of a file's package.
    fn items(&self, unit: &Unit<'_>, file: FileId) -> Result<TokenStream, Error>;

    /// Returns the items that occur once, at the root of the module tree, from what the emitters of faces read. For
    /// hotpb's own tests: the context is not part of the API.
    #[doc(hidden)]
    fn root(&self, _: &Context<'_>) -> TokenStream {
        TokenStream::new()
    }
}

/// The code that a run generates, as an [`Extension`] sees it.
pub struct Unit<'a> {
    /// The schema.
    pub plan: &'a Plan,
    pub(crate) names: &'a Names,
    pub(crate) messages: &'a HashSet<MessageId>,
}

impl Unit<'_> {
    /// Reports whether code that this run generates, or the runtime, has this message.
    pub fn has(&self, message: MessageId) -> bool {
        self.messages.contains(&message) || self.names.is_shipped(message)
    }

    /// Returns the module of the package of a file.
    pub fn module(&self, file: FileId) -> &Module {
        self.names.file_module(file)
    }

    /// Returns the path of a message's handle, without its lifetime, from a module.
    pub fn handle(&self, from: &Module, message: MessageId) -> TokenStream {
        self.names.path(from, message, &self.names.message(message))
    }

    /// Returns the names of the modules inside a module that the run uses.
    pub fn modules_in(&self, module: &Module) -> HashSet<String> {
        let packages = (0..self.plan.files.len()).map(|file| self.names.file_module(FileId(file)));
        let inside = self.messages.iter().map(|&message| self.names.inside(message));
        let names = packages.chain(inside).filter_map(|package| {
            let rest = package.segments().strip_prefix(module.segments())?;
            rest.first().map(|name| ident(name).to_string())
        });
        names.collect()
    }
}

impl fmt::Debug for Unit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unit({} messages)", self.messages.len())
    }
}
