//! Which messages get straight code, and which are read and written by table (PLN-32); what `hot=` and `cold=` say (FCE-10).

use crate::error::OptionError;
use crate::options::Options;
use crate::plan::{FileId, Message, MessageId, Plan, Tier};

/// A message of more fields is by table.
const MOST_FIELDS: usize = 16;

/// So is one with a oneof of more members.
const MOST_MEMBERS: usize = 8;

/// Places in tables are 16 bits wide, and a field takes 13 bytes of a row at most.
const MOST_PLACES: usize = 4_000;

/// Fills in `tier`.
pub(crate) fn choose(plan: &mut Plan) {
    let options = options_only(plan);
    for (message, only_options) in plan.messages.iter_mut().zip(options) {
        message.tier = if is_wide(message) || only_options { Tier::Table } else { Tier::Straight };
    }
}

/// Which messages are by table, by id: those of the plan, as the options change them.
pub(crate) fn with_options(plan: &Plan, files: &[FileId], options: &Options) -> Result<Vec<bool>, OptionError> {
    let mut tables: Vec<bool> = plan.messages.iter().map(|m| m.tier == Tier::Table).collect();
    let mut named: Vec<usize> = Vec::new();
    let given = [("hot", &options.hot, false), ("cold", &options.cold, true)];
    let refuse = |option: &str, name: &str, problem: &str| {
        Err(OptionError { option: option.into(), value: name.into(), problem: problem.into() })
    };
    if given.iter().all(|(_, names, _)| names.iter().any(|name| name == "*")) {
        return refuse("cold", "*", "hot=* and cold=* exclude each other");
    }
    // What names a message is stronger than `*`.
    for (_, _, table) in given.iter().filter(|(_, names, _)| names.iter().any(|name| name == "*")) {
        tables.fill(*table);
    }
    for (option, names, table) in given {
        for name in names.iter().filter(|name| *name != "*") {
            let is_it = |m: &Message| m.name == *name && !m.map_entry && files.contains(&m.file);
            let Some(id) = plan.messages.iter().position(is_it) else {
                let problem = "not a message of the files to generate; full names and * are allowed";
                return refuse(option, name, problem);
            };
            if named.contains(&id) {
                return refuse(option, name, "it is named twice");
            }
            named.push(id);
            tables[id] = table;
        }
    }
    // What ships with the runtime is not for these options to say; rows that tables have no places for are straight; a map's
    // entry is as the message that has the map.
    for (id, message) in plan.messages.iter().enumerate().filter(|(_, m)| !m.map_entry) {
        tables[id] &= files.contains(&message.file) && message.fields.len() <= MOST_PLACES;
    }
    for (id, message) in plan.messages.iter().enumerate().filter(|(_, m)| m.map_entry) {
        tables[id] = message.parent.is_some_and(|parent| tables[parent.0]);
    }
    Ok(tables)
}

fn is_wide(message: &Message) -> bool {
    message.fields.len() > MOST_FIELDS || message.oneofs.iter().any(|o| o.slots.len() > MOST_MEMBERS)
}

/// Whether the message is one that is extended to define options.
fn holds_options(plan: &Plan, message: &Message) -> bool {
    plan[message.file].name == "google/protobuf/descriptor.proto"
        && message.name.starts_with("google.protobuf.")
        && message.name.ends_with("Options")
}

/// Whether only options hold a message, for each: it is so as soon as it is so for all messages that hold it.
fn options_only(plan: &Plan) -> Vec<bool> {
    let mut held_by: Vec<Vec<usize>> = vec![Vec::new(); plan.messages.len()];
    let mut holders = vec![0usize; plan.messages.len()];
    let mut add = |holder: usize, held: Option<MessageId>| {
        if let Some(MessageId(held)) = held.filter(|held| held.0 != holder) {
            held_by[holder].push(held);
            holders[held] += 1;
        }
    };
    for (id, message) in plan.messages.iter().enumerate().filter(|(_, m)| plan[m.file].requested) {
        message.fields.iter().for_each(|field| add(id, field.message));
    }
    for extendee in &plan.extensions {
        for extension in extendee.fields.iter().filter(|e| plan[e.file].requested) {
            add(extendee.message.0, extension.field.message);
        }
    }
    let mut found: Vec<bool> = plan.messages.iter().map(|m| holds_options(plan, m)).collect();
    let mut open: Vec<usize> = (0..found.len()).filter(|&id| found[id]).collect();
    while let Some(id) = open.pop() {
        for &held in &held_by[id] {
            holders[held] -= 1;
            if holders[held] == 0 && !found[held] {
                found[held] = true;
                open.push(held);
            }
        }
    }
    found
}
