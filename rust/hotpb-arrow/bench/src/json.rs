//! Arrow's own reader of JSON, on the same rows as JSON lines.

use crate::harness::Contender;
use crate::tasks::Base;
use arrow_array::RecordBatch;

/// The contender.
pub struct Json {
    base: Base,
    lines: Vec<u8>,
}

impl Json {
    pub fn new(base: Base) -> Result<Json, String> {
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
        std::hint::black_box(self.read()?);
        Ok(0)
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
