//! The plan of a scan.

use crate::files::Entry;
use crate::scan::{Counters, Scan};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use std::fmt;
use std::sync::{Arc, Mutex};

/// The batches of a partition that wait for the query, beside the one that is being filled.
const WAITING: usize = 2;

/// The part of a query's plan that reads files of messages.
pub struct ProtoExec {
    scan: Arc<Scan>,
    partitions: Vec<Vec<Entry>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    skipped: Arc<Mutex<Skipped>>,
}

/// The bad messages that a query skipped (ARW-67).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many there were.
    pub messages: u64,
    /// The error of one of them, the first of a file.
    pub example: Option<String>,
}

impl Skipped {
    pub(crate) fn add(&mut self, more: Skipped) {
        self.messages += more.messages;
        self.example = self.example.take().or(more.example);
    }
}

/// Returns the bad messages that a plan skipped, once it has run.
pub fn skipped(plan: &dyn ExecutionPlan) -> Skipped {
    let mut all = Skipped::default();
    if let Some(exec) = plan.downcast_ref::<ProtoExec>() {
        all.add(exec.skipped.lock().unwrap_or_else(|e| e.into_inner()).clone());
    }
    for child in plan.children() {
        all.add(skipped(child.as_ref()));
    }
    all
}

impl ProtoExec {
    pub(crate) fn new(scan: Scan, partitions: Vec<Vec<Entry>>) -> ProtoExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(scan.schema.clone()),
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ProtoExec {
            scan: Arc::new(scan),
            partitions,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            skipped: Arc::default(),
        }
    }
}

impl fmt::Debug for ProtoExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scan = &self.scan;
        f.debug_struct("ProtoExec")
            .field("format", &scan.format)
            .field("schema", &scan.schema)
            .field("filter", &scan.filter)
            .field("limit", &scan.limit)
            .field("partitions", &self.partitions)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for ProtoExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let scan = &self.scan;
        let files: usize = self.partitions.iter().map(Vec::len).sum();
        let columns: Vec<&str> = scan.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, "ProtoExec: message={}, files={files}, projection=[{}]", scan.table.message(), columns.join(", "))?;
        if let Some(filter) = &scan.filter {
            write!(f, ", filter={filter}")?;
        }
        if let Some(limit) = scan.limit {
            write!(f, ", limit={limit}")?;
        }
        Ok(())
    }
}

impl ExecutionPlan for ProtoExec {
    fn name(&self) -> &str {
        "ProtoExec"
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

    /// Reads the files of a partition on a thread that may block. It waits while the query does not take its batches, and
    /// ends when the query is dropped.
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.scan.schema.clone(), WAITING);
        let (scan, files) = (self.scan.clone(), self.partitions[partition].clone());
        let counters = Counters::new(&self.metrics, partition);
        let (skipped, to) = (self.skipped.clone(), builder.tx());
        let batch_rows = context.session_config().batch_size();
        builder.spawn_blocking(move || {
            let mut here = Skipped::default();
            let result = scan.run(&files, batch_rows, &counters, &to, &mut here);
            skipped.lock().unwrap_or_else(|e| e.into_inner()).add(here);
            result
        });
        Ok(builder.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
