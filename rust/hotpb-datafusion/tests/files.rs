//! Files: which ones, compressed, damaged, gone, and read no further than a query wants.

mod common;

use common::*;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use flate2::write::GzEncoder;
use hotpb::Code;
use hotpb_arrow::ReadOptions;
use hotpb_datafusion::{Compression, FileError, Framing, skipped};
use std::future::poll_fn;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

const COUNT: &str = "select count(*), sum(id) from orders";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 1).unwrap()
}

async fn failed(path: &str, format: hotpb_datafusion::ProtoFormat) -> String {
    let error = error(&session(path, format), COUNT).await;
    FileError::find(&error).unwrap_or_else(|| panic!("{error:?}")).to_string()
}

/// ARW-62.
#[tokio::test]
async fn compressed_files_are_read_by_their_suffix_or_an_option() {
    let folder = Folder::new();
    let (first, second) = (delimited(&orders(0..10)), delimited(&orders(10..25)));
    let all = "25|300";
    for (name, bytes) in [
        ("a.pb", [first.clone(), second.clone()].concat()),
        ("a.pb.gz", gzip(&[first.clone(), second.clone()].concat())),
        ("members.gz", [gzip(&first), gzip(&second)].concat()),
        ("a.zst", zstd(&[first.clone(), second.clone()].concat())),
        ("frames.zstd", [zstd(&first), zstd(&second)].concat()),
    ] {
        assert_eq!(rows(&session(&folder.write(name, &bytes), format()), COUNT).await, [all], "{name}");
    }
    // All of them as one table, whatever each is.
    assert_eq!(rows(&session(&folder.name(""), format()), COUNT).await, ["125|1500"]);
    let odd = folder.write("b.bin", &gzip(&first));
    assert_eq!(rows(&session(&odd, format().compression(Compression::Gzip)), COUNT).await, ["10|45"]);
    let odd = folder.write("c.gz", &first);
    assert_eq!(rows(&session(&odd, format().compression(Compression::None)), COUNT).await, ["10|45"]);
    let odd = folder.write("d.bin", &zstd(&first));
    assert_eq!(rows(&session(&odd, format().compression(Compression::Zstd)), COUNT).await, ["10|45"]);
    assert!(failed(&folder.name("c.gz"), format()).await.contains("c.gz: "));
}

/// ARW-62: every length, so that the cut is in a header, in data and in the checksum.
#[tokio::test]
async fn a_compressed_file_that_ends_too_early_is_an_error() {
    let folder = Folder::new();
    let plain = delimited(&orders(0..30));
    for (name, whole) in [("a.pb.gz", gzip(&plain)), ("a.pb.zst", zstd(&plain))] {
        let cuts = (1..whole.len()).step_by(whole.len() / 15).chain([whole.len() - 1]);
        for cut in cuts {
            let path = folder.write(name, &whole[..cut]);
            let text = failed(&path, format()).await;
            assert!(text.starts_with(&format!("{path}: ")), "{text}");
        }
        let path = folder.write(name, &whole);
        assert_eq!(rows(&session(&path, format()), COUNT).await, ["30|435"]);
    }
}

/// ARW-61.
#[tokio::test]
async fn a_path_is_a_file_a_folder_or_a_pattern() {
    let folder = Folder::new();
    for (name, id) in [("d/a.pb", 1), ("d/b.pb", 10), ("d/.hidden.pb", 100), ("d/e/c.pb", 1000), ("d/[x].pb", 10_000)] {
        folder.write(name, &delimited(&orders(id..id + 1)));
    }
    for (path, sum) in [
        ("d/a.pb", 1),
        ("d", 10_011),
        ("d/*.pb", 10_011),
        ("d/[ab].pb", 11),
        ("d/?.pb", 11),
        ("d/**/*.pb", 11_011),
        // A file of that name exists.
        ("d/[x].pb", 10_000),
    ] {
        let ctx = session(&folder.name(path), format());
        assert_eq!(rows(&ctx, "select sum(id) from orders").await, [sum.to_string()], "{path}");
    }
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert_eq!(rows(&session(&folder.name("empty"), format()), "select id from orders").await, [""; 0]);
    for (path, problem) in [("nosuch.pb", "No such file"), ("d/*.txt", "no file matches"), ("d/[a.pb", "error")] {
        let ctx = datafusion::prelude::SessionContext::new();
        let made = hotpb_datafusion::register_protobuf(&ctx, "orders", folder.name(path), format());
        let error = made.unwrap_err();
        let text = FileError::find(&error).unwrap().to_string();
        assert!(text.contains(path) && text.contains(problem), "{text}");
    }
}

/// ARW-61.
#[tokio::test]
async fn files_are_listed_for_each_query() {
    let folder = Folder::new();
    folder.write("a.pb", &delimited(&orders(0..3)));
    let ctx = session(&folder.name("*.pb"), format());
    assert_eq!(rows(&ctx, COUNT).await, ["3|3"]);
    folder.write("b.pb", &delimited(&orders(3..5)));
    assert_eq!(rows(&ctx, COUNT).await, ["5|10"]);
    std::fs::remove_file(folder.path("a.pb")).unwrap();
    assert_eq!(rows(&ctx, COUNT).await, ["2|7"]);
    // Between the plan and its execution.
    let plan = ctx.sql(COUNT).await.unwrap().create_physical_plan().await.unwrap();
    std::fs::remove_file(folder.path("b.pb")).unwrap();
    let error = datafusion::physical_plan::collect(plan, ctx.task_ctx()).await.unwrap_err();
    let found = FileError::find(&error).unwrap();
    assert_eq!((found.file(), found.error()), (folder.path("b.pb").as_path(), None));
    assert!(found.to_string().contains("No such file"), "{found}");
}

/// An order of id 7 whose shop is not text, with its length.
fn bad() -> Vec<u8> {
    vec![6, 0x08, 7, 0x12, 2, 0xff, 0xfe]
}

/// ARW-66.
#[tokio::test]
async fn an_error_names_file_message_byte_and_path() {
    let folder = Folder::new();
    folder.write("a.pb", &delimited(&orders(0..3)));
    let before = delimited(&orders(0..4));
    let path = folder.write("b.pb.gz", &gzip(&[before.clone(), bad()].concat()));
    let failed = error(&session(&folder.name("*"), format()), "select max(shop) from orders").await;
    let found = FileError::find(&failed).unwrap();
    let error = found.error().unwrap();
    assert_eq!(found.file(), folder.path("b.pb.gz"));
    assert_eq!((error.code(), error.offset(), error.path()), (Code::InvalidUtf8, before.len() + 5, "shop"));
    assert_eq!(found.message_index(), Some(4));
    assert_eq!(found.to_string(), format!("{path}: message 4: {error}"));
    // A file that is one message: it has no index, whichever file it is.
    let whole = Folder::new();
    whole.write("a.pb", &[]);
    whole.write("b.pb", &bad()[1..]);
    let failed = error_of_one(&whole, format().framing(Framing::Whole)).await;
    assert_eq!(failed, format!("{}: InvalidUtf8 at byte 4: shop", whole.name("b.pb")));
}

async fn error_of_one(folder: &Folder, format: hotpb_datafusion::ProtoFormat) -> String {
    let error = error(&session(&folder.name("*.pb"), format), "select max(shop) from orders").await;
    FileError::find(&error).unwrap().to_string()
}

/// ARW-67.
#[tokio::test]
async fn bad_messages_are_skipped_and_counted_on_request() {
    let folder = Folder::new();
    for name in ["a.pb", "b.pb"] {
        folder.write(name, &[delimited(&orders(0..2)), bad(), delimited(&orders(2..5)), bad(), bad()].concat());
    }
    folder.write("c.pb", &delimited(&orders(5..7)));
    let skipping = format().read_options(ReadOptions::new().skip_bad());
    let ctx = session(&folder.name("*.pb"), skipping.clone());
    let query = "select count(shop) from orders";
    assert_eq!(rows(&ctx, query).await, ["12"]);
    let plan = analysed(&ctx, query).await;
    assert_eq!((metric(&plan, "skipped_messages"), metric(&plan, "messages"), metric(&plan, "files")), (6, 18, 3));
    let plan = ctx.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    assert_eq!(skipped(plan.as_ref()).messages, 0);
    datafusion::physical_plan::collect(plan.clone(), ctx.task_ctx()).await.unwrap();
    let all = skipped(plan.as_ref());
    assert_eq!(all.messages, 6);
    let example = all.example.unwrap();
    assert!(example.contains(".pb: message 2: InvalidUtf8 at byte") && example.ends_with(": shop"), "{example}");
    // Columns that nobody asks for are not checked, so nothing is skipped.
    assert_eq!(rows(&ctx, "select count(*) from orders").await, ["18"]);
    // An error of the stream itself.
    folder.write("d.pb", &[delimited(&orders(0..2)), vec![9, 0x08]].concat());
    let text = error_of_one(&folder, skipping.clone()).await;
    assert!(text.contains("d.pb: message 2: Truncated at byte"), "{text}");
    // Whole files: the first bad one is the example.
    let whole = Folder::new();
    for (name, bytes) in [("a.pb", &[][..]), ("b.pb", &bad()[1..]), ("c.pb", &[]), ("d.pb", &bad()[1..])] {
        whole.write(name, bytes);
    }
    let ctx = session(&whole.name("*.pb"), skipping.framing(Framing::Whole));
    ctx.sql("set datafusion.execution.target_partitions = 1").await.unwrap();
    let plan = ctx.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    datafusion::physical_plan::collect(plan.clone(), ctx.task_ctx()).await.unwrap();
    let all = skipped(plan.as_ref());
    assert_eq!(all.messages, 2);
    assert_eq!(all.example.unwrap(), format!("{}: InvalidUtf8 at byte 4: shop", whole.name("b.pb")));
}

/// ARW-66: a message above the limit, delimited and whole; of the whole file no more is read.
#[tokio::test]
async fn a_message_above_the_limit_is_refused() {
    let folder = Folder::new();
    let order = Order { shop: "x".repeat(2 << 20), ..Default::default() };
    let bytes = delimited(&[order]);
    let limited = format().read_options(ReadOptions::new().max_size(1 << 20));
    let path = folder.write("a.pb", &bytes);
    assert!(failed(&path, limited.clone()).await.contains("message 0: SizeExceeded at byte 0"));
    let path = folder.write("b.pb", &bytes[4..]);
    assert!(failed(&path, limited.framing(Framing::Whole)).await.contains("b.pb: SizeExceeded at byte 0"));
    assert_eq!(rows(&session(&path, format().framing(Framing::Whole)), "select count(*) from orders").await, ["1"]);
}

async fn next(stream: &mut SendableRecordBatchStream) -> usize {
    let batch = poll_fn(|context| stream.as_mut().poll_next(context)).await;
    batch.unwrap().unwrap().num_rows()
}

/// Returns how much the scan of a plan has read: the engine puts a node above it that yields now and then.
fn read(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let scan = plan.children()[0];
    assert_eq!(scan.name(), "ProtoExec");
    scan.metrics().unwrap().sum_by_name("bytes_read").unwrap().as_usize()
}

/// Waits until nothing is read, and returns how much was.
async fn settled(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let mut last = read(plan);
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        match read(plan) {
            now if now == last => return now,
            now => last = now,
        }
    }
}

/// ARW-69.
#[tokio::test]
async fn a_slow_query_waits_and_a_dropped_one_ends() {
    let folder = Folder::new();
    let block = delimited(&orders(0..1000));
    let bytes = block.repeat(300);
    let ctx = session(&folder.write("a.pb", &bytes), format());
    ctx.sql("set datafusion.execution.batch_size = 500").await.unwrap();
    let plan = ctx.sql("select * from orders").await.unwrap().create_physical_plan().await.unwrap();
    let mut stream = execute_stream(plan.clone(), ctx.task_ctx()).unwrap();
    assert_eq!(next(&mut stream).await, 500);
    // The reader reads pieces of 256 KiB or 512 KiB, for as long as the query takes its rows.
    let before = settled(&plan).await;
    assert!(before < 1 << 20, "{before} of {}", bytes.len());
    for _ in 0..280 {
        next(&mut stream).await;
    }
    let during = settled(&plan).await;
    assert!(during > before + (1 << 20) && during < bytes.len() - (1 << 20), "{during} of {}", bytes.len());
    drop(stream);
    let dropped = settled(&plan).await;
    assert!(dropped <= during + (512 << 10), "{dropped}, {during}");
    // A filter that keeps nothing sends nothing; the reader notices, too.
    let ctx = session(&folder.name("a.pb"), format());
    let plan =
        ctx.sql("select * from orders where shop = 'nowhere'").await.unwrap().create_physical_plan().await.unwrap();
    let stream = execute_stream(plan.clone(), ctx.task_ctx()).unwrap();
    while plan.children()[0].metrics().unwrap().sum_by_name("bytes_read").is_none_or(|sum| sum.as_usize() == 0) {
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    drop(stream);
    let ended = settled(&plan).await;
    assert!(ended < bytes.len(), "{ended} of {}", bytes.len());
}
