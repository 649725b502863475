//! Properties that follow from the nesting of messages: recursion, sizes, storage (PLN-17 … PLN-20).

use crate::plan::{ChildStorage, Field, MessageId, Plan, Presence, SizeClass, Type};
use hotpb::wire::varint_len;

/// A child larger than this many bytes is stored through a pointer.
const POINTER_ABOVE: u64 = 256;

/// A larger bound counts as none: the writer's four-byte lengths end here.
const MAX_BOUND: u64 = (1 << 28) - 1;

/// Fills in `recursion`, `row_bytes`, `max_size` and `child_storage`.
pub(crate) fn analyse(plan: &mut Plan) {
    let components = components(plan);
    number(plan, &components);
    // Components come with children first, so a message's children by value are known before the message.
    for &id in components.iter().flatten() {
        measure_row(plan, id);
        plan.messages[id.0].max_size = max_size(plan, id);
    }
}

/// Returns the strongly connected components, children before their parents. It runs Tarjan's algorithm with an
/// explicit stack, because schemas are untrusted and a chain of messages may be as long as the input.
fn components(plan: &Plan) -> Vec<Vec<MessageId>> {
    const UNSEEN: usize = usize::MAX;
    let count = plan.messages.len();
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut open = vec![false; count];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut frames = vec![(root, 0)];
        while let Some(&(at, slot)) = frames.last() {
            if slot == 0 {
                (index[at], low[at], open[at]) = (next, next, true);
                next += 1;
                stack.push(at);
            }
            let fields = &plan.messages[at].fields;
            let Some(step) = fields.iter().skip(slot).position(|f| f.message.is_some()) else {
                frames.pop();
                if let Some(&(parent, _)) = frames.last() {
                    low[parent] = low[parent].min(low[at]);
                }
                if low[at] == index[at] {
                    let first = stack.iter().rposition(|&m| m == at).unwrap_or(0);
                    let members = stack.split_off(first);
                    members.iter().for_each(|&m| open[m] = false);
                    found.push(members.into_iter().map(MessageId).collect());
                }
                continue;
            };
            let slot = slot + step;
            // Slot 0 means "just opened", so the position to continue at is stored plus one.
            if let Some(frame) = frames.last_mut() {
                frame.1 = slot + 1;
            }
            if let Some(MessageId(child)) = fields[slot].message {
                if index[child] == UNSEEN {
                    frames.push((child, 0));
                } else if open[child] {
                    low[at] = low[at].min(index[child]);
                }
            }
        }
    }
    found
}

fn number(plan: &mut Plan, components: &[Vec<MessageId>]) {
    let mut component_of = vec![None; plan.messages.len()];
    for (i, members) in components.iter().enumerate() {
        let holds_itself = |id: MessageId| plan[id].fields.iter().any(|f| f.message == Some(id));
        if members.len() > 1 || holds_itself(members[0]) {
            members.iter().for_each(|m| component_of[m.0] = Some(i));
        }
    }
    let mut numbers = vec![0; components.len()];
    let mut next = 1;
    for (message, component) in plan.messages.iter_mut().zip(component_of) {
        if let Some(component) = component {
            if numbers[component] == 0 {
                numbers[component] = next;
                next += 1;
            }
            message.recursion = numbers[component];
        }
    }
}

fn measure_row(plan: &mut Plan, id: MessageId) {
    let message = &plan[id];
    let storage: Vec<_> = message.fields.iter().map(|f| child_storage(plan, message.recursion, f)).collect();
    let fields = message.fields.iter().zip(&storage);
    let row_bytes = 32 + 16 * message.oneofs.len() as u64 + fields.map(|(f, s)| field_bytes(plan, f, *s)).sum::<u64>();
    let message = &mut plan.messages[id.0];
    message.row_bytes = row_bytes;
    for (field, storage) in message.fields.iter_mut().zip(storage) {
        field.child_storage = storage;
    }
}

fn child_storage(plan: &Plan, recursion: u32, field: &Field) -> Option<ChildStorage> {
    let child = &plan[field.message?];
    let singular = field.presence != Presence::Repeated;
    let same_component = recursion != 0 && child.recursion == recursion;
    Some(match singular && (same_component || child.row_bytes > POINTER_ABOVE) {
        true => ChildStorage::Pointer,
        false => ChildStorage::Value,
    })
}

fn field_bytes(plan: &Plan, field: &Field, storage: Option<ChildStorage>) -> u64 {
    match (field.message, storage) {
        _ if field.is_repeated() => 24,
        (Some(_), Some(ChildStorage::Pointer)) => 8,
        (Some(child), _) => plan[child].row_bytes,
        _ if field.oneof.is_some() => 0,
        _ => match field.ty {
            Type::Bool => 1,
            Type::String | Type::Bytes => 16,
            Type::Double | Type::Int64 | Type::Uint64 | Type::Fixed64 | Type::Sfixed64 | Type::Sint64 => 8,
            _ => 4,
        },
    }
}

fn max_size(plan: &Plan, id: MessageId) -> Option<u32> {
    let message = &plan[id];
    if message.recursion != 0 || message.message_set || !message.extension_ranges.is_empty() {
        return None;
    }
    let mut total = 0;
    let mut largest = vec![0; message.oneofs.len()];
    for field in &message.fields {
        let size = field_max_size(plan, field)?;
        match field.oneof {
            Some(oneof) => largest[oneof] = size.max(largest[oneof]),
            None => total += size,
        }
    }
    let total = total + largest.iter().sum::<u64>();
    if total <= MAX_BOUND { u32::try_from(total).ok() } else { None }
}

fn field_max_size(plan: &Plan, field: &Field) -> Option<u64> {
    if field.is_repeated() {
        return None;
    }
    let tag = field.tag.len() as u64;
    Some(match field.size_class {
        SizeClass::Bool => tag + 1,
        SizeClass::Varint32 => tag + 5,
        SizeClass::Varint64 => tag + 10,
        SizeClass::Fix4 => tag + 4,
        SizeClass::Fix8 => tag + 8,
        SizeClass::Group => 2 * tag + u64::from(plan[field.message?].max_size?),
        SizeClass::Len => {
            let size = u64::from(plan[field.message?].max_size?);
            tag + varint_len(size) as u64 + size
        }
    })
}
