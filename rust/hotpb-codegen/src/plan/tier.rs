//! Which messages get straight code, and which are read and written by table (PLN-32).

use super::{Message, MessageId, Plan, Tier};

/// A message with more fields is by table.
const MOST_FIELDS: usize = 16;

/// A message that has a oneof with more members is by table, too.
const MOST_MEMBERS: usize = 8;

/// Fills in `tier`.
pub(crate) fn choose(plan: &mut Plan) {
    let options = options_only(plan);
    for (message, only_options) in plan.messages.iter_mut().zip(options) {
        message.tier = if is_wide(message) || only_options { Tier::Table } else { Tier::Straight };
    }
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
