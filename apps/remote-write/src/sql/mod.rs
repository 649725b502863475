//! SQL over the rows of a tenant, in files and in memory, by DataFusion.
//!
//! A query reads, and nothing else. It sees one list of files and the rows in memory at one moment, has memory, time and
//! an answer within limits, and runs on threads that take no part in receiving.

pub mod catalog;
pub mod command;
mod exec;
mod file;
pub mod format;
mod functions;
mod index;
mod last;
mod meta;
mod promql;
mod prune;
mod rows;
mod scan;

use crate::options::SqlLimits;
use crate::store::snapshot::Snapshot;
use catalog::{CATALOG, Catalog, DEFAULT_SCHEMA, View, Wanted};
use datafusion::common::TableReference;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as Ast;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use format::{Format, WriteError};
use futures_util::StreamExt;
use index::Cache;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The longest query, in bytes.
pub const LONGEST: usize = 64 << 10;
/// The operators, keywords and parentheses of a query.
const HEAVIEST: usize = 1000;
/// The parentheses in parentheses of a query.
const DEEPEST: usize = 64;
/// How long a query waits for others.
const WAIT: Duration = Duration::from_secs(5);
/// The stack of a thread that plans: a query of that length may be nested deeply.
const STACK: usize = 16 << 20;

/// Why a query has no answer.
#[derive(Debug)]
pub enum SqlError {
    /// The query is wrong.
    Bad(String),
    /// It needs more memory, or has a longer answer, than it may.
    TooLarge(String),
    /// It took too long.
    Late(String),
    /// Too many queries are running.
    Busy,
    /// A file is no longer there.
    Gone(String),
    /// The store could not be read.
    Failed(String),
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SqlError::Busy => f.write_str("too many queries are running"),
            SqlError::Bad(why)
            | SqlError::TooLarge(why)
            | SqlError::Late(why)
            | SqlError::Gone(why)
            | SqlError::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SqlError {}

impl From<DataFusionError> for SqlError {
    fn from(error: DataFusionError) -> SqlError {
        let text = error.strip_backtrace();
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => SqlError::TooLarge(text),
            DataFusionError::IoError(error) if error.kind() == io::ErrorKind::NotFound => SqlError::Gone(text),
            DataFusionError::IoError(_)
            | DataFusionError::External(_)
            | DataFusionError::Internal(_)
            | DataFusionError::ExecutionJoin(_)
            | DataFusionError::ObjectStore(_) => SqlError::Failed(text),
            _ => SqlError::Bad(text),
        }
    }
}

/// Takes a snapshot with the rows in memory of some metrics. It is given what to ask for memory before it copies rows.
pub type Take = Box<dyn FnOnce(&Wanted, &mut dyn FnMut(usize) -> Result<()>) -> Result<Snapshot> + Send>;

/// Runs queries.
pub struct Engine {
    inner: Arc<Inner>,
    /// There until the engine is dropped.
    runtime: Option<Runtime>,
}

struct Inner {
    limits: SqlLimits,
    cache: Arc<Cache>,
    memory: Arc<RuntimeEnv>,
    running: Semaphore,
    threads: usize,
}

/// Says that a query ended, however it did.
struct Ended(Arc<AtomicBool>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Engine {
    /// Starts the threads.
    pub fn new(limits: SqlLimits) -> Result<Engine> {
        let threads = match limits.sql_threads {
            // One that works for long must not hold up all others.
            0 => std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2).max(2),
            threads => threads,
        };
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(threads).thread_stack_size(STACK).thread_name("sql").enable_time();
        // Threads that read files: each query has `threads` partitions, and there are few queries.
        let runtime = builder.max_blocking_threads((threads + 1) * limits.sql_queries.max(1)).build()?;
        let bytes = usize::try_from(limits.sql_memory).unwrap_or(usize::MAX);
        // What does not fit into memory fails: nothing is written to disks.
        let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
        let memory = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(GreedyMemoryPool::new(bytes)))
            .with_disk_manager_builder(disk)
            .build_arc()?;
        let running = Semaphore::new(limits.sql_queries);
        let inner = Inner { limits, cache: Arc::default(), memory, running, threads };
        Ok(Engine { inner: Arc::new(inner), runtime: Some(runtime) })
    }

    /// Answers a query. The query ends if the future is dropped.
    pub async fn query(&self, sql: String, format: Format, take: Take) -> Result<Vec<u8>, SqlError> {
        if sql.len() > LONGEST {
            return Err(SqlError::Bad(format!("the query is longer than {LONGEST} bytes")));
        }
        check_size(&sql)?;
        let inner = Arc::clone(&self.inner);
        let within = inner.limits.sql_timeout;
        let ended = Ended(Arc::default());
        let flag = Arc::clone(&ended.0);
        let runtime = self.runtime.as_ref().expect("it is there until the engine is dropped");
        let mut task = runtime.spawn(async move {
            let turn = timeout(WAIT, inner.running.acquire()).await;
            let Ok(Ok(_turn)) = turn else { return Err(SqlError::Busy) };
            inner.answer(sql, format, take, flag).await
        });
        let result = timeout(within, &mut task).await;
        // Only a task that ended is not disturbed by this.
        task.abort();
        match result {
            Err(_) => Err(SqlError::Late(format!("the query took longer than {} s", within.as_secs_f64()))),
            Ok(Err(error)) => Err(SqlError::Failed(format!("the query failed: {error}"))),
            Ok(Ok(answer)) => answer,
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Inner {
    async fn answer(
        &self,
        sql: String,
        format: Format,
        take: Take,
        ended: Arc<AtomicBool>,
    ) -> Result<Vec<u8>, SqlError> {
        let config = SessionConfig::new()
            .with_default_catalog_and_schema(CATALOG, DEFAULT_SCHEMA)
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(true)
            .with_target_partitions(self.threads);
        let context = SessionContext::new_with_config_rt(config, Arc::clone(&self.memory));
        functions::register(&context);
        let dialect = context.state().config().options().sql_parser.dialect;
        let statement = context.state().sql_to_statement(&sql, &dialect)?;
        if !only_reads(&statement) {
            return Err(SqlError::Bad("only SELECT, EXPLAIN, DESCRIBE and SHOW are allowed".to_owned()));
        }
        let tables: Vec<TableReference> = context.state().resolve_table_references(&statement)?;
        let wanted = Wanted::find(&tables);
        // The copied rows count until the query ends.
        let copied = MemoryConsumer::new("copied rows").register(&self.memory.memory_pool);
        let cache = Arc::clone(&self.cache);
        let view = tokio::task::spawn_blocking(move || -> Result<_> {
            let snapshot = take(&wanted, &mut |bytes| copied.try_grow(bytes))?;
            Ok((View::new(snapshot, cache, ended, wanted.lists)?, copied))
        });
        let (view, _copied) = view.await.map_err(|error| SqlError::Failed(error.to_string()))??;
        context.register_catalog(CATALOG, Arc::new(Catalog(Arc::new(view))));
        let plan = context.state().statement_to_plan(statement).await?;
        let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        options.verify_plan(&plan)?;
        let plan = context.execute_logical_plan(plan).await?.create_physical_plan().await?;
        let mut stream = execute_stream(interruptible(plan)?, context.task_ctx())?;
        let schema = stream.schema();
        let collected = MemoryConsumer::new("the answer").register(&self.memory.memory_pool);
        let (mut batches, mut rows) = (Vec::new(), 0u64);
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            if rows > self.limits.sql_max_rows {
                let why = format!("the answer has more than {} rows", self.limits.sql_max_rows);
                return Err(SqlError::TooLarge(why));
            }
            collected.try_grow(batch.get_array_memory_size())?;
            batches.push(batch);
        }
        let limit = usize::try_from(self.limits.sql_max_bytes).unwrap_or(usize::MAX);
        // As bytes the answer is about as long as it is now.
        collected.try_grow(limit.min(collected.size()))?;
        format.write(&schema, &batches, limit).map_err(|error| match error {
            WriteError::TooLong => SqlError::TooLarge(format!("the answer has more than {limit} bytes")),
            WriteError::Arrow(error) => SqlError::Bad(format!("{format:?} cannot have this answer: {error}")),
        })
    }
}

/// Makes joins pause now and then. They make many rows of few, so they might run for long without a chance to be ended.
fn interruptible(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let pausing = |node: Arc<dyn ExecutionPlan>| match node.name().ends_with("JoinExec") {
        true => Ok(Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>)),
        false => Ok(Transformed::no(node)),
    };
    Ok(plan.transform_up(pausing)?.data)
}

/// Checks that planning a query takes neither too long nor too much of the stack: the plan of `1 + 1 + …` is as deep as the
/// query is long. What has no tokens is refused by the parser.
fn check_size(sql: &str) -> Result<(), SqlError> {
    let (mut heavy, mut depth) = (0, 0usize);
    for token in Tokenizer::new(&GenericDialect {}, sql).tokenize().unwrap_or_default() {
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Whitespace(_) | Token::Comma | Token::Period | Token::Number(..) | Token::SingleQuotedString(_) => {
                continue;
            }
            Token::Word(word) if word.keyword == Keyword::NoKeyword => continue,
            _ => (),
        }
        heavy += 1;
        if heavy > HEAVIEST || depth > DEEPEST {
            let why =
                format!("the query has more than {HEAVIEST} operators and keywords, or parentheses {DEEPEST} deep");
            return Err(SqlError::Bad(why));
        }
    }
    Ok(())
}

/// Returns whether a statement only reads. What it reads is checked with its plan.
fn only_reads(statement: &Statement) -> bool {
    match statement {
        Statement::Statement(statement) => matches!(
            **statement,
            Ast::Query(_)
                | Ast::Explain { .. }
                | Ast::ExplainTable { .. }
                | Ast::ShowTables { .. }
                | Ast::ShowColumns { .. }
                | Ast::ShowFunctions { .. }
                | Ast::ShowVariable { .. }
        ),
        Statement::Explain(explain) => only_reads(&explain.statement),
        Statement::CreateExternalTable(_) | Statement::CopyTo(_) | Statement::Reset(_) => false,
    }
}
