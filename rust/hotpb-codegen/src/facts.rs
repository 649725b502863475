//! Properties of messages that depend on other messages: computed once for all of them, so that generating takes time
//! linear in the schema.

use crate::names::Names;
use crate::plan::{Field, MessageId, Plan, Presence};
use std::collections::BTreeMap;

/// The properties of each message of the plan, indexed by its id.
pub struct Facts {
    /// A required field can be absent somewhere in the message.
    pub may_miss: Vec<bool>,
    /// The message can contain a message some of whose fields are left out.
    pub drops: Vec<bool>,
    /// The message can contain a message that ships with the runtime.
    pub holds_shipped: Vec<bool>,
    /// The message can contain a map whose maps are of generated messages, or of those that ship with the runtime.
    pub own_maps: Vec<bool>,
    pub shipped_maps: Vec<bool>,
    /// The message is an element of a repeated field of a generated message, which is not a group.
    pub listed: Vec<bool>,
    /// A message by table contains it.
    pub held_by_table: Vec<bool>,
}

impl Facts {
    /// Computes the properties. `tables` marks the messages that are by table, `dropped` has the fields that are left
    /// out of a message.
    pub fn new(
        plan: &Plan,
        names: &Names,
        messages: &[MessageId],
        tables: &[bool],
        dropped: &BTreeMap<MessageId, Vec<Field>>,
    ) -> Facts {
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); plan.messages.len()];
        for (id, message) in plan.messages.iter().enumerate() {
            message.fields.iter().filter_map(|f| f.message).for_each(|held| holders[held.0].push(id));
        }
        // Returns the messages for which `is` holds, and all that can contain them.
        let reaching = |is: &dyn Fn(MessageId) -> bool| {
            let mut open: Vec<usize> = (0..holders.len()).filter(|&id| is(MessageId(id))).collect();
            let mut found = vec![false; holders.len()];
            open.iter().for_each(|&id| found[id] = true);
            while let Some(id) = open.pop() {
                for &holder in &holders[id] {
                    if !std::mem::replace(&mut found[holder], true) {
                        open.push(holder);
                    }
                }
            }
            found
        };
        let (mut listed, mut held_by_table) = (vec![false; holders.len()], vec![false; holders.len()]);
        for &id in messages {
            for f in &plan[id].fields {
                let Some(MessageId(held)) = f.message else { continue };
                listed[held] |= f.is_repeated() && !f.is_map() && !f.delimited;
                held_by_table[held] |= tables[id.0];
            }
        }
        let has_map = |id: MessageId| plan[id].fields.iter().any(|f| f.is_map());
        Facts {
            may_miss: reaching(&|id| plan[id].fields.iter().any(|f| f.presence == Presence::Required)),
            drops: reaching(&|id| dropped.get(&id).is_some_and(|fields| !fields.is_empty())),
            holds_shipped: reaching(&|id| names.is_shipped(id)),
            own_maps: reaching(&|id| !names.is_shipped(id) && has_map(id)),
            shipped_maps: reaching(&|id| names.is_shipped(id) && has_map(id)),
            listed,
            held_by_table,
        }
    }
}
