use super::disk::Disk;
use super::format::HEADER;
use super::sim::{Random, Sim};
use super::*;
use crate::superblock::{self, Content, Superblock};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const STORE: u128 = 7;

fn entry(n: u64) -> Entry {
    Entry {
        kind: [Kind::V1, Kind::V2, Kind::Otlp, Kind::OtlpJson][(n % 4) as usize],
        encoding: [Encoding::Snappy, Encoding::None, Encoding::Gzip][(n % 3) as usize],
        batch: u128::from(n) << 70,
        received_ms: 1000 + n as i64,
        inflated_len: 77,
        options: (n % 16) as u8,
        tenant: if n.is_multiple_of(3) { "acme".into() } else { "".into() },
        notes: vec![1; (n % 4) as usize],
        body: Bytes::from(vec![n as u8; (n * 397 % 3000) as usize]),
    }
}

fn options() -> LogOptions {
    LogOptions { segment_bytes: 8000, idle: Duration::from_secs(3600), ..LogOptions::default() }
}

fn read(disk: &Sim, low: u64) -> Result<(Vec<(u64, Entry)>, Recovered), RecoverError> {
    let (found, recovered) = read_all(disk, low)?;
    let in_log = found.into_iter().filter(|(_, _, rows)| *rows == Rows::InLog);
    Ok((in_log.map(|(sequence, entry, _)| (sequence, entry)).collect(), recovered))
}

type Found = Vec<(u64, Entry, Rows)>;

fn read_all(disk: &Sim, low: u64) -> Result<(Found, Recovered), RecoverError> {
    let mut found = Vec::new();
    let recovered = recover(disk, STORE, low, synced(disk), &mut |record, rows| {
        if !matches!(record.header.kind, Kind::Mark | Kind::Close) {
            found.push((record.header.sequence, Entry::from_record(&record), rows));
        }
        Ok(())
    })?;
    Ok((found, recovered))
}

fn synced(disk: &Sim) -> u64 {
    content(disk).synced
}

/// Returns what the superblock of a disk says; that of a new store if there is none.
fn content(disk: &dyn Disk) -> Content {
    superblock::Found::read(disk).unwrap().content().unwrap_or(Content { store: STORE, ..Content::default() })
}

fn start(disk: &Sim, options: LogOptions) -> std::io::Result<Log> {
    let (_, recovered) = read(disk, 0).unwrap();
    go_on(disk, recovered, options)
}

fn go_on(disk: &Sim, recovered: Recovered, options: LogOptions) -> std::io::Result<Log> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let superblock = Superblock::new(Arc::clone(&disk), content(&*disk));
    Log::start(disk, superblock, recovered, options)
}

/// Returns the names of the segments.
fn segments(disk: &Sim) -> Vec<String> {
    disk.list().unwrap().into_iter().filter(|name| name.ends_with(".log")).collect()
}

/// Appends entries one after another, and returns the numbers of those that were acknowledged.
fn append_all(log: &Log, numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let waits: Vec<(u64, Receiver<Result<Position, Failed>>)> = numbers
        .filter_map(|n| {
            let (send, receive) = channel();
            let entry = entry(n);
            let permit = log.reserve(entry.body.len()).unwrap();
            log.append(entry, permit, move |result| send.send(result).unwrap()).ok()?;
            // Some come in groups.
            if n % 4 == 0 {
                std::thread::yield_now();
            }
            Some((n, receive))
        })
        .collect();
    waits.into_iter().filter_map(|(n, wait)| wait.recv().unwrap().is_ok().then_some(n)).collect()
}

/// A group never spans segments: entries that are appended in small groups fill several, however fast the log's thread is.
fn append_in_groups(log: &Log, numbers: std::ops::Range<u64>) {
    for n in numbers.step_by(5) {
        assert_eq!(append_all(log, n..n + 5), (n..n + 5).collect::<Vec<_>>());
    }
}

#[test]
fn entries_come_back_in_order_after_a_close_and_a_kill() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    append_in_groups(&log, 0..40);
    let killed = disk.kill();
    log.close();
    for (disk, closed) in [(killed, false), (disk, true)] {
        let (found, recovered) = read(&disk, 0).unwrap();
        assert_eq!(found, (0..40).map(|n| (n, entry(n))).collect::<Vec<_>>());
        assert_eq!((recovered.next, recovered.torn, recovered.closed), (40 + u64::from(closed), 0, closed));
        assert!(recovered.segments.len() > 3, "{recovered:?}");
        // What is below the low sequence is in files.
        assert_eq!(read(&disk, 25).unwrap().0.len(), 15);
    }
}

#[test]
fn segments_that_are_in_files_are_deleted() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    append_in_groups(&log, 0..40);
    let before = segments(&disk).len();
    log.cut(20, 0..=0).unwrap();
    let after = segments(&disk).len();
    assert!(after < before && after > 1);
    // All is in files, but a sender can repeat a request of any of them.
    log.cut(u64::MAX, 0..=i64::MAX).unwrap();
    assert_eq!(segments(&disk).len(), after);
    log.cut(u64::MAX, 0..=0).unwrap();
    assert_eq!(segments(&disk).len(), 1);
    assert_eq!(append_all(&log, 40..44).len(), 4);
    log.close();
    assert!(matches!(read(&disk, 0), Err(RecoverError::Damage(_))), "the records from 0 on are gone");
    let (found, _) = read(&disk, 40).unwrap();
    assert_eq!(found, (40..44).map(|n| (n, entry(n))).collect::<Vec<_>>());
}

/// Nothing that was acknowledged is lost, whatever the power cut left of the unsynced writes, and whichever operation
/// of the disk was the last; and the log goes on.
#[test]
fn accepted_entries_survive_a_power_cut_at_any_operation() {
    let whole = Sim::default();
    let log = start(&whole, options()).unwrap();
    append_all(&log, 0..30);
    log.close();
    for budget in 0..whole.operations() + 2 {
        for short in [false, true] {
            let disk = Sim::default();
            disk.fail_after(budget, short);
            let acknowledged = match start(&disk, options()) {
                Ok(log) => append_all(&log, 0..30),
                Err(_) => Vec::new(),
            };
            for seed in 1..6 {
                let mut random = Random(budget * 100 + seed);
                let after = disk.crash(&mut random);
                let (found, recovered) = read(&after, 0).unwrap_or_else(|e| panic!("budget {budget}: {e}"));
                assert!(found.len() >= acknowledged.len(), "{budget}: {} < {}", found.len(), acknowledged.len());
                let copies = superblock::Found::read(&after).unwrap();
                assert!(acknowledged.is_empty() || copies.content().is_some(), "budget {budget}: {copies:?}");
                assert!(found.iter().enumerate().all(|(n, (_, e))| *e == entry(n as u64)));
                // The log goes on after the cut, and a crash while it recovers loses nothing either.
                let log = go_on(&after, recovered, options()).unwrap();
                append_all(&log, 30..33);
                let (later, _) = read(&after.crash(&mut random), 0).unwrap();
                assert_eq!(later.len(), found.len() + 3);
            }
        }
    }
}

/// A process that was killed, or whose sync failed, leaves records that were written and not synced. The next one finds them, and
/// answers for them when they come again: so a power cut after its start must not lose them, nor make them look like damage.
#[test]
fn entries_that_a_start_found_survive_a_power_cut_after_it() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    append_all(&log, 0..3);
    disk.fail_after(1, false); // the write succeeds, the sync does not
    assert_eq!(append_all(&log, 3..4), [0; 0]);
    let killed = disk.kill();
    let (found, recovered) = read(&killed, 0).unwrap();
    assert_eq!(found, (0..4).map(|n| (n, entry(n))).collect::<Vec<_>>());
    let log = go_on(&killed, recovered, options()).unwrap();
    assert_eq!(log.synced(), 4);
    for seed in 1..20 {
        let (later, _) = read(&killed.crash(&mut Random(seed)), 0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(later, found, "seed {seed}");
    }
}

/// A sender that did not hear an answer repeats its request after the restart. Whatever the power cut left, and however
/// much of the log was in files by then, each acknowledged request is still known.
#[test]
fn requests_in_files_are_known_after_a_power_cut_at_any_operation() {
    // Fills segments, and calls all of them sealed twice: once with segments that are too old, once without. Returns the
    // first sequence whose request must be known, the number of acknowledged ones, and the sequence below which all are
    // in files.
    let run = |disk: &Sim| -> (u64, u64, u64) {
        let Ok(log) = start(disk, options()) else { return (0, 0, 0) };
        let mut acknowledged = append_all(&log, 0..10).len() as u64;
        let before = log.next();
        _ = log.cut(before, 0..=0);
        for n in [10, 15, 20, 25] {
            acknowledged += append_all(&log, n..n + 5).len() as u64;
        }
        let low = log.next().min(acknowledged);
        _ = log.cut(low, 0..=i64::MAX);
        (before, acknowledged, low)
    };
    let whole = Sim::default();
    assert_eq!(run(&whole), (10, 30, 30));
    assert!(segments(&whole).len() > 2);
    for budget in 0..whole.operations() + 2 {
        let disk = Sim::default();
        disk.fail_after(budget, budget % 2 == 0);
        let (first, acknowledged, low) = run(&disk);
        for seed in 1..6 {
            let after = disk.crash(&mut Random(budget * 100 + seed));
            let (found, _) = read_all(&after, low).unwrap_or_else(|e| panic!("budget {budget}: {e}"));
            for n in first..acknowledged {
                let known = found.iter().find(|(sequence, ..)| *sequence == n);
                let (_, known, rows) = known.unwrap_or_else(|| panic!("budget {budget}: request {n} is not known"));
                assert_eq!((known, *rows), (&entry(n), if n < low { Rows::InFiles } else { Rows::InLog }));
            }
        }
    }
}

/// A damaged segment whose rows are all in files keeps nothing from being read.
#[test]
fn damage_of_a_segment_that_is_in_files_loses_no_rows() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    append_in_groups(&log, 0..40);
    log.close();
    let (_, recovered) = read(&disk, 0).unwrap();
    let (old, low) = (&recovered.segments[0], recovered.segments[1].first);
    for at in (0..disk.len_of(&old.name)).step_by(7) {
        let copy = disk.kill();
        copy.damage(&old.name, at, |byte| byte ^ 0x10);
        let (found, later) = read(&copy, low).unwrap_or_else(|e| panic!("byte {at}: {e}"));
        assert_eq!(found, (low..40).map(|n| (n, entry(n))).collect::<Vec<_>>());
        assert_eq!((later.next, later.torn, later.segments.len()), (recovered.next, 0, recovered.segments.len()));
    }
}

#[test]
fn an_error_of_the_disk_is_never_acknowledged() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    append_all(&log, 0..3);
    disk.fail_after(1, false); // the write succeeds, the sync does not
    assert_eq!(append_all(&log, 3..4), [0; 0]);
    disk.fail_after(u64::MAX, false); // the disk recovers; the log does not try again
    assert_eq!(append_all(&log, 4..9), [0; 0]);
}

/// Damage of each byte of a log whose entries were acknowledged is found: an error, or for the last group, which looks
/// like a torn one, a cut.
#[test]
fn damage_below_the_durable_mark_stops() {
    let disk = Sim::default();
    let log = start(&disk, LogOptions { idle: Duration::from_millis(1), ..options() }).unwrap();
    for n in 0..12 {
        append_all(&log, n..n + 1);
    }
    let disk = loop {
        let copy = disk.kill();
        let mut last = None;
        recover(&copy, STORE, 0, 0, &mut |record, _| {
            last = Some(record.header.kind);
            Ok(())
        })
        .unwrap();
        if last == Some(Kind::Mark) {
            break copy;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let (found, recovered) = read(&disk.kill(), 0).unwrap();
    assert_eq!((found.len(), recovered.torn), (12, 0));
    drop(log);
    let last = recovered.segments.last().unwrap().name.clone();
    for segment in &recovered.segments {
        for at in 0..disk.len_of(&segment.name) {
            let copy = disk.kill();
            copy.damage(&segment.name, at, |byte| byte ^ 0x10);
            match read(&copy, 0) {
                Err(RecoverError::Damage(damage)) => assert_eq!(damage.file, segment.name),
                Err(RecoverError::OtherStore(_)) => panic!("the checksum does not hold"),
                // Zeros after a record belong to nothing; and the mark itself may be lost.
                Ok((found, _)) if segment.name == last && at >= disk.len_of(&last) - HEADER => {
                    assert_eq!(found.len(), 12)
                }
                Ok((found, recovered)) => {
                    assert_eq!(found.len(), 12, "byte {at} of {}: {recovered:?}", segment.name);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// The segments before it are whole, and nothing in them shows the fault: the superblock does, in either copy.
#[test]
fn a_log_that_lost_its_end_is_refused() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    append_in_groups(&log, 0..20);
    let before = disk.kill();
    append_in_groups(&log, 20..40);
    let killed = disk.kill();
    log.close();
    let refused = |disk: &Sim, why: &str| match read(disk, 0) {
        Err(RecoverError::Damage(damage)) => {
            assert!(damage.why.contains("the superblock says that all before"), "{why}: {damage:?}");
            damage
        }
        other => panic!("{why}: {other:?}"),
    };
    for (disk, closed) in [(killed, false), (disk, true)] {
        let last = segments(&disk).pop().unwrap();
        let first: u64 = last[..20].parse().unwrap();
        for len in (0..disk.len_of(&last)).step_by(29) {
            let copy = disk.kill();
            copy.open(&last).unwrap().set_len(len as u64).unwrap();
            let damage = refused(&copy, &format!("cut at {len}"));
            assert_eq!((damage.file == last, damage.byte <= len as u64), (true, true), "{damage:?}");
        }
        for at in (HEADER..disk.len_of(&last)).step_by(29) {
            let copy = disk.kill();
            copy.damage(&last, at, |byte| byte ^ 1);
            // Zeros after a record belong to nothing.
            if read(&copy, 0).is_err() {
                assert_eq!(refused(&copy, &format!("byte {at}")).file, last);
            } else {
                assert_eq!(read(&copy, 0).unwrap(), read(&disk, 0).unwrap(), "byte {at}");
            }
        }
        let copy = disk.kill();
        copy.remove(&last).unwrap();
        assert_eq!(refused(&copy, "the last segment is gone").sequence, first);
        for name in segments(&copy) {
            copy.remove(&name).unwrap();
        }
        assert_eq!(refused(&copy, "the log is gone").sequence, 0);
        // All segments as they were earlier.
        for name in superblock::NAMES {
            let bytes = disk.open(name).unwrap();
            let (mut content, file) = (vec![0; 64], before.open(name).unwrap());
            bytes.read_at(&mut content, 0).unwrap();
            let copy = before.kill();
            copy.open(name).unwrap().write_at(&content, 0).unwrap();
            drop(file);
            // After a kill, the second copy is a second older, or at the last change of the list.
            if closed || name == superblock::NAMES[0] {
                assert_eq!(refused(&copy, name).sequence, 20);
            }
        }
    }
}

#[test]
fn a_queue_that_is_full_refuses_and_a_segment_of_another_store_is_an_error() {
    let disk = Sim::default();
    let log = start(&disk, LogOptions { queue_bytes: 1000, ..options() }).unwrap();
    let first = log.reserve(5000).expect("an empty queue takes any entry");
    assert!(log.reserve(1).is_none());
    drop(first);
    let permits: Vec<_> = (0..20).filter_map(|_| log.reserve(100)).collect();
    assert_eq!(permits.len(), 5);
    drop(permits);
    append_all(&log, 0..2);
    log.close();
    let foreign = recover(&disk, STORE + 1, 0, 0, &mut |_, _| Ok(()));
    assert!(matches!(foreign, Err(RecoverError::OtherStore(_))));
}

/// Reads what a tail finds below a sequence.
fn read_tail(tail: &mut Tail, below: u64) -> Vec<(u64, Bytes)> {
    let mut found = Vec::new();
    while let Some(record) = tail.read(below).unwrap() {
        found.push((record.header.sequence, Bytes::copy_from_slice(record.body)));
    }
    found
}

#[test]
fn a_tail_reads_each_record_once_while_the_log_is_written_and_cut() {
    let disk = Sim::default();
    let log = start(&disk, options()).unwrap();
    let (mut tail, mut late, mut found) = (log.tail(0), log.tail(70), Vec::new());
    log.hold(0);
    for begin in (0..200).step_by(20) {
        assert_eq!(append_all(&log, begin..begin + 20).len(), 20);
        let before = tail.next();
        // Not a record more than asked for.
        found.extend(read_tail(&mut tail, begin + 7));
        assert_eq!((before, tail.next()), (begin, begin + 7));
        found.extend(read_tail(&mut tail, log.synced()));
        // What is held stays.
        log.cut(u64::MAX, 0..=0).unwrap();
        log.hold(tail.next());
    }
    let all = |range: std::ops::Range<u64>| -> Vec<_> { range.map(|n| (n, entry(n).body)).collect() };
    assert_eq!(found, all(0..200));
    assert_eq!(tail.read(log.synced()).unwrap(), None);
    // This one was not held for: it says so, and goes on with what is there.
    assert!(late.read(200).unwrap_err().to_string().contains("record 70 is not in the log any more"));
    let skipped = late.skip_deleted();
    assert!(skipped > 0);
    assert_eq!(read_tail(&mut late, log.synced()), all(70 + skipped..200));
    let lengths = log.lengths_from(180).unwrap();
    assert!(lengths[0].0.first <= 180 && lengths.get(1).is_none_or(|(next, _)| next.first > 180), "{lengths:?}");
    assert_eq!(lengths.iter().map(|(_, len)| len).sum::<u64>(), {
        let files = segments(&disk).into_iter().filter(|name| *name >= lengths[0].0.name);
        files.map(|name| disk.open(&name).unwrap().len().unwrap()).sum::<u64>()
    });
}

#[test]
fn a_paused_log_gives_room_to_nothing_new() {
    let log = start(&Sim::default(), options()).unwrap();
    let permit = log.reserve(10).unwrap();
    log.pause(true);
    assert!(log.reserve(10).is_none());
    // What has room is written.
    let (send, receive) = channel();
    log.append(entry(1), permit, move |result| send.send(result).unwrap()).unwrap();
    assert!(receive.recv().unwrap().is_ok());
    log.pause(false);
    assert!(log.reserve(10).is_some());
}

#[test]
fn a_tail_refuses_damage() {
    let disk = Sim::default();
    let log = start(&disk, LogOptions { segment_bytes: 1 << 20, ..options() }).unwrap();
    append_all(&log, 0..10);
    let name = segments(&disk).remove(0);
    let file = disk.open(&name).unwrap();
    let mut byte = [0];
    // The body of record 5: records have 64 bytes before it, and are filled up to 8.
    let at: usize =
        (0..5u64).map(|n| format::record_len(entry(n).tenant.len() + entry(n).notes.len() + entry(n).body.len())).sum();
    let at = (HEADER + at + HEADER + 10) as u64;
    file.read_at(&mut byte, at).unwrap();
    file.write_at(&[byte[0] ^ 1], at).unwrap();
    let mut tail = log.tail(0);
    assert_eq!(read_tail(&mut tail, 5).len(), 5);
    for _ in 0..2 {
        assert_eq!(tail.read(10).unwrap_err().to_string(), format!("{name}: record 5 is not whole"));
    }
}
