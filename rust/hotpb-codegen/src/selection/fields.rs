//! `only=` and `skip=`: select the fields of messages to generate.

use crate::error::OptionError;
use crate::names::Names;
use crate::options::Options;
use crate::plan::graph;
use crate::plan::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// A plan without the fields that are left out.
pub(crate) struct Narrowed<'p> {
    /// The remaining plan. Messages, enums and files keep their ids; slots and oneofs are renumbered.
    pub plan: Cow<'p, Plan>,
    /// The fields that are left out.
    pub skipped: BTreeMap<MessageId, Skipped>,
}

/// The fields that are left out of a message.
#[derive(Debug)]
pub struct Skipped {
    /// The fields, in ascending order of numbers.
    pub fields: Vec<Field>,
    /// The names of the oneofs of which no member is left.
    pub oneofs: Vec<String>,
}

/// Leaves fields out. `names` are those of the whole plan, so that leaving fields out does not change other names.
pub(crate) fn narrow<'p>(
    plan: &'p Plan,
    files: &[FileId],
    options: &Options,
    names: &mut Names,
) -> Result<Narrowed<'p>, OptionError> {
    let only = Named::find(plan, files, "only", &options.only)?;
    let skip = Named::find(plan, files, "skip", &options.skip)?;
    let mut narrowed = Narrowed { plan: Cow::Borrowed(plan), skipped: BTreeMap::new() };
    if let Some(id) = only.fields.keys().find(|id| skip.fields.contains_key(id)) {
        return Err(skip.refuse(format!(
            "only= also names fields of {}; use only one of the two options for each message",
            plan[*id].name
        )));
    }
    for (named, keeps) in [(&only, true), (&skip, false)] {
        for (&id, slots) in &named.fields {
            let kept = |slot: &usize| slots.contains(slot) == keeps;
            for oneof in &plan[id].oneofs {
                undivided(&plan[id], oneof, kept).map_err(|problem| named.refuse(problem))?;
            }
            let message = &mut narrowed.plan.to_mut().messages[id.0];
            let oneofs: Vec<usize> =
                (0..message.oneofs.len()).filter(|&i| message.oneofs[i].slots.iter().any(kept)).collect();
            let without_members = (0..message.oneofs.len()).filter(|i| !oneofs.contains(i));
            let without_members = without_members.map(|i| message.oneofs[i].name.clone()).collect();
            let fields = leave_out(message, kept, &oneofs);
            names.keep(id, |slot| kept(&slot), &oneofs);
            narrowed.skipped.insert(id, Skipped { fields, oneofs: without_members });
        }
    }
    if let Cow::Owned(plan) = &mut narrowed.plan {
        // Fewer messages may now be recursive.
        plan.messages.iter_mut().for_each(|m| m.recursion = 0);
        graph::analyse(plan);
    }
    Ok(narrowed)
}

/// Removes the fields that are not kept from a message, and returns them.
fn leave_out(message: &mut Message, kept: impl Fn(&usize) -> bool, oneofs: &[usize]) -> Vec<Field> {
    let (mut fields, skipped): (Vec<_>, Vec<_>) =
        std::mem::take(&mut message.fields).into_iter().partition(|f| kept(&f.slot));
    let last = fields.len().saturating_sub(1);
    for (slot, field) in fields.iter_mut().enumerate() {
        field.slot = slot;
        field.oneof = field.oneof.and_then(|oneof| oneofs.iter().position(|&o| o == oneof));
        field.next = field.is_repeated().then_some(slot).into_iter().chain((slot < last).then_some(slot + 1)).collect();
    }
    message.oneofs = oneofs.iter().map(|&o| message.oneofs[o].clone()).collect();
    for (i, oneof) in message.oneofs.iter_mut().enumerate() {
        oneof.slots = fields.iter().filter(|f| f.oneof == Some(i)).map(|f| f.slot).collect();
    }
    message.fields = fields;
    skipped
}

/// Checks that all members of a oneof are left out, or none: a record of a member that is left out would not clear the
/// others.
fn undivided(message: &Message, oneof: &Oneof, kept: impl Fn(&usize) -> bool) -> Result<(), String> {
    let (kept, skipped): (Vec<usize>, Vec<usize>) = oneof.slots.iter().partition(|slot| kept(slot));
    if kept.is_empty() || skipped.is_empty() {
        return Ok(());
    }
    let names = |slots: &[usize]| short_list(slots.iter().map(|&slot| &message.fields[slot].name));
    Err(format!(
        "the oneof {}.{} would lose {} but keep {}, so readers would not know which member is set; leave out all members or none",
        message.name,
        oneof.name,
        names(&skipped),
        names(&kept)
    ))
}

/// The fields that one of the options names.
struct Named {
    option: &'static str,
    value: String,
    /// The slots of the named fields, by message.
    fields: BTreeMap<MessageId, HashSet<usize>>,
}

impl Named {
    /// Reads names such as `pkg.Msg.field`.
    fn find(plan: &Plan, files: &[FileId], option: &'static str, names: &[String]) -> Result<Named, OptionError> {
        let mut named = Named { option, value: names.join("+"), fields: BTreeMap::new() };
        for name in names {
            let (message, field) = name.rsplit_once('.').unwrap_or(("", name));
            let found = plan.find_message(message).filter(|&id| files.contains(&plan[id].file));
            let Some(id) = found else {
                return Err(named.refuse(format!(
                    "{message:?} is not a message of the files to generate; write a full name of a field, such as {}",
                    example(plan, files)
                )));
            };
            let m = &plan[id];
            if m.map_entry {
                let problem = format!("{message} is an entry of a map; name the map field instead");
                return Err(named.refuse(problem));
            }
            let Some(slot) = m.fields.iter().position(|f| f.name == field) else {
                let has = short_list(m.fields.iter().map(|f| &f.name));
                return Err(named.refuse(format!("the message {message} has no field {field:?}; it has {has}")));
            };
            if !named.fields.entry(id).or_default().insert(slot) {
                return Err(named.refuse(format!("{name} is named twice")));
            }
        }
        Ok(named)
    }

    fn refuse(&self, problem: String) -> OptionError {
        OptionError { option: self.option.into(), value: self.value.clone(), problem }
    }
}

/// Joins names; a very long list ends with the number of further names.
fn short_list<'n>(names: impl Iterator<Item = &'n String>) -> String {
    const MOST: usize = 40;
    let names: Vec<&str> = names.map(String::as_str).collect();
    match names.len() {
        0 => "none".into(),
        n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
        _ => names.join(", "),
    }
}

fn example(plan: &Plan, files: &[FileId]) -> String {
    let messages = files.iter().flat_map(|&file| plan.messages_of(file)).map(|id| &plan[id]);
    let with_field = messages.filter(|m| !m.map_entry).find_map(|m| Some((m, m.fields.first()?)));
    with_field.map_or_else(|| "pkg.Message.field".into(), |(m, f)| format!("{}.{}", m.name, f.name))
}
