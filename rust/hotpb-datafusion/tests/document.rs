//! The commands of `docs/sql.md` print what it says.

mod common;

use common::{Folder, Time};
use prost::Message;
use std::path::Path;
use std::process::Command;

/// The messages of the document's schema.
#[derive(Clone, PartialEq, Message)]
struct Order {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, optional, tag = "2")]
    time: Option<Time>,
    #[prost(message, optional, tag = "3")]
    customer: Option<common::Customer>,
    #[prost(double, tag = "4")]
    total: f64,
    #[prost(message, repeated, tag = "5")]
    items: Vec<common::Item>,
}

#[derive(Clone, PartialEq, Message)]
struct Day {
    #[prost(message, repeated, tag = "1")]
    orders: Vec<Order>,
}

fn order(id: u64, name: &str, items: &[(&str, i32)]) -> Order {
    Order {
        id,
        time: Some(Time { seconds: 1_700_000_000 + id as i64, nanos: 0 }),
        customer: Some(common::Customer { name: name.to_string(), country: "DE".to_string() }),
        total: 12.5 * id as f64,
        items: items.iter().map(|&(sku, count)| common::Item { sku: sku.to_string(), count }).collect(),
    }
}

/// Returns the fences of a document: what follows the three signs, and the lines.
fn fences(document: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match line.strip_prefix("```") {
            Some(info) if !inside => found.push((info.to_string(), String::new())),
            Some(_) => {}
            None if inside => {
                let (_, text) = found.last_mut().unwrap();
                text.push_str(line);
                text.push('\n');
            }
            None => continue,
        }
        inside ^= line.starts_with("```");
    }
    found
}

#[test]
fn the_commands_of_the_document_print_what_it_says() {
    let folder = Folder::new();
    let (monday, tuesday) = (
        vec![order(1, "Ada", &[("apple", 2)]), order(2, "Bo", &[("apple", 3), ("pear", 1)])],
        vec![order(3, "Ada", &[("pear", 3)])],
    );
    folder.write("orders/1.pb", &common::delimited(&monday));
    folder.write("orders/2.pb.zst", &zstd::stream::encode_all(&common::delimited(&tuesday)[..], 1).unwrap());
    folder.write("monday.bin", &Day { orders: monday }.encode_to_vec());
    let program = Path::new(env!("CARGO_BIN_EXE_protosql")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let document = include_str!("../../../docs/sql.md");
    let mut printed = None;
    let (mut ran, mut compared) = (0, 0);
    for (info, text) in fences(document) {
        if let Some(name) = info.strip_prefix("proto file=") {
            folder.write(name, text.as_bytes());
        } else if info == "sh run" {
            let out = Command::new("sh").args(["-euc", &text]).current_dir(folder.path("")).env("PATH", &path).output();
            let out = out.unwrap();
            assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
            printed = Some(String::from_utf8(out.stdout).unwrap());
            ran += 1;
        } else if info == "text output" {
            assert_eq!(printed.take().unwrap(), text);
            compared += 1;
        }
    }
    assert_eq!((ran, compared), (4, 3));
    assert_eq!(printed.as_deref(), Some(""));
    assert!(std::fs::metadata(folder.path("orders.parquet")).unwrap().len() > 1000);
}
