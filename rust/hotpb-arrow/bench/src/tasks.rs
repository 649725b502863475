//! The tasks and their contenders: from bytes to a record batch.

use crate::harness::{Contender, Grid, Request};
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

/// Adds the tasks.
pub fn add_to(grid: &mut Grid) {
    for (name, task) in [("arrow-logs", logs::TASK), ("arrow-rw1", series::TASK)] {
        grid.add(name, "hotpb-arrow", move |r| Ok(Ours { reader: reader(&(task.table)()), base: Base::new(task, r) }));
        grid.add(name, "prost:builders", move |r| Ok(ByHand { base: Base::new(task, r) }));
        grid.add(name, "arrow-json", move |r| Json::new(Base::new(task, r)));
    }
}

struct Base {
    task: Task,
    input: &'static [u8],
    schema: SchemaRef,
}

impl Base {
    fn new(task: Task, request: &Request) -> Base {
        Base { task, input: (task.input)(request).leak(), schema: (task.table)().schema() }
    }

    /// Compares a batch with the one of the stock runtime's values.
    fn compare(&self, batch: &RecordBatch) -> Result<(), String> {
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
        self.read().map(|batch| std::hint::black_box(batch)).map(|_| 0)
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
        (self.base.task.by_hand)(self.base.input, &self.base.schema).map(|batch| std::hint::black_box(batch)).map(|_| 0)
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

/// Arrow's own reader of JSON, on the same rows as JSON lines.
struct Json {
    base: Base,
    lines: Vec<u8>,
}

impl Json {
    fn new(base: Base) -> Result<Json, String> {
        let batch = (base.task.by_hand)(base.input, &base.schema)?;
        let mut lines = Vec::new();
        let mut writer = arrow_json::LineDelimitedWriter::new(&mut lines);
        writer.write(&batch).and_then(|()| writer.finish()).map_err(|e| e.to_string())?;
        drop(writer);
        Ok(Json { base, lines })
    }

    fn read(&self) -> Result<RecordBatch, String> {
        let builder = arrow_json::ReaderBuilder::new(self.base.schema.clone()).with_batch_size(1 << 20);
        let mut reader = builder.build(&self.lines[..]).map_err(|e| e.to_string())?;
        reader.next().ok_or("no rows")?.map_err(|e| e.to_string())
    }
}

impl Contender for Json {
    fn op(&mut self) -> Result<u64, String> {
        self.read().map(|batch| std::hint::black_box(batch)).map(|_| 0)
    }

    fn verify(&mut self) -> Result<(), String> {
        self.base.compare(&self.read()?)
    }

    fn note(&self) -> &'static str {
        "the same rows as JSON lines"
    }

    fn size(&self) -> Option<usize> {
        Some(self.base.input.len())
    }
}
