//! The tests of the faces. They are one program, because each would link the generated code once more.

mod borrowed_bytes;
mod generated_version;
mod hostile_depth;
mod hostile_pool;
mod hostile_writer;
mod plan_goldens;
mod plan_scaffold;
mod plan_sources;
mod plan_untrusted;
mod pool_any_bytes;
mod pool_budget;
mod pool_builder;
mod pool_calls;
mod pool_lookup;
mod pool_memory;
mod pool_pairs;
mod pool_reset;
mod pool_text;
mod pool_tiers;
mod pool_visit;
mod select_fields;
mod stock_runtime;
mod vectors;
mod view;
mod view_vectors;
mod writer_await;
mod writer_memory;
mod writer_properties;
mod writer_vectors;

#[global_allocator]
static ALLOCATOR: hotpb_tests::counting::Counting = hotpb_tests::counting::Counting;
