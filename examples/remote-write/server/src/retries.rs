//! Recognises a request that comes again: its sender did not hear the answer. It gets the same answer, and nothing is
//! written twice. While the first one is on its way to the disk, the second one waits for it.

use crate::answer::Answer;
use crate::log::Encoding;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::{HashMap, VecDeque};
use std::hash::Hasher;
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard};
use tokio::sync::oneshot::Sender;

/// How long an answer is known.
const KEPT_MS: i64 = 10 * 60 * 1000;
/// How many answers are known.
const MOST: usize = 1_000_000;
/// The bytes of their texts, and of notes: above it, an answer is known by its first line, because a sender
/// decides how many answers have a long text.
const MOST_TEXT: usize = 64 << 20;

/// Returns the times of requests that may come again. A time that is far ahead is of a clock that was set back since: nobody
/// would wait until then.
pub fn kept(now_ms: i64) -> RangeInclusive<i64> {
    now_ms.saturating_sub(KEPT_MS)..=now_ms.saturating_add(KEPT_MS)
}

/// Computes the hash by which a request is recognised. The key is the store's id, so that senders cannot know which
/// requests collide.
pub fn batch_of(store: u128, kind: crate::log::Kind, tenant: &str, body: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new_with_key(&store.to_le_bytes());
    hasher.write(&[kind as u8, tenant.len() as u8]);
    hasher.write(tenant.as_bytes());
    hasher.write(body);
    hasher.finish128().as_u128()
}

/// How the log reads a request that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The compression of the body.
    pub encoding: Encoding,
    /// The options of its kind.
    pub options: u8,
    /// The rest of the options, and which series were refused: [`crate::notes`].
    pub notes: Box<[u8]>,
}

enum Known {
    Running(Vec<Sender<Answer>>),
    Done(Answer),
    /// It is in the log. Few requests come again after a restart, so nobody looked for the answer yet.
    InLog(Way),
}

impl Known {
    fn bytes(&self) -> usize {
        match self {
            Known::Running(_) => 0,
            Known::Done(answer) => answer.text.len(),
            Known::InLog(way) => way.notes.len(),
        }
    }
}

#[derive(Default)]
struct State {
    known: HashMap<u128, Known>,
    /// Answers in the order of their times.
    order: VecDeque<(i64, u128)>,
    /// The bytes of their texts and notes.
    bytes: usize,
}

impl State {
    fn keep(&mut self, batch: u128, mut answer: Answer) -> Option<Known> {
        if self.bytes + answer.text.len() > MOST_TEXT {
            answer.text.truncate(answer.text.find('\n').unwrap_or(answer.text.len()));
            answer.text.shrink_to_fit();
        }
        self.insert(batch, Known::Done(answer))
    }

    fn insert(&mut self, batch: u128, known: Known) -> Option<Known> {
        self.bytes += known.bytes();
        let before = self.known.insert(batch, known);
        self.bytes -= before.as_ref().map_or(0, Known::bytes);
        before
    }

    fn remove(&mut self, batch: u128) -> Option<Known> {
        let before = self.known.remove(&batch);
        self.bytes -= before.as_ref().map_or(0, Known::bytes);
        before
    }

    /// Forgets what is too old, or too much.
    fn tidy(&mut self, now_ms: i64) {
        while self.order.front().is_some_and(|(at, _)| !kept(now_ms).contains(at)) || self.order.len() > MOST {
            let Some((_, old)) = self.order.pop_front() else { return };
            match self.known.get(&old) {
                // Somebody waits for this answer, which is being read from the request that came again.
                Some(Known::Running(_)) => self.order.push_back((now_ms, old)),
                _ => _ = self.remove(old),
            }
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
    /// It was answered before a restart: whoever asked must read the answer from the request, and call [`Retries::learned`].
    /// If it cannot be read, it is a new one.
    Read(Way),
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
            Some(Known::InLog(_)) => match state.insert(batch, Known::Running(vec![reply])) {
                Some(Known::InLog(way)) => Begin::Read(way),
                _ => unreachable!("found under the same lock"),
            },
        }
    }

    /// Learns that the log has a request that came at this time. Returns whether there was room for that: otherwise, whoever
    /// calls must read the answer now.
    pub fn in_log(&self, batch: u128, way: Way, received_ms: i64, now_ms: i64) -> bool {
        let mut state = self.lock();
        if state.bytes + way.notes.len() > MOST_TEXT {
            return false;
        }
        state.order.push_back((received_ms, batch));
        state.insert(batch, Known::InLog(way));
        state.tidy(now_ms);
        true
    }

    /// Answers a request that was answered before a restart, and all that wait for it.
    pub fn learned(&self, batch: u128, answer: Answer) {
        let before = self.lock().keep(batch, answer.clone());
        answer_all(before, &answer);
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
        state.tidy(now_ms);
        drop(state);
        answer_all(before, &answer);
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

fn answer_all(known: Option<Known>, answer: &Answer) {
    if let Some(Known::Running(waiting)) = known {
        for reply in waiting {
            _ = reply.send(answer.clone());
        }
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
        assert!(retries.lock().bytes <= MOST_TEXT + 200 * 64);
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
        assert_eq!((retries.len(), retries.lock().bytes), (1, 0));
        // So are those of a clock that was ahead.
        assert!(matches!(retries.begin(1001, channel().0), Begin::New));
        retries.finish(1001, Answer::refused(204, ""), true, now);
        assert!(matches!(retries.begin(1000, channel().0), Begin::New));
    }

    fn way(notes: usize) -> Way {
        Way { encoding: Encoding::Snappy, options: 5, notes: vec![1; notes].into() }
    }

    #[test]
    fn an_answer_in_the_log_is_read_once_and_goes_to_all_that_ask() {
        let (retries, now) = (Retries::default(), 1_000_000_000);
        assert!(retries.in_log(1, way(3), now, now));
        let (reply, mut first) = channel();
        assert!(matches!(retries.begin(1, reply), Begin::Read(found) if found == way(3)));
        let (reply, mut second) = channel();
        assert!(matches!(retries.begin(1, reply), Begin::Again));
        // Its time is over while it is being read: who waits hears the answer all the same.
        let (reply, _other) = channel();
        assert!(matches!(retries.begin(2, reply), Begin::New));
        retries.finish(2, Answer::refused(204, ""), true, now + KEPT_MS + 1);
        retries.learned(1, Answer::refused(400, "bad"));
        assert_eq!((first.try_recv().unwrap().text, second.try_recv().unwrap().text), ("bad".into(), "bad".into()));
        let (reply, mut third) = channel();
        assert!(matches!(retries.begin(1, reply), Begin::Again));
        assert_eq!(third.try_recv().unwrap().status, 400);
        retries.finish(3, Answer::refused(204, ""), true, now + 2 * KEPT_MS + 2);
        let state = retries.lock();
        assert_eq!((state.order.len(), state.known.len(), state.bytes), (1, 1, 0));
    }

    #[test]
    fn requests_in_the_log_are_forgotten_and_bounded() {
        let (retries, now) = (Retries::default(), 1_000_000_000);
        assert!(retries.in_log(1, way(MOST_TEXT - 1), now - KEPT_MS, now));
        assert!(!retries.in_log(2, way(2), now, now));
        assert!(retries.in_log(3, way(1), now, now + 1));
        assert_eq!((retries.len(), retries.lock().bytes), (1, 1));
        let (reply, _heard) = channel();
        assert!(matches!(retries.begin(1, reply), Begin::New));
    }
}
