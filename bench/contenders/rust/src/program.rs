//! Answers the commands of `bench/peers`: load, verify, list, run.

use std::io::{BufRead, Write};
use std::mem;

use crate::allocations;

type Result<T> = std::result::Result<T, String>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Decode,
    DecodeRead,
    Encode,
    EncodeFresh,
}

const TASKS: [(Task, &str); 4] = [
    (Task::Decode, "decode"),
    (Task::DecodeRead, "decode+read"),
    (Task::Encode, "encode"),
    (Task::EncodeFresh, "encode-fresh"),
];

/// The records of a message. A program reads each file once, and keeps it.
pub type Records = Vec<&'static [u8]>;

/// A contender of one message type.
pub trait Contender {
    fn takes(&self, task: Task) -> bool;
    /// Decodes a record, and returns the checksum of all its fields.
    fn read(&mut self, record: &'static [u8]) -> Result<u64>;
    /// Decodes all records for the tasks that encode.
    fn hold(&mut self, records: &Records) -> Result<()>;
    /// The encoding of a held record, as the task writes it.
    fn encoded(&mut self, task: Task, at: usize) -> Result<Vec<u8>>;
    /// Whether all of its memory comes from Rust's allocator, which is the one that is counted.
    fn counted(&self) -> bool {
        true
    }
    /// The timed function: the records in turn.
    fn run(&mut self, task: Task, records: &Records, operations: u64) -> Result<()>;
}

/// The stock runtime's view of records.
pub trait Judge {
    fn checksum(&self, record: &[u8]) -> Result<u64>;
    /// Whether these bytes are the message of that record.
    fn same(&self, bytes: &[u8], record: &[u8]) -> Result<bool>;
}

/// A message of the program and its contenders.
pub struct Row {
    pub message: &'static str,
    pub stock: Box<dyn Judge>,
    pub contenders: Vec<(&'static str, fn() -> Box<dyn Contender>)>,
}

struct Runner {
    name: &'static str,
    contender: Box<dyn Contender>,
    good: bool,
    /// For each task the operations of a round, and the allocations of one, with their bytes.
    measured: [Option<(u64, f64, f64)>; 4],
}

struct Program {
    rows: Vec<Row>,
    loaded: Option<usize>,
    records: Records,
    runners: Vec<Runner>,
}

/// Serves until the input ends.
pub fn serve(rows: Vec<Row>) {
    let mut program = Program { rows, loaded: None, records: Vec::new(), runners: Vec::new() };
    for line in std::io::stdin().lock().lines() {
        let done = line.map_err(|e| e.to_string()).and_then(|line| program.answer(&line));
        match done {
            Ok(answer) => {
                let mut out = std::io::stdout().lock();
                if write!(out, "{answer}end\n").and_then(|()| out.flush()).is_err() {
                    return; // nobody reads any more
                }
            }
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }
}

/// Processor time of the process in nanoseconds.
fn processor_time() -> f64 {
    // SAFETY: a timespec of zeros is valid, and the call writes only to it.
    let time = unsafe {
        let mut time: libc::timespec = mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time);
        time
    };
    1e9 * time.tv_sec as f64 + time.tv_nsec as f64
}

/// The records of a delimited file.
fn split(mut data: &'static [u8]) -> Option<Records> {
    let mut records = Vec::new();
    while !data.is_empty() {
        let (mut size, mut shift) = (0u64, 0);
        loop {
            let (&byte, rest) = data.split_first()?;
            data = rest;
            size |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
            if shift > 28 {
                return None;
            }
        }
        let (record, rest) = data.split_at_checked(usize::try_from(size).ok()?)?;
        records.push(record);
        data = rest;
    }
    (!records.is_empty()).then_some(records)
}

impl Program {
    fn answer(&mut self, line: &str) -> Result<String> {
        let words: Vec<&str> = line.split('\t').collect();
        match words[..] {
            ["load", name, file] => self.load(name, file).map(|()| String::new()),
            ["verify", name] => self.verify(name),
            ["list", name] => self.list(name),
            ["run", name, task, rounds, ms, seed, ..] if words.len() > 6 => {
                let number = |text: &str| text.parse::<f64>().map_err(|e| format!("{text}: {e}"));
                self.run(name, task, number(rounds)? as u64, number(ms)? * 1e6, number(seed)? as u64, &words[6..])
            }
            _ => Err(format!("unknown command: {line}")),
        }
    }

    fn load(&mut self, name: &str, file: &str) -> Result<()> {
        let at = self.rows.iter().position(|row| row.message == name).ok_or_else(|| format!("no message {name}"))?;
        let data = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        self.records = split(Box::leak(data.into_boxed_slice())).ok_or_else(|| format!("{file}: not delimited"))?;
        self.loaded = Some(at);
        let contenders = &self.rows[at].contenders;
        self.runners = contenders
            .iter()
            .map(|(name, make)| Runner { name, contender: make(), good: false, measured: [None; 4] })
            .collect();
        Ok(())
    }

    fn row(&self, name: &str) -> Result<&Row> {
        self.loaded
            .map(|at| &self.rows[at])
            .filter(|row| row.message == name)
            .ok_or_else(|| format!("{name} is not loaded"))
    }

    fn verify(&mut self, name: &str) -> Result<String> {
        let mut runners = mem::take(&mut self.runners);
        let row = self.row(name)?;
        let sums = self.records.iter().map(|record| row.stock.checksum(record)).collect::<Result<Vec<_>>>()?;
        let all = sums.iter().fold(0, |all: u64, sum| all.wrapping_add(*sum));
        let mut answer = String::new();
        for runner in &mut runners {
            let fault = self.fault(&mut *runner.contender, &*row.stock, &sums).err();
            runner.good = fault.is_none();
            answer += &match fault {
                None => format!("{}\tok\t{all:016x}\n", runner.name),
                Some(fault) => format!("{}\twrong\t{}\n", runner.name, fault.replace(['\t', '\n'], " ")),
            };
        }
        self.runners = runners;
        Ok(answer)
    }

    fn fault(&self, contender: &mut dyn Contender, stock: &dyn Judge, sums: &[u64]) -> Result<()> {
        // Twice, the second time into memory that is used.
        for (at, record) in self.records.iter().enumerate().chain(self.records.iter().enumerate()) {
            if contender.read(record)? != sums[at] {
                return Err(format!("the checksum of record {at} differs"));
            }
        }
        for task in
            [Task::Encode, Task::EncodeFresh].into_iter().filter(|task| contender.takes(*task)).collect::<Vec<_>>()
        {
            contender.hold(&self.records)?;
            for (at, record) in self.records.iter().enumerate() {
                if !stock.same(&contender.encoded(task, at)?, record)? {
                    return Err(format!("the encoding of record {at} is another message"));
                }
            }
        }
        Ok(())
    }

    fn list(&self, name: &str) -> Result<String> {
        self.row(name)?;
        let able = |task| self.runners.iter().filter(move |runner| runner.good && runner.contender.takes(task));
        Ok(TASKS
            .iter()
            .flat_map(|(task, text)| able(*task).map(move |runner| format!("{text}\t{}\n", runner.name)))
            .collect())
    }

    fn run(
        &mut self,
        name: &str,
        task: &str,
        rounds: u64,
        full: f64,
        seed: u64,
        contenders: &[&str],
    ) -> Result<String> {
        self.row(name)?;
        let place = TASKS.iter().position(|(_, text)| *text == task).ok_or_else(|| format!("no task {task}"))?;
        let kind = TASKS[place].0;
        let mut order = Vec::new();
        for contender in contenders {
            let able = |runner: &Runner| runner.name == *contender && runner.good && runner.contender.takes(kind);
            let at = self.runners.iter().position(able).ok_or_else(|| format!("{contender} cannot run {task}"))?;
            calibrate(&mut self.runners[at], place, &self.records, full)?;
            order.push(at);
        }
        let mut answer = String::new();
        for round in 0..rounds {
            shuffle(&mut order, seed.wrapping_add(round));
            for &at in &order {
                let runner = &mut self.runners[at];
                let (operations, allocs, bytes) = runner.measured[place].ok_or("not calibrated")?;
                let start = processor_time();
                runner.contender.run(kind, &self.records, operations)?;
                let ns = (processor_time() - start) / operations as f64;
                let memory =
                    if runner.contender.counted() { format!("{allocs:.3}\t{bytes:.1}") } else { "-\t-".into() };
                answer += &format!("{name}\t{task}\t{}\t{round}\t{ns:.3}\t{memory}\n", runner.name);
            }
        }
        Ok(answer)
    }
}

/// Finds the operations that fill `full` nanoseconds, at least one pass over the records, and what a pass allocates.
fn calibrate(runner: &mut Runner, place: usize, records: &Records, full: f64) -> Result<()> {
    let task = TASKS[place].0;
    if matches!(task, Task::Encode | Task::EncodeFresh) {
        runner.contender.hold(records)?;
    }
    if runner.measured[place].is_some() {
        return Ok(());
    }
    let pass = records.len() as u64;
    let mut operations = pass;
    let fill = loop {
        let start = processor_time();
        runner.contender.run(task, records, operations)?;
        let took = processor_time() - start;
        if took >= full / 4.0 {
            break ((operations as f64 * full / took) as u64).max(pass);
        }
        operations *= 2;
    };
    let before = allocations::total();
    runner.contender.run(task, records, pass)?;
    let after = allocations::total();
    let each = |count: u64| count as f64 / pass as f64;
    runner.measured[place] = Some((fill, each(after.0 - before.0), each(after.1 - before.1)));
    Ok(())
}

/// Another order for each seed.
fn shuffle(order: &mut [usize], seed: u64) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for at in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(at, (state % (at as u64 + 1)) as usize);
    }
}
