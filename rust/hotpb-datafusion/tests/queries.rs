//! Queries over files, beside prost's results of the same files.

mod common;

use common::*;
use datafusion::prelude::SessionContext;
use hotpb_arrow::{Options, ReadOptions};
use hotpb_datafusion::{Framing, ProtoFormat, with_files};

/// Three files of 20 orders.
fn three(folder: &Folder) -> String {
    for part in 0..3 {
        folder.write(&format!("orders/{part}.pb"), &delimited(&orders(part * 20..part * 20 + 20)));
    }
    folder.name("orders")
}

fn of_all(ids: &[u64]) -> Vec<String> {
    ids.iter().map(u64::to_string).collect()
}

/// ARW-60.
#[tokio::test]
async fn a_query_has_the_rows_of_all_messages() {
    let folder = Folder::new();
    let ctx = session(&three(&folder), format());
    let all = orders(0..60);
    assert_eq!(rows(&ctx, "select count(*) from orders").await, ["60"]);
    let ratings: i64 = all.iter().filter_map(|o| o.rating.map(i64::from)).sum();
    assert_eq!(rows(&ctx, "select sum(rating), count(rating) from orders").await, [format!("{ratings}|48")]);
    let items: i32 = all.iter().flat_map(|o| &o.items).map(|i| i.count).sum();
    // Nested values by the engine's own means.
    let query = "select sum(item['count']) from (select unnest(items) as item from orders)";
    assert_eq!(rows(&ctx, query).await, [items.to_string()]);
    let mut south: Vec<String> = all
        .iter()
        .filter(|o| o.shop == "south")
        .map(|o| format!("{}|{}", o.id, ["NEW", "PAID", "SENT"][o.state as usize]))
        .collect();
    south.sort();
    let mut found = rows(&ctx, "select id, state from orders where shop = 'south'").await;
    found.sort();
    assert_eq!(found, south);
    let times = rows(&ctx, "select count(*) from orders where time >= '2023-11-14T22:13:30.000000005Z'").await;
    assert_eq!(
        times,
        [all.iter().filter(|o| o.time.as_ref().is_some_and(|t| t.seconds >= 1_700_000_010)).count().to_string()]
    );
}

/// ARW-60.
#[tokio::test]
async fn an_empty_file_is_no_message_or_the_empty_one() {
    let folder = Folder::new();
    let path = folder.write("empty.pb", b"");
    assert_eq!(rows(&session(&path, format()), "select count(*) from orders").await, ["0"]);
    assert_eq!(rows(&session(&path, format()), "select id, shop from orders").await, [""; 0]);
    let whole = session(&path, format().framing(Framing::Whole));
    assert_eq!(rows(&whole, "select id, shop, rating from orders").await, ["0||"]);
}

/// ARW-60, ARW-21.
#[tokio::test]
async fn a_file_can_be_one_message_and_its_elements_the_rows() {
    let folder = Folder::new();
    for (part, range) in [0..9, 9..9, 9..30].into_iter().enumerate() {
        let day = Day { name: format!("day {part}"), orders: orders(range) };
        folder.write(&format!("{part}.bin"), &prost::Message::encode_to_vec(&day));
    }
    let format = |message| ProtoFormat::new(types(), message).framing(Framing::Whole);
    let days = session(&folder.name("*.bin"), format("shop.Day"));
    let found = rows(&days, "select name, cardinality(orders) from orders order by name").await;
    assert_eq!(found, ["day 0|9", "day 1|0", "day 2|21"]);
    let ctx = session(&folder.name("*.bin"), format("shop.Day").options(Options::new().rows("orders")));
    assert_eq!(rows(&ctx, "select count(*), sum(id) from orders").await, ["30|435"]);
    assert_eq!(rows(&ctx, "select id from orders where id >= 20 order by id limit 2").await, ["20", "21"]);
}

/// ARW-63: the shop's name is not text, and nobody asks for it.
#[tokio::test]
async fn a_query_decodes_the_columns_that_it_needs() {
    let folder = Folder::new();
    let mut bytes = delimited(&orders(0..5));
    bytes.extend([6, 0x08, 77, 0x12, 2, 0xff, 0xfe]);
    let ctx = session(&folder.write("orders.pb", &bytes), format());
    assert_eq!(rows(&ctx, "select max(id) from orders").await, ["77"]);
    assert_eq!(rows(&ctx, "select count(*) from orders").await, ["6"]);
    assert_eq!(rows(&ctx, "select id from orders where total = 0 and id > 70").await, ["77"]);
    let plan = analysed(&ctx, "select max(id) from orders where not gift").await;
    assert!(plan.contains("projection=[id], filter=NOT gift@1"), "{plan}");
    for query in ["select * from orders", "select id from orders where shop <> 'x'"] {
        assert!(error(&ctx, query).await.to_string().contains("InvalidUtf8 at byte"), "{query}");
    }
}

/// ARW-63: columns come in the order of the query, with what the options chose below them.
#[tokio::test]
async fn options_choose_columns_and_a_query_narrows_them() {
    let folder = Folder::new();
    let options = Options::new().columns(["customer.country", "id", "state"]).enum_numbers();
    let ctx = session(&folder.write("orders.pb", &delimited(&orders(0..4))), format().options(options));
    let all = rows(&ctx, "select * from orders where id > 0").await;
    assert_eq!(all, ["1|1|{country: DE}", "2|2|{country: DE}", "3|0|{country: DE}"]);
    assert_eq!(rows(&ctx, "select customer['country'], id from orders where state = 2").await, ["DE|2"]);
    let ctx = session(&folder.name("orders.pb"), format());
    assert_eq!(rows(&ctx, "select state, id, gift from orders where rating = -4 and total < 0").await, [""; 0]);
    assert_eq!(rows(&ctx, "select state, id, gift from orders where rating = -3").await, ["SENT|2|false"]);
}

type Keeps = fn(&Order) -> bool;

/// Every operator, with the rows that it keeps.
const FILTERS: &[(&str, Keeps)] = &[
    ("id = 7", |o| o.id == 7),
    ("7 = id", |o| o.id == 7),
    ("id <> 7", |o| o.id != 7),
    ("id < 7", |o| o.id < 7),
    ("id <= 7", |o| o.id <= 7),
    ("id > 50", |o| o.id > 50),
    ("id >= 50", |o| o.id >= 50),
    ("id > -1", |_| true),
    ("id in (3, 5, 500)", |o| [3, 5].contains(&o.id)),
    ("id not in (3, 5, 500)", |o| ![3, 5].contains(&o.id)),
    ("id between 10 and 12", |o| (10..=12).contains(&o.id)),
    ("id not between 10 and 58", |o| !(10..=58).contains(&o.id)),
    ("rating is null", |o| o.rating.is_none()),
    ("rating is not null", |o| o.rating.is_some()),
    ("rating = 2", |o| o.rating == Some(2)),
    // A null is neither equal nor different.
    ("rating <> 2", |o| o.rating.is_some_and(|r| r != 2)),
    ("not (rating = 2)", |o| o.rating.is_some_and(|r| r != 2)),
    ("rating is distinct from 2", |o| o.rating != Some(2)),
    ("rating in (1, 2)", |o| matches!(o.rating, Some(1 | 2))),
    ("rating not in (1, 2, null)", |_| false),
    ("rating < 0 or rating is null", |o| o.rating.is_none_or(|r| r < 0)),
    ("(rating < 0) is true", |o| o.rating.is_some_and(|r| r < 0)),
    ("(rating < 0) is not true", |o| o.rating.is_none_or(|r| r >= 0)),
    ("shop = 'south'", |o| o.shop == "south"),
    ("shop <> ''", |o| !o.shop.is_empty()),
    ("shop >= 'o'", |o| o.shop.as_str() >= "o"),
    ("shop like 's%'", |o| o.shop.starts_with('s')),
    ("shop not like '%ü'", |o| !o.shop.ends_with('ü')),
    ("shop in ('north', 'Ost ü')", |o| ["north", "Ost ü"].contains(&o.shop.as_str())),
    ("state = 'PAID'", |o| o.state == 1),
    ("state <> 'PAID'", |o| o.state != 1),
    ("state in ('NEW', 'SENT')", |o| o.state != 1),
    ("gift", |o| o.gift),
    ("not gift", |o| !o.gift),
    ("gift = false", |o| !o.gift),
    ("token = x'07'", |o| o.token == [7]),
    // The engine orders floats totally: NaN is the largest, and equal to itself.
    ("total = 0", |o| o.total == 0.0),
    ("total = 12.5", |o| o.total == 12.5),
    ("total <> 12.5", |o| o.total != 12.5),
    ("total > 50", |o| o.total > 50.0 || o.total.is_nan()),
    ("total <= 12.5", |o| o.total <= 12.5),
    ("total = 'NaN'", |o| o.total.is_nan()),
    ("time is null", |o| o.time.is_none()),
    ("time < '2023-11-14T22:13:25Z'", |o| o.time.as_ref().is_some_and(|t| t.seconds < 1_700_000_005)),
    ("id > 10 and shop = 'north' and rating is not null", |o| o.id > 10 && o.shop == "north" && o.rating.is_some()),
    ("id < 10 and (gift or state = 'SENT')", |o| o.id < 10 && (o.gift || o.state == 2)),
];

/// ARW-64.
#[tokio::test]
async fn filters_keep_the_same_rows_in_the_table_and_after_it() {
    let folder = Folder::new();
    let path = three(&folder);
    let (inside, after) = (session(&path, format()), session(&path, format().filter_push_down(false)));
    let all = orders(0..60);
    for (filter, keeps) in FILTERS {
        let expected: Vec<u64> = all.iter().filter(|order| keeps(order)).map(|order| order.id).collect();
        let query = format!("select id from orders where {filter} order by id");
        assert_eq!(rows(&inside, &query).await, of_all(&expected), "{filter}");
        assert_eq!(rows(&after, &query).await, of_all(&expected), "{filter}");
        let plans = (analysed(&inside, &query).await, analysed(&after, &query).await);
        // The engine resolves some itself: id > -1 is every id.
        let trivial = expected.len() == all.len() || *filter == "rating not in (1, 2, null)";
        assert!(trivial || plans.0.contains(", filter=") && !plans.0.contains("FilterExec"), "{filter}: {}", plans.0);
        assert!(trivial || !plans.1.contains(", filter=") && plans.1.contains("FilterExec"), "{filter}: {}", plans.1);
    }
}

/// ARW-64: what is not simple stays with the engine.
#[tokio::test]
async fn other_filters_are_applied_after_the_table() {
    let folder = Folder::new();
    let ctx = session(&three(&folder), format());
    let cases = [
        ("upper(shop) = 'SOUTH'", 15),
        ("customer['country'] = 'DE'", 45),
        ("cardinality(items) = 2", 20),
        ("id % 2 = 0", 30),
        ("customer is null", 15),
        ("id = rating", orders(0..60).iter().filter(|o| o.rating.is_some_and(|r| r as i64 == o.id as i64)).count()),
    ];
    for (filter, count) in cases {
        let query = format!("select count(*) from orders where {filter}");
        assert_eq!(rows(&ctx, &query).await, [count.to_string()], "{filter}");
    }
    let plan = analysed(&ctx, "select id from orders where upper(shop) = 'SOUTH' and id > 3").await;
    assert!(plan.contains("FilterExec: upper(shop") && plan.contains("filter=id@0 > 3"), "{plan}");
}

/// ARW-65: after the rows that the query wants come bytes that are no message.
#[tokio::test]
async fn a_limit_ends_the_reading() {
    let folder = Folder::new();
    let mut bytes = delimited(&orders(0..20_000));
    let good = bytes.len() as u64;
    bytes.extend([0xff; 11]);
    let ctx = session(&folder.write("orders.pb", &bytes), format());
    assert_eq!(rows(&ctx, "select id from orders limit 3").await, ["0", "1", "2"]);
    assert_eq!(rows(&ctx, "select id from orders where id > 40 limit 2").await, ["41", "42"]);
    assert_eq!(rows(&ctx, "select id from orders limit 0").await, [""; 0]);
    assert_eq!(rows(&ctx, "select id from orders limit 2 offset 9").await, ["9", "10"]);
    let plan = analysed(&ctx, "select id from orders where id > 40 limit 2").await;
    assert!(plan.contains("limit=2"), "{plan}");
    assert!(error(&ctx, "select max(id) from orders").await.to_string().contains("VarintOverflow"));
    assert!(good > 1 << 20);
    let read: Vec<&str> = plan.split("bytes_read=").collect();
    assert!(!read[1].contains(" M"), "{plan}");
}

/// ARW-68.
#[tokio::test]
async fn partitions_are_files_in_order() {
    let folder = Folder::new();
    let ctx = session(&three(&folder), format());
    let plan = ctx.sql("select id from orders").await.unwrap().create_physical_plan().await.unwrap();
    assert_eq!(plan.properties().output_partitioning().partition_count(), 3);
    let parts = datafusion::physical_plan::collect_partitioned(plan, ctx.task_ctx()).await.unwrap();
    let mut firsts = Vec::new();
    for part in parts {
        let ids: Vec<u64> = part.iter().flat_map(ids).collect();
        assert!(ids.is_sorted());
        assert!(part.iter().all(|batch| batch.num_rows() <= 7));
        firsts.push((ids[0], ids.len()));
    }
    firsts.sort();
    assert_eq!(firsts, [(0, 20), (20, 20), (40, 20)]);
}

fn ids(batch: &datafusion::arrow::array::RecordBatch) -> Vec<u64> {
    use datafusion::arrow::array::cast::AsArray;
    batch.column(0).as_primitive::<datafusion::arrow::datatypes::UInt64Type>().values().to_vec()
}

/// Tables of paths, beside tables with names.
#[tokio::test]
async fn a_path_in_quotes_is_a_table() {
    let folder = Folder::new();
    let path = three(&folder);
    let ctx = with_files(session(&path, format()), format());
    assert_eq!(rows(&ctx, &format!("select count(*) from '{path}/[01].pb'")).await, ["40"]);
    let query = format!("select count(*) from orders a join '{path}/2.pb' b on a.id = b.id where b.id > 49");
    assert_eq!(rows(&ctx, &query).await, ["10"]);
    assert!(error(&ctx, "select 1 from nosuch").await.to_string().contains("nosuch"));
    let missing = error(&ctx, "select 1 from './nosuch.pb'").await.to_string();
    assert!(missing.contains("./nosuch.pb: ") && missing.contains("No such file"), "{missing}");
}

/// ARW-70.
#[tokio::test]
async fn tables_of_different_messages_join() {
    let folder = Folder::new();
    let ctx = session(&three(&folder), format());
    let items: Vec<Item> = (0..3).map(|i| Item { sku: format!("s{i}"), count: i }).collect();
    let path = folder.write("items.pb", &delimited(&items));
    hotpb_datafusion::register_protobuf(&ctx, "items", path, ProtoFormat::new(types(), "shop.Item")).unwrap();
    let query =
        "select id, sku from orders join items on id = count union all select count, sku from items order by 1, 2";
    assert_eq!(rows(&ctx, query).await, ["0|s0", "0|s0", "1|s1", "1|s1", "2|s2", "2|s2"]);
    let schema = ctx.table("orders").await.unwrap().schema().as_arrow().clone();
    assert!(schema.metadata().is_empty());
    assert_eq!(schema.field(4).metadata()["PARQUET:field_id"], "5");
}

#[tokio::test]
async fn a_table_of_a_message_that_does_not_exist_is_an_error() {
    let folder = Folder::new();
    let path = folder.write("orders.pb", b"");
    let none = ProtoFormat::new(types(), "shop.Oder").read_options(ReadOptions::new());
    let error = hotpb_datafusion::register_protobuf(&SessionContext::new(), "orders", path, none).unwrap_err();
    assert!(error.to_string().contains("shop.Oder"), "{error}");
}
