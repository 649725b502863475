//! `hot=` and `cold=`: the tiers of messages as the options change them (FCE-10).

use crate::error::OptionError;
use crate::externs;
use crate::options::Options;
use crate::plan::{FileId, Message, MessageId, Plan, Tier};

/// Offsets in tables have 16 bits, and a field takes at most 13 bytes of a row.
const MOST_PLACES: usize = 4_000;

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
