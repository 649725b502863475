//! A part of a query's plan that reads on threads that may block.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use std::fmt;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

/// The batches of a partition that wait for the query, beside the one that is being filled.
const WAITING: usize = 2;

/// What fills the partitions of a table.
pub trait Read: Send + Sync + 'static {
    /// Returns the number of partitions.
    fn partitions(&self) -> usize;

    /// Returns one line about what is read.
    fn describe(&self) -> String;

    /// Reads a partition. It may block.
    fn read(&self, partition: usize, to: &mut To) -> Result<()>;
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// There may be more.
    More,
    /// The query needs no more.
    Enough,
}

/// Where the batches of a partition go.
pub struct To {
    sender: Sender<Result<RecordBatch>>,
    left: usize,
    /// What the query runs in.
    pub context: Arc<TaskContext>,
}

impl To {
    /// Reports whether the query ended.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Hands a batch over, and waits until there is room for it.
    pub fn send(&mut self, batch: RecordBatch) -> Flow {
        let rows = batch.num_rows().min(self.left);
        if rows == 0 {
            return if self.left == 0 || self.is_closed() { Flow::Enough } else { Flow::More };
        }
        self.left -= rows;
        match self.sender.blocking_send(Ok(batch.slice(0, rows))) {
            Ok(()) if self.left > 0 => Flow::More,
            _ => Flow::Enough,
        }
    }
}

/// The plan.
pub struct BlockingExec<R> {
    read: Arc<R>,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl<R: Read> BlockingExec<R> {
    /// Creates a plan whose partitions have this schema, and as many rows each as the limit allows.
    pub fn new(read: R, schema: SchemaRef, limit: Option<usize>) -> BlockingExec<R> {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(read.partitions()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        BlockingExec { read: Arc::new(read), limit, properties: Arc::new(properties) }
    }
}

impl<R: Read> fmt::Debug for BlockingExec<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingExec").field("read", &self.read.describe()).finish_non_exhaustive()
    }
}

impl<R: Read> DisplayAs for BlockingExec<R> {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.read.describe())?;
        match self.limit {
            Some(limit) => write!(f, ", limit={limit}"),
            None => Ok(()),
        }
    }
}

impl<R: Read> ExecutionPlan for BlockingExec<R> {
    fn name(&self) -> &str {
        "BlockingExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    /// Reads a partition on a thread of its own. It waits while the query does not take its batches, and ends when the
    /// query is dropped.
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let schema = self.properties.equivalence_properties().schema();
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(schema), WAITING);
        let (read, left) = (Arc::clone(&self.read), self.limit.unwrap_or(usize::MAX));
        let mut to = To { sender: builder.tx(), left, context };
        builder.spawn_blocking(move || if left == 0 { Ok(()) } else { read.read(partition, &mut to) });
        Ok(builder.build())
    }
}
