//! Which messages get straight code, and which are read and written by table (PLN-32), and the effect of `hot=` and
//! `cold=` (FCE-10).

use crate::error::OptionError;
use crate::externs;
use crate::options::Options;
use crate::plan::{FileId, Message, MessageId, Plan, Tier};

/// A message with more fields is by table.
const MOST_FIELDS: usize = 16;

/// A message that has a oneof with more members is by table, too.
const MOST_MEMBERS: usize = 8;

/// Offsets in tables have 16 bits, and a field takes at most 13 bytes of a row.
const MOST_PLACES: usize = 4_000;

/// Fills in `tier`.
pub(crate) fn choose(plan: &mut Plan) {
    let options = options_only(plan);
    for (message, only_options) in plan.messages.iter_mut().zip(options) {
        message.tier = if is_wide(message) || only_options { Tier::Table } else { Tier::Straight };
    }
}

/// Returns which messages are by table, indexed by id: those of the plan, as changed by the options.
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
    // A message's name takes precedence over `*`.
    for (_, _, table) in given.iter().filter(|(_, names, _)| names.iter().any(|name| name == "*")) {
        tables.fill(*table);
    }
    for (option, names, table) in given {
        for name in names.iter().filter(|name| *name != "*") {
            let is_it = |m: &Message| m.name == *name && !m.map_entry && files.contains(&m.file);
            let Some(id) = plan.messages.iter().position(is_it) else {
                let problem = "not a message of the files to generate; write a full name or *";
                return refuse(option, name, problem);
            };
            if named.contains(&id) {
                return refuse(option, name, "it is named twice");
            }
            named.push(id);
            tables[id] = table;
        }
    }
    // The options do not apply to messages that ship with the runtime. Rows that are too large for a table's offsets
    // get straight code. A map's entry has the tier of the message that has the map.
    for (id, message) in plan.messages.iter().enumerate().filter(|(_, m)| !m.map_entry) {
        tables[id] &= files.contains(&message.file) && message.fields.len() <= MOST_PLACES;
    }
    // Another crate may lack the code with which a table calls a child.
    let elsewhere = |id: MessageId| {
        !files.contains(&plan[id].file) && externs::find(plan, plan[id].file, &options.externs).is_some()
    };
    let holds = |m: &Message| m.fields.iter().filter_map(|f| f.message).any(elsewhere);
    for (id, message) in plan.messages.iter().enumerate().filter(|(_, m)| !m.map_entry) {
        let mut entries = message.fields.iter().filter(|f| f.is_map()).filter_map(|f| f.message);
        if tables[id] && (holds(message) || entries.any(|entry| holds(&plan[entry]))) {
            if named.contains(&id) {
                let problem = "it holds messages of another crate (extern_path=), and such messages are never by table";
                return refuse("cold", &message.name, problem);
            }
            tables[id] = false;
        }
    }
    for (id, message) in plan.messages.iter().enumerate().filter(|(_, m)| m.map_entry) {
        tables[id] = message.parent.is_some_and(|parent| tables[parent.0]);
    }
    Ok(tables)
}

fn is_wide(message: &Message) -> bool {
    message.fields.len() > MOST_FIELDS || message.oneofs.iter().any(|o| o.slots.len() > MOST_MEMBERS)
}

/// Reports whether the message is one that users extend to define options.
fn holds_options(plan: &Plan, message: &Message) -> bool {
    plan[message.file].name == "google/protobuf/descriptor.proto"
        && message.name.starts_with("google.protobuf.")
        && message.name.ends_with("Options")
}

/// Returns, for each message, whether only options contain it: that is so if it is so for all messages that contain it.
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
