//! Properties of messages that depend on other messages: computed once for all of them, so that generating takes time
//! linear in the schema.

use crate::names::Names;
use crate::plan::{MessageId, Plan, Presence};
use crate::selection::fields::Skipped;
use proc_macro2::Ident;
use std::collections::BTreeMap;

/// The properties of each message of the plan, indexed by its id.
pub struct Facts {
    /// A required field can be absent somewhere in the message.
    pub may_miss: Vec<bool>,
    /// The message can contain a message some of whose fields are left out.
    pub drops: Vec<bool>,
    /// The tables of other units that the unit's tables contain (see [`Names::foreign`]), each with a message of that
    /// unit, and the messages of this unit that can contain such a message.
    pub foreign: Vec<Foreign>,
    /// The message can contain a map of a message of this unit.
    pub own_maps: Vec<bool>,
    /// The message is an element of a repeated field of a generated message, which is not a group.
    pub listed: Vec<bool>,
    /// A message by table contains it.
    pub held_by_table: Vec<bool>,
}

/// The tables of another unit.
pub struct Foreign {
    /// Their name in the unit's tables.
    pub name: Ident,
    /// A message of that unit that this unit uses.
    pub example: MessageId,
    /// Which messages can contain a message of that unit, without a third unit in between.
    pub held: Vec<bool>,
    /// Which of these messages can contain a map there.
    pub maps: Vec<bool>,
}

impl Facts {
    /// Computes the properties. `tables` marks the messages that are by table, `dropped` has the fields that are left
    /// out of a message.
    pub fn new(
        plan: &Plan,
        names: &Names,
        messages: &[MessageId],
        tables: &[bool],
        dropped: &BTreeMap<MessageId, Skipped>,
    ) -> Facts {
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); plan.messages.len()];
        for (id, message) in plan.messages.iter().enumerate() {
            message.fields.iter().filter_map(|f| f.message).for_each(|held| holders[held.0].push(id));
        }
        let reaching = |is: &dyn Fn(MessageId) -> bool| reaching(&holders, &|_| true, is);
        // The same only through messages of this unit.
        let own = |id: MessageId| names.foreign(id).is_none();
        let within = |is: &dyn Fn(MessageId) -> bool| self::reaching(&holders, &own, is);
        let (mut listed, mut held_by_table) = (vec![false; holders.len()], vec![false; holders.len()]);
        for &id in messages {
            for f in &plan[id].fields {
                let Some(MessageId(held)) = f.message else { continue };
                listed[held] |= f.is_repeated() && !f.is_map() && !f.delimited;
                held_by_table[held] |= tables[id.0];
            }
        }
        let has_map = |id: MessageId| plan[id].fields.iter().any(|f| f.is_map());
        let with_map = reaching(&has_map);
        let mut used: BTreeMap<String, (Ident, MessageId)> = BTreeMap::new();
        for child in messages.iter().flat_map(|&id| plan[id].fields.iter().filter_map(|f| f.message)) {
            if let Some(name) = names.foreign(child) {
                used.entry(name.to_string()).or_insert((name, child));
            }
        }
        let holds = |id: MessageId, name: &Ident, maps: bool| {
            let children = plan[id].fields.iter().filter_map(|f| f.message);
            children.into_iter().any(|c| names.foreign(c).as_ref() == Some(name) && (!maps || with_map[c.0]))
        };
        let foreign = used.into_values().map(|(name, example)| Foreign {
            held: within(&|id| holds(id, &name, false)),
            maps: within(&|id| holds(id, &name, true)),
            name,
            example,
        });
        let foreign = foreign.collect();
        Facts {
            may_miss: reaching(&|id| plan[id].fields.iter().any(|f| f.presence == Presence::Required)),
            drops: reaching(&|id| dropped.get(&id).is_some_and(|skipped| !skipped.fields.is_empty())),
            foreign,
            own_maps: within(&has_map),
            listed,
            held_by_table,
        }
    }
}

/// Returns the messages for which `is` holds, and all that can contain them, through messages that `admits` alone.
fn reaching(holders: &[Vec<usize>], admits: &dyn Fn(MessageId) -> bool, is: &dyn Fn(MessageId) -> bool) -> Vec<bool> {
    let found = (0..holders.len()).map(|id| admits(MessageId(id)) && is(MessageId(id)));
    let mut found: Vec<bool> = found.collect();
    let mut open: Vec<usize> = (0..holders.len()).filter(|&id| found[id]).collect();
    while let Some(id) = open.pop() {
        for &holder in holders[id].iter().filter(|&&holder| admits(MessageId(holder))) {
            if !std::mem::replace(&mut found[holder], true) {
                open.push(holder);
            }
        }
    }
    found
}
