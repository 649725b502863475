//! Memory: a long file takes no more than a short one. The only test of its process, which it measures.
#![cfg(target_os = "linux")]

mod common;

use common::*;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use hotpb_datafusion::register_protobuf;
use std::fs::File;
use std::future::poll_fn;
use std::io::{BufWriter, Write};

/// Returns the most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

async fn run(path: &str, query: &str) -> usize {
    let ctx = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    register_protobuf(&ctx, "orders", path, format()).unwrap();
    let plan = ctx.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let mut stream = execute_stream(plan, ctx.task_ctx()).unwrap();
    let mut rows = 0;
    while let Some(batch) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
        rows += batch.unwrap().num_rows();
    }
    rows
}

/// ARW-69.
#[tokio::test]
async fn memory_does_not_grow_with_the_file() {
    let folder = Folder::new();
    let block = delimited(&orders(0..1000));
    folder.write("short.pb", &block.repeat(40));
    let mut long = BufWriter::new(File::create(folder.path("long.pb")).unwrap());
    (0..2000).for_each(|_| long.write_all(&block).unwrap());
    long.into_inner().unwrap().sync_data().unwrap();
    // A million and a half of the shortest messages, which become as many rows.
    folder.write("tiny.pb", &vec![0; 1_500_000]);
    let all = "select * from orders";
    assert_eq!(run(&folder.name("short.pb"), all).await, 40_000);
    let before = peak();
    assert_eq!(run(&folder.name("long.pb"), all).await, 2_000_000);
    assert_eq!(run(&folder.name("tiny.pb"), all).await, 1_500_000);
    assert_eq!(run(&folder.name("*.pb"), "select count(*), sum(id), count(customer) from orders").await, 1);
    let more = peak() - before;
    let file = std::fs::metadata(folder.path("long.pb")).unwrap().len() >> 10;
    assert!(file > 90 << 10, "{file} KiB");
    assert!(more < 24 << 10, "{more} KiB more, with a file of {file} KiB");
}
