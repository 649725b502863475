//! The tasks and their contenders: from bytes to a record batch.

use crate::harness::{Contender, Grid, Request};
#[cfg(feature = "json")]
use crate::json::Json;
use crate::{logs, series};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use hotpb_arrow::{ReadOptions, Reader, Table};

/// A task: what to read, and how a program does it with prost and Arrow's builders.
#[derive(Clone, Copy)]
pub struct Task {
    pub input: fn(&Request) -> Vec<u8>,
    pub table: fn() -> Table,
    pub by_hand: fn(&[u8], &SchemaRef) -> Result<RecordBatch, String>,
}

const TASKS: [(&str, Task); 2] = [("arrow-logs", logs::TASK), ("arrow-rw1", series::TASK)];

/// Returns the input of a task, for contenders that are other programs.
pub fn input(name: &str, request: &Request) -> Result<Vec<u8>, String> {
    let found = TASKS.iter().find(|(task, _)| *task == name);
    found.map(|(_, task)| (task.input)(request)).ok_or_else(|| format!("no task {name:?}"))
}

/// Adds the tasks.
pub fn add_to(grid: &mut Grid) {
    for (name, task) in TASKS {
        grid.add(name, "hotpb-arrow", move |r| Ok(Ours { reader: reader(&(task.table)()), base: Base::new(task, r) }));
        grid.add(name, "prost:builders", move |r| Ok(ByHand { base: Base::new(task, r) }));
        #[cfg(feature = "json")]
        grid.add(name, "arrow-json", move |r| Json::new(Base::new(task, r)));
    }
}

pub struct Base {
    pub task: Task,
    pub input: &'static [u8],
    pub schema: SchemaRef,
}

impl Base {
    fn new(task: Task, request: &Request) -> Base {
        Base { task, input: (task.input)(request).leak(), schema: (task.table)().schema() }
    }

    /// Compares a batch with the one of the stock runtime's values.
    pub fn compare(&self, batch: &RecordBatch) -> Result<(), String> {
        let want = (self.task.by_hand)(self.input, &self.schema)?;
        if want.num_rows() == 0 || *batch != want {
            return Err("the batch differs from that of prost and builders".into());
        }
        Ok(())
    }
}

fn reader(table: &Table) -> Reader {
    // The input is one batch for all contenders.
    table.reader(ReadOptions::new().batch_rows(usize::MAX).batch_bytes(1 << 30))
}

struct Ours {
    reader: Reader,
    base: Base,
}

impl Ours {
    fn read(&mut self) -> Result<RecordBatch, String> {
        self.reader.push(self.base.input).map_err(|e| e.to_string())?;
        self.reader.finish().ok_or("no rows".into())
    }
}

impl Contender for Ours {
    fn op(&mut self) -> Result<u64, String> {
        std::hint::black_box(self.read()?);
        Ok(0)
    }

    fn verify(&mut self) -> Result<(), String> {
        let batch = self.read()?;
        self.base.compare(&batch)
    }

    fn note(&self) -> &'static str {
        "a reader that is used again"
    }

    fn size(&self) -> Option<usize> {
        Some(self.base.input.len())
    }
}

struct ByHand {
    base: Base,
}

impl Contender for ByHand {
    fn op(&mut self) -> Result<u64, String> {
        std::hint::black_box((self.base.task.by_hand)(self.base.input, &self.base.schema)?);
        Ok(0)
    }

    fn verify(&mut self) -> Result<(), String> {
        let batch = (self.base.task.by_hand)(self.base.input, &self.base.schema)?;
        let mut reader = reader(&(self.base.task.table)());
        reader.push(self.base.input).map_err(|e| e.to_string())?;
        if reader.finish() != Some(batch) {
            return Err("the batch differs from that of hotpb-arrow".into());
        }
        Ok(())
    }

    fn note(&self) -> &'static str {
        "decoded with prost, then appended to Arrow's builders by hand"
    }

    fn size(&self) -> Option<usize> {
        Some(self.base.input.len())
    }
}
