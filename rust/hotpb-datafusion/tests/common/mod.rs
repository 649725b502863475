//! Orders of a shop: prost's structs of `shop.proto`, written by hand, files of them, and queries.
//!
//! prost writes every file of these tests, and the expected results come from its structs: nothing of hotpb is in them.
#![allow(dead_code)]

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use hotpb_arrow::Types;
use hotpb_datafusion::{ProtoFormat, register_protobuf};
use prost::Message;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, PartialEq, Message)]
pub struct Customer {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub country: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Item {
    #[prost(string, tag = "1")]
    pub sku: String,
    #[prost(int32, tag = "2")]
    pub count: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Time {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Order {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(string, tag = "2")]
    pub shop: String,
    #[prost(int32, tag = "3")]
    pub state: i32,
    #[prost(double, tag = "4")]
    pub total: f64,
    #[prost(int32, optional, tag = "5")]
    pub rating: Option<i32>,
    #[prost(bool, tag = "6")]
    pub gift: bool,
    #[prost(message, optional, tag = "7")]
    pub customer: Option<Customer>,
    #[prost(message, repeated, tag = "8")]
    pub items: Vec<Item>,
    #[prost(bytes = "vec", tag = "9")]
    pub token: Vec<u8>,
    #[prost(message, optional, tag = "10")]
    pub time: Option<Time>,
    #[prost(btree_map = "string, string", tag = "11")]
    pub tags: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Day {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub orders: Vec<Order>,
}

/// Orders with every kind of value that a comparison treats differently: null, NaN, zero, empty text.
pub fn orders(ids: std::ops::Range<u64>) -> Vec<Order> {
    let totals = [0.0, 1e-300, 12.5, f64::NAN, -3.0, f64::INFINITY, 99.0];
    let order = |id: u64| Order {
        id,
        shop: ["north", "south", "", "Ost ü"][id as usize % 4].to_string(),
        state: (id % 3) as i32,
        total: totals[id as usize % 7],
        rating: (!id.is_multiple_of(5)).then_some(id as i32 % 11 - 5),
        gift: id.is_multiple_of(6),
        customer: (!id.is_multiple_of(4))
            .then(|| Customer { name: format!("c{}", id % 10), country: "DE".to_string() }),
        items: (0..id % 3).map(|i| Item { sku: format!("s{i}"), count: i as i32 + 1 }).collect(),
        token: vec![id as u8; id as usize % 3],
        time: (!id.is_multiple_of(8)).then_some(Time { seconds: 1_700_000_000 + id as i64, nanos: 5 }),
        tags: (0..id % 2).map(|i| (format!("k{i}"), format!("v{id}"))).collect(),
    };
    ids.map(order).collect()
}

pub fn delimited<M: Message>(messages: &[M]) -> Vec<u8> {
    messages.iter().flat_map(|message| message.encode_length_delimited_to_vec()).collect()
}

pub fn types() -> Types {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/common");
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.include_imports(true).open_file("shop.proto").unwrap();
    Types::read(&compiler.encode_file_descriptor_set()).unwrap()
}

pub fn format() -> ProtoFormat {
    ProtoFormat::new(types(), "shop.Order")
}

/// A folder of its own for each test, which goes away with it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_string()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        self.name(name)
    }
}

/// A session with small batches and three partitions, in which `orders` is this path.
pub fn session(path: &str, format: ProtoFormat) -> SessionContext {
    let ctx = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(3).with_batch_size(7));
    register_protobuf(&ctx, "orders", path, format).unwrap();
    ctx
}

pub async fn collect(ctx: &SessionContext, query: &str) -> datafusion::error::Result<Vec<RecordBatch>> {
    ctx.sql(query).await?.collect().await
}

/// Returns the rows of a query as text: a line for each row, cells separated by `|`.
pub async fn rows(ctx: &SessionContext, query: &str) -> Vec<String> {
    let batches = collect(ctx, query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let text = pretty_format_batches(&batches).unwrap().to_string();
    let lines: Vec<&str> = text.lines().collect();
    let cells = |line: &&str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join("|");
    lines.get(3..lines.len() - 1).unwrap_or_default().iter().map(cells).collect()
}

/// Returns the error of a query as text.
pub async fn error(ctx: &SessionContext, query: &str) -> datafusion::error::DataFusionError {
    match collect(ctx, query).await {
        Ok(batches) => panic!("{query}: {} batches", batches.len()),
        Err(error) => error,
    }
}

/// Returns the plan of a query that has run, with its metrics.
pub async fn analysed(ctx: &SessionContext, query: &str) -> String {
    rows(ctx, &format!("explain analyze {query}")).await.join("\n")
}

/// Returns the sum of a metric in a plan as [`analysed`] returns it.
pub fn metric(plan: &str, name: &str) -> u64 {
    let mut found = plan.split([',', '[', ']']).filter_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='));
    let text = found.next().unwrap_or_else(|| panic!("{name} in {plan}"));
    text.parse().unwrap_or_else(|_| panic!("{name}={text}"))
}
