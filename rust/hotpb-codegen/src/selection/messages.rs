//! `messages=`: selects the messages to generate.

use crate::error::{Error, OptionError, SchemaError};
use crate::externs::{self, ExternPath};
use crate::options::Options;
use crate::plan::join;
use crate::plan::*;
use std::collections::HashSet;

/// The elements that a run generates.
pub(crate) struct Selection {
    /// The messages of the files to generate, including map entries, in the order of the plan.
    pub messages: Vec<MessageId>,
    /// Enums, of any file.
    pub enums: HashSet<EnumId>,
    /// Messages, of any file, whose extensions are generated.
    pub extendees: HashSet<MessageId>,
}

/// Selects all messages of the files; with `messages=` the named ones and those that they need, through generated
/// fields and through extensions that the files declare.
pub(crate) fn select(plan: &Plan, files: &[FileId], options: &Options) -> Result<Selection, Error> {
    let selection = wanted(plan, files, options)?;
    for &id in &selection.messages {
        check_types(plan, files, &options.externs, &plan[id].name, plan[id].file, plan[id].fields.iter())?;
    }
    for &file in files {
        let extensions = plan.extensions_of(file).filter(|(extendee, _)| selection.extendees.contains(extendee));
        for (extendee, extension) in extensions {
            check_home(
                plan,
                files,
                &options.externs,
                &extension.name,
                (file, extension.field.line),
                &plan[extendee].name,
                plan[extendee].file,
            )?;
            check_types(plan, files, &options.externs, "", file, std::iter::once(&extension.field))?;
        }
    }
    Ok(selection)
}

/// Checks that every type in use is generated in this run, ships with the runtime, or is where `extern_path=` says.
fn check_types<'f>(
    plan: &Plan,
    files: &[FileId],
    externs: &[ExternPath],
    owner: &str,
    file: FileId,
    fields: impl Iterator<Item = &'f Field>,
) -> Result<(), SchemaError> {
    for field in fields {
        let element = join(owner, &field.name);
        if let Some(id) = field.message {
            check_home(plan, files, externs, &element, (file, field.line), &plan[id].name, plan[id].file)?;
        }
        if let Some(id) = field.enum_type {
            check_home(plan, files, externs, &element, (file, field.line), &plan[id].name, plan[id].file)?;
        }
    }
    Ok(())
}

fn check_home(
    plan: &Plan,
    files: &[FileId],
    externs: &[ExternPath],
    element: &str,
    (file, line): (FileId, Option<u32>),
    used: &str,
    home: FileId,
) -> Result<(), SchemaError> {
    if files.contains(&home) || externs::is_elsewhere(plan, home, externs) {
        return Ok(());
    }
    Err(SchemaError {
        file: plan[file].name.clone(),
        line,
        element: element.to_string(),
        problem: format!("it uses {used} of {}, which is not among the files to generate", plan[home].name),
        fix: "name that file, too, or say with extern_path= which module has its code".into(),
    })
}

fn wanted(plan: &Plan, files: &[FileId], options: &Options) -> Result<Selection, OptionError> {
    // Entries of maps that are left out are not needed.
    let entries: HashSet<_> = plan.messages.iter().flat_map(|m| &m.fields).filter_map(|f| f.message).collect();
    let has_place = |id: &MessageId| !plan[*id].map_entry || entries.contains(id);
    let of_files = files.iter().flat_map(|&file| plan.messages_of(file)).filter(has_place);
    if options.messages.is_empty() {
        return Ok(Selection {
            messages: of_files.collect(),
            enums: (0..plan.enums.len()).map(EnumId).collect(),
            extendees: (0..plan.messages.len()).map(MessageId).collect(),
        });
    }
    let of_files: Vec<_> = of_files.collect();
    let mut open = Vec::new();
    for name in &options.messages {
        let found = of_files.iter().find(|&&id| plan[id].name == *name && !plan[id].map_entry);
        open.push(*found.ok_or_else(|| unknown(plan, &of_files, options, name))?);
    }
    let mut reached: HashSet<MessageId> = open.iter().copied().collect();
    let mut enums = HashSet::new();
    while let Some(id) = open.pop() {
        let extensions = plan.extensions.iter().filter(|e| e.message == id).flat_map(|e| &e.fields);
        let extensions = extensions.filter(|x| files.contains(&x.file)).map(|x| &x.field);
        for field in plan[id].fields.iter().chain(extensions) {
            enums.extend(field.enum_type);
            if let Some(child) = field.message.filter(|&child| reached.insert(child)) {
                open.push(child);
            }
        }
    }
    let messages = of_files.into_iter().filter(|id| reached.contains(id)).collect();
    Ok(Selection { messages, enums, extendees: reached })
}

fn unknown(plan: &Plan, of_files: &[MessageId], options: &Options, name: &str) -> OptionError {
    let example = of_files.first().map_or("pkg.Message", |&id| &plan[id].name);
    OptionError {
        option: "messages".into(),
        value: options.messages.join("+"),
        problem: format!("{name:?} is not a message of the files to generate; write a full name, such as {example}"),
    }
}
