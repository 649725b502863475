//! Recognises a request that comes again: its sender did not hear the answer. It gets the same answer, and nothing is
//! written twice. While the first one is on its way to the disk, the second one waits for it. Whether it only looks like one that
//! comes again is for [`crate::superseded`] to find out.

use crate::answer::Answer;
use crate::log::{Encoding, Kind};
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

/// Computes the hash by which a request is recognised. Equal bodies of different encodings are different requests. The key is
/// the store's id, so that senders cannot know which requests collide.
pub fn batch_of(store: u128, kind: Kind, encoding: Encoding, tenant: &str, body: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new_with_key(&store.to_le_bytes());
    hasher.write(&[kind as u8, encoding as u8, tenant.len() as u8]);
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
    Written(Written),
}

/// A request that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its sequence in the log.
    pub sequence: u64,
    /// When it was written, or came.
    pub at_ms: i64,
    /// What is known of its answer.
    pub outcome: Outcome,
}

/// What is known of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The answer.
    Answer(Answer),
    /// The request is in the log. Few requests come again after a restart, so nobody looked for the answer yet.
    InLog(Way),
}

impl Known {
    fn bytes(&self) -> usize {
        match self {
            Known::Running(_) => 0,
            Known::Written(Written { outcome: Outcome::Answer(answer), .. }) => answer.text.len(),
            Known::Written(Written { outcome: Outcome::InLog(way), .. }) => way.notes.len(),
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
    fn keep(&mut self, batch: u128, sequence: u64, at_ms: i64, mut answer: Answer) -> Option<Known> {
        if self.bytes + answer.text.len() > MOST_TEXT {
            answer.text.truncate(answer.text.find('\n').unwrap_or(answer.text.len()));
            answer.text.shrink_to_fit();
        }
        self.insert(batch, Known::Written(Written { sequence, at_ms, outcome: Outcome::Answer(answer) }))
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
            let Some((at, old)) = self.order.pop_front() else { return };
            match self.known.get(&old) {
                // Somebody waits for this answer.
                Some(Known::Running(_)) => self.order.push_back((now_ms, old)),
                // It was written again since.
                Some(Known::Written(written)) if written.at_ms > at => (),
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
    /// It was written before: whoever asked must call [`Retries::learned`] with its answer, and what that returns. If there is none, or if its rows were
    /// replaced since, it is a new one.
    Again(Written),
    /// It is being written, and the first one's answer goes to both.
    Running,
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
                Begin::Running
            }
            Some(Known::Written(_)) => match state.insert(batch, Known::Running(vec![reply])) {
                Some(Known::Written(written)) => Begin::Again(written),
                _ => unreachable!("found under the same lock"),
            },
        }
    }

    /// Learns that the log has a request that came at this time. Returns whether there was room for that: otherwise, whoever
    /// calls must read the answer now.
    pub fn in_log(&self, batch: u128, sequence: u64, way: Way, received_ms: i64, now_ms: i64) -> bool {
        let mut state = self.lock();
        if state.bytes + way.notes.len() > MOST_TEXT {
            return false;
        }
        state.order.push_back((received_ms, batch));
        state.insert(batch, Known::Written(Written { sequence, at_ms: received_ms, outcome: Outcome::InLog(way) }));
        state.tidy(now_ms);
        true
    }

    /// Learns the answer to a request that was written before. The result sends it to all that wait for it. There is none if
    /// several wait and others were written since the caller looked: one that came late may take such a one back. Then the
    /// request is a new one.
    pub fn learned(
        &self,
        batch: u128,
        written: &Written,
        answer: Answer,
        since: impl FnOnce() -> bool,
    ) -> Option<impl FnOnce()> {
        let mut state = self.lock();
        if let Some(Known::Running(waiting)) = state.known.get(&batch)
            && waiting.len() > 1
            && since()
        {
            return None;
        }
        let before = state.keep(batch, written.sequence, written.at_ms, answer.clone());
        Some(move || answer_all(before, &answer))
    }

    /// Answers a request and all that wait for it. If it was written, at this sequence, the answer is kept.
    pub fn finish(&self, batch: u128, answer: Answer, written: Option<u64>, now_ms: i64) {
        let mut state = self.lock();
        let before = match written {
            Some(sequence) => {
                state.order.push_back((now_ms, batch));
                state.keep(batch, sequence, now_ms, answer.clone())
            }
            None => state.remove(batch),
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
            retries.finish(batch, Answer::refused(400, text.clone()), Some(7), now);
            assert_eq!(heard.try_recv().unwrap().text, text);
        }
        assert!(retries.lock().bytes <= MOST_TEXT + 200 * 64);
        for (batch, expected) in [(0, text.as_str()), (199, "1 series were refused:")] {
            let (reply, mut heard) = channel();
            let Begin::Again(written) = retries.begin(batch, reply) else { panic!("it is known") };
            let Outcome::Answer(answer) = &written.outcome else { panic!("its answer is known") };
            retries.learned(batch, &written, answer.clone(), || true).expect("nobody else waits")();
            let heard = heard.try_recv().unwrap();
            assert_eq!((heard.status, heard.text.as_str()), (400, expected));
        }
        // Old answers are forgotten, and their texts with them.
        let (reply, _heard) = channel();
        assert!(matches!(retries.begin(1000, reply), Begin::New));
        retries.finish(1000, Answer::refused(204, ""), Some(7), now + KEPT_MS + 1);
        assert_eq!((retries.len(), retries.lock().bytes), (1, 0));
        // So are those of a clock that was ahead.
        assert!(matches!(retries.begin(1001, channel().0), Begin::New));
        retries.finish(1001, Answer::refused(204, ""), Some(7), now);
        assert!(matches!(retries.begin(1000, channel().0), Begin::New));
    }

    #[test]
    fn requests_differ_by_kind_encoding_tenant_and_body() {
        let batch = |kind, encoding, tenant, body: &str| batch_of(1, kind, encoding, tenant, body.as_bytes());
        let all = [
            batch(Kind::V1, Encoding::Snappy, "a", "b"),
            batch(Kind::V2, Encoding::Snappy, "a", "b"),
            batch(Kind::V1, Encoding::Zstd, "a", "b"),
            batch(Kind::V1, Encoding::Snappy, "", "ab"),
            batch(Kind::V1, Encoding::Snappy, "a", "c"),
        ];
        assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
        assert_eq!(all[0], batch(Kind::V1, Encoding::Snappy, "a", "b"));
    }

    fn way(notes: usize) -> Way {
        Way { encoding: Encoding::Snappy, options: 5, notes: vec![1; notes].into() }
    }

    #[test]
    fn an_answer_in_the_log_is_read_once_and_goes_to_all_that_ask() {
        let (retries, now) = (Retries::default(), 1_000_000_000);
        assert!(retries.in_log(1, 9, way(3), now, now));
        let (reply, mut first) = channel();
        let in_log = Written { sequence: 9, at_ms: now, outcome: Outcome::InLog(way(3)) };
        assert!(matches!(retries.begin(1, reply), Begin::Again(found) if found == in_log));
        let (reply, mut second) = channel();
        assert!(matches!(retries.begin(1, reply), Begin::Running));
        // Its time is over while it is being read: who waits hears the answer all the same.
        let (reply, _other) = channel();
        assert!(matches!(retries.begin(2, reply), Begin::New));
        retries.finish(2, Answer::refused(204, ""), Some(7), now + KEPT_MS + 1);
        // Others were written meanwhile: nobody hears an answer yet.
        assert!(retries.learned(1, &in_log, Answer::refused(400, "bad"), || true).is_none());
        assert!(first.try_recv().is_err() && second.try_recv().is_err());
        retries.learned(1, &in_log, Answer::refused(400, "bad"), || false).expect("nothing was written")();
        assert_eq!((first.try_recv().unwrap().text, second.try_recv().unwrap().text), ("bad".into(), "bad".into()));
        let known = Written { sequence: 9, at_ms: now, outcome: Outcome::Answer(Answer::refused(400, "bad")) };
        assert!(matches!(retries.begin(1, channel().0), Begin::Again(found) if found == known));
        retries.learned(1, &in_log, Answer::refused(400, "bad"), || true).expect("nobody else waits")();
        retries.finish(3, Answer::refused(204, ""), Some(7), now + 2 * KEPT_MS + 2);
        let state = retries.lock();
        assert_eq!((state.order.len(), state.known.len(), state.bytes), (1, 1, 0));
    }

    #[test]
    fn a_request_that_is_written_again_is_known_from_then_on() {
        let (retries, now) = (Retries::default(), 1_000_000_000);
        let at = |sequence, at_ms| Written { sequence, at_ms, outcome: Outcome::Answer(Answer::refused(204, "")) };
        assert!(matches!(retries.begin(1, channel().0), Begin::New));
        retries.finish(1, Answer::refused(204, ""), Some(5), now);
        assert!(matches!(retries.begin(1, channel().0), Begin::Again(found) if found == at(5, now)));
        // Its rows were replaced since.
        retries.finish(1, Answer::refused(204, ""), Some(8), now + KEPT_MS / 2);
        // When the first time is over, the second one is not.
        for later in [KEPT_MS + 1, KEPT_MS + KEPT_MS / 2] {
            retries.finish(2, Answer::refused(204, ""), Some(9), now + later);
            assert!(matches!(retries.begin(1, channel().0), Begin::Again(found) if found == at(8, now + KEPT_MS / 2)));
            let written = at(8, now + KEPT_MS / 2);
            assert!(retries.learned(1, &written, Answer::refused(204, ""), || true).is_some());
        }
        retries.finish(2, Answer::refused(204, ""), Some(9), now + KEPT_MS + KEPT_MS / 2 + 1);
        assert!(matches!(retries.begin(1, channel().0), Begin::New));
    }

    #[test]
    fn requests_in_the_log_are_forgotten_and_bounded() {
        let (retries, now) = (Retries::default(), 1_000_000_000);
        assert!(retries.in_log(1, 9, way(MOST_TEXT - 1), now - KEPT_MS, now));
        assert!(!retries.in_log(2, 10, way(2), now, now));
        assert!(retries.in_log(3, 11, way(1), now, now + 1));
        assert_eq!((retries.len(), retries.lock().bytes), (1, 1));
        let (reply, _heard) = channel();
        assert!(matches!(retries.begin(1, reply), Begin::New));
    }
}
