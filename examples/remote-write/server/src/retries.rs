//! Recognises a request that comes again: its sender did not hear the answer. It gets the same answer, and nothing is
//! written twice. While the first one is on its way to the disk, the second one waits for it.

use crate::answer::Answer;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::{HashMap, VecDeque};
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard};
use tokio::sync::oneshot::Sender;

/// How long an answer is known.
pub const KEPT_MS: i64 = 10 * 60 * 1000;
/// How many answers are known.
const MOST: usize = 1_000_000;
/// The bytes of their texts: above it, an answer is known by its first line, because a sender decides how many answers
/// have a long text.
const MOST_TEXT: usize = 64 << 20;

/// Computes the hash by which a request is recognised. The key is the store's id, so that senders cannot know which
/// requests collide.
pub fn batch_of(store: u128, kind: crate::log::Kind, tenant: &str, body: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new_with_key(&store.to_le_bytes());
    hasher.write(&[kind as u8, tenant.len() as u8]);
    hasher.write(tenant.as_bytes());
    hasher.write(body);
    hasher.finish128().as_u128()
}

enum Known {
    Running(Vec<Sender<Answer>>),
    Done(Answer),
}

#[derive(Default)]
struct State {
    known: HashMap<u128, Known>,
    /// Answers in the order of their times.
    order: VecDeque<(i64, u128)>,
    /// The bytes of their texts.
    text: usize,
}

impl State {
    fn keep(&mut self, batch: u128, mut answer: Answer) -> Option<Known> {
        if self.text + answer.text.len() > MOST_TEXT {
            answer.text.truncate(answer.text.find('\n').unwrap_or(answer.text.len()));
            answer.text.shrink_to_fit();
        }
        self.text += answer.text.len();
        let before = self.known.insert(batch, Known::Done(answer));
        self.forgot(before.as_ref());
        before
    }

    fn remove(&mut self, batch: u128) -> Option<Known> {
        let before = self.known.remove(&batch);
        self.forgot(before.as_ref());
        before
    }

    fn forgot(&mut self, known: Option<&Known>) {
        if let Some(Known::Done(answer)) = known {
            self.text -= answer.text.len();
        }
    }
}

/// The answers of the last minutes.
#[derive(Default)]
pub struct Retries(Mutex<State>);

/// What is known of a request.
pub enum Begin {
    /// It is new: whoever asked must call [`Retries::finish`].
    New,
    /// It was answered before, or is being written, in which case the first one's answer goes to both.
    Again,
}

impl Retries {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no code panics while it holds the answers")
    }

    /// Looks a request up. The answer, now or later, goes to `reply`.
    pub fn begin(&self, batch: u128, reply: Sender<Answer>) -> Begin {
        let mut state = self.lock();
        match state.known.get_mut(&batch) {
            None => {
                state.known.insert(batch, Known::Running(vec![reply]));
                Begin::New
            }
            Some(Known::Running(waiting)) => {
                waiting.push(reply);
                Begin::Again
            }
            Some(Known::Done(answer)) => {
                _ = reply.send(answer.clone());
                Begin::Again
            }
        }
    }

    /// Answers a request and all that wait for it. If it was written, the answer is kept.
    pub fn finish(&self, batch: u128, answer: Answer, written: bool, now_ms: i64) {
        let mut state = self.lock();
        let before = match written {
            true => {
                state.order.push_back((now_ms, batch));
                state.keep(batch, answer.clone())
            }
            false => state.remove(batch),
        };
        while state.order.front().is_some_and(|&(at, _)| at < now_ms - KEPT_MS) || state.order.len() > MOST {
            if let Some((_, old)) = state.order.pop_front() {
                state.remove(old);
            }
        }
        drop(state);
        if let Some(Known::Running(waiting)) = before {
            for reply in waiting {
                _ = reply.send(answer.clone());
            }
        }
    }

    /// Returns the number of answers that are known.
    pub fn len(&self) -> usize {
        self.lock().order.len()
    }

    /// Returns whether no answer is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot::channel;

    #[test]
    fn texts_of_known_answers_are_bounded() {
        let retries = Retries::default();
        let text = format!("1 series were refused:\n{}", "x".repeat(1 << 20));
        let now = 1_000_000_000;
        for batch in 0..200 {
            let (reply, mut heard) = channel();
            assert!(matches!(retries.begin(batch, reply), Begin::New));
            retries.finish(batch, Answer::refused(400, text.clone()), true, now);
            assert_eq!(heard.try_recv().unwrap().text, text);
        }
        assert!(retries.lock().text <= MOST_TEXT + 200 * 64);
        for (batch, expected) in [(0, text.as_str()), (199, "1 series were refused:")] {
            let (reply, mut heard) = channel();
            assert!(matches!(retries.begin(batch, reply), Begin::Again));
            let heard = heard.try_recv().unwrap();
            assert_eq!((heard.status, heard.text.as_str()), (400, expected));
        }
        // Old answers are forgotten, and their texts with them.
        let (reply, _heard) = channel();
        assert!(matches!(retries.begin(1000, reply), Begin::New));
        retries.finish(1000, Answer::refused(204, ""), true, now + KEPT_MS + 1);
        assert_eq!((retries.len(), retries.lock().text), (1, 0));
    }
}
