// Seeded inputs, encoded by libprotobuf: the bytes of Rust's half of the grid (rust/bench/src/messages/data.rs), which
// draws the same numbers in the same order.
#include "pool/stock.h"

namespace bench {
namespace {

using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

// Splitmix64, as bench/corpus has it.
class Random {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  // Every number of bits alike.
  std::uint64_t any_length() {
    const std::uint64_t bits = 1 + below(64);
    return next() >> (64 - bits);
  }
  template <class T, std::size_t N>
  T pick(const T (&from)[N]) { return from[below(N)]; }
  std::string text(std::uint64_t length) {
    std::string out;
    for (std::uint64_t i = 0; i < length; ++i) out += i % 7 == 6 ? ' ' : static_cast<char>('a' + below(26));
    return out;
  }
  std::string bytes(std::size_t length) {
    std::string out;
    for (std::size_t i = 0; i < length; ++i) out += static_cast<char>(next() & 0xff);
    return out;
  }

 private:
  std::uint64_t state_ = 0x686f747062;
};

// A value in five cases of six.
struct Often {
  Random& r;

  template <class Set, class Make>
  void value(Set set, Make make) {
    if (r.below(6) > 0) set(make());
  }
  template <class Set>
  void flag(Set set) { value(set, [&] { return r.below(2) == 1; }); }
  template <class Set>
  void number(Set set) {
    value(set, [&] {
      const std::int32_t drawn = static_cast<std::int32_t>(r.any_length() >> 33);
      return r.below(50) == 0 ? -drawn : drawn;
    });
  }
  template <class Set>
  void text(Set set) {
    value(set, [&] {
      const std::uint64_t length = 4 + r.below(24);
      return r.text(length);
    });
  }
};

#define BENCH_SET(message, name) [&](auto value) { (message).set_##name(value); }

hotpb::bench::Quality quality(Random& r) {
  hotpb::bench::Quality q;
  Often often{r};
#define NUMBER(name) often.number(BENCH_SET(q, name));
#define TEXT(name) often.text(BENCH_SET(q, name));
#define FLAG(name) often.flag(BENCH_SET(q, name));
  NUMBER(links) NUMBER(text) FLAG(spam) TEXT(reason)
  often.value(BENCH_SET(q, model), [&] { return r.next(); });
  TEXT(topic) TEXT(entity)
  often.value(BENCH_SET(q, embedding), [&] { return r.bytes(24); });
  NUMBER(freshness) FLAG(reviewed) NUMBER(authority)
  often.value(BENCH_SET(q, bucket), [&] { return static_cast<std::uint32_t>(r.next()); });
  FLAG(pinned)
  often.value(BENCH_SET(q, updated), [&] { return r.any_length(); });
  NUMBER(votes) TEXT(editor)
  often.value(BENCH_SET(q, expires), [&] { return r.any_length(); });
  often.value(BENCH_SET(q, seen), [&] { return r.any_length(); });
  often.value(BENCH_SET(q, total), [&] { return r.any_length(); });
#undef NUMBER
#undef TEXT
#undef FLAG
  return q;
}

std::string listing(Random& r) {
  hotpb::bench::Listing m;
  Often often{r};
#define NUMBER(name) often.number(BENCH_SET(m, name));
#define TEXT(name) often.text(BENCH_SET(m, name));
#define FLAG(name) often.flag(BENCH_SET(m, name));
  m.set_id(r.text(12));
  NUMBER(rank) NUMBER(clicks)
  m.set_title(r.text(31));
  const std::uint64_t shards = r.below(4);
  for (std::uint64_t i = 0; i < shards; ++i) m.add_shards(r.next());
  FLAG(cached) TEXT(url) FLAG(verified) TEXT(host) NUMBER(score) FLAG(adult) FLAG(local)
  often.value([&](const hotpb::bench::Quality& value) { *m.mutable_quality() = value; }, [&] { return quality(r); });
  NUMBER(crawled) NUMBER(language) TEXT(country) FLAG(mobile) FLAG(secure) NUMBER(retries) NUMBER(region) TEXT(etag)
  FLAG(compressed)
  often.value(BENCH_SET(m, fingerprint), [&] { return r.next(); });
  FLAG(sitemap) NUMBER(depth) NUMBER(fetch_ms) FLAG(redirect) FLAG(robots) NUMBER(weight) NUMBER(position) NUMBER(page)
  TEXT(snippet) TEXT(author) NUMBER(pixels) NUMBER(bytes) NUMBER(links) TEXT(anchor) NUMBER(words) NUMBER(images)
  NUMBER(checksum) NUMBER(variant) NUMBER(version)
#undef NUMBER
#undef TEXT
#undef FLAG
  return m.SerializeAsString();
}

template <class Owner>
hotpb::bench::AnyValue& attribute(Owner& owner, const char* key) {
  hotpb::bench::KeyValue& entry = *owner.add_attributes();
  entry.set_key(key);
  return *entry.mutable_value();
}

void log_record(Random& r, hotpb::bench::LogRecord& record) {
  using hotpb::bench::Severity;
  const std::uint64_t time = 1795250863868000000u + r.below(std::uint64_t{1} << 36);
  const std::pair<Severity, const char*> severities[] = {{hotpb::bench::SEVERITY_DEBUG, "DEBUG"},
                                                         {hotpb::bench::SEVERITY_INFO, "INFO"},
                                                         {hotpb::bench::SEVERITY_INFO, "INFO"},
                                                         {hotpb::bench::SEVERITY_ERROR, "ERROR"}};
  const auto severity = r.pick(severities);
  const std::uint64_t length = 40 + r.below(100);
  const char* const methods[] = {"GET", "GET", "POST", "PUT"};
  const int codes[] = {200, 200, 200, 204, 404, 503};
  attribute(record, "http.request.method").set_string_value(r.pick(methods));
  attribute(record, "http.response.status_code").set_int_value(r.pick(codes));
  attribute(record, "url.path").set_string_value("/api/v1/" + r.text(6));
  attribute(record, "duration_ms").set_double_value(static_cast<double>(r.below(1 << 20)) / 1024.0);
  attribute(record, "cached").set_bool_value(r.below(2) == 1);
  if (r.below(8) == 0) {
    hotpb::bench::ArrayValue& tags = *attribute(record, "tags").mutable_array_value();
    for (int i = 0; i < 4; ++i) tags.add_values()->set_string_value(r.text(9));
  }
  record.set_time_unix_nano(time);
  record.set_severity_number(severity.first);
  record.set_severity_text(severity.second);
  record.mutable_body()->set_string_value(r.text(length));
  record.set_flags(1);
  record.set_trace_id(r.bytes(16));
  record.set_span_id(r.bytes(8));
  record.set_observed_time_unix_nano(time + r.below(1 << 24));
}

void leaf(Random& r, hotpb::bench::Node& node) {
  const std::uint64_t length = 6 + r.below(12);
  node.set_id(static_cast<std::int64_t>(r.below(std::uint64_t{1} << 40)));
  node.set_name(r.text(length));
}

void tree(Random& r, int below, hotpb::bench::Node& node) {
  for (int i = 0; i < 3 && below > 0; ++i) tree(r, below - 1, *node.add_children());
  leaf(r, node);
}

std::string span(Random& r) {
  hotpb::bench::Span s;
  const std::uint64_t name = 18 + r.below(16);
  const std::uint64_t route = 30 + r.below(20);
  s.set_trace_high(r.next());
  s.set_trace_low(r.next());
  s.set_span(r.next());
  s.set_name(r.text(name));
  s.set_service(r.text(14));
  s.set_start_ns(1795250863868000000u + r.below(std::uint64_t{1} << 40));
  s.set_duration_ns(r.below(1 << 30));
  const int statuses[] = {0, 0, 0, 2};
  s.set_status(r.pick(statuses));
  s.set_route(r.text(route));
  s.set_host("host-" + std::to_string(r.below(1000)) + ".example.org");
  s.set_sampled(r.below(4) > 0);
  if (r.below(5) > 0) {
    std::string address = "10";
    for (int i = 0; i < 3; ++i) address += '.' + std::to_string(r.below(256));
    s.mutable_peer()->set_address(address);
    s.mutable_peer()->set_port(static_cast<std::uint32_t>(1024 + r.below(60000)));
    s.mutable_peer()->set_zone("eu-central-1b");
  }
  return s.SerializeAsString();
}

bool seeded(const Request& request) { return request.case_name == "seeded"; }

// A map's entry, in the place where it comes.
void put_entry(std::string& out, std::uint32_t number, const std::string& entry) {
  StringOutputStream stream(&out);
  CodedOutputStream coded(&stream);
  coded.WriteTag(number << 3 | 2);
  coded.WriteVarint32(static_cast<std::uint32_t>(entry.size()));
  coded.WriteString(entry);
}
std::string part(std::uint32_t number, const std::string& text) {
  std::string out;
  put_entry(out, number, text);
  return out;
}
std::string part(std::uint32_t number, std::uint64_t value) {
  std::string out;
  StringOutputStream stream(&out);
  CodedOutputStream coded(&stream);
  coded.WriteTag(number << 3);
  coded.WriteVarint64(value);
  coded.Trim();
  return out;
}

}  // namespace

std::vector<std::string> input_file(const Request& request) {
  if (request.input.empty()) return {};
  return {request.input};
}

std::vector<std::string> listings(const Request& request) {
  std::vector<std::string> inputs;
  Random r;
  for (int i = 0; i < 256 && seeded(request); ++i) inputs.push_back(listing(r));
  return inputs;
}

std::vector<std::string> logs(const Request& request) {
  if (!seeded(request)) return {};
  Random r;
  hotpb::bench::LogsRequest all;
  for (int service = 0; service < 5; ++service) {
    hotpb::bench::ResourceLogs& resource_logs = *all.add_resource_logs();
    hotpb::bench::Resource& resource = *resource_logs.mutable_resource();
    attribute(resource, "service.name").set_string_value("service-" + std::to_string(service));
    attribute(resource, "service.instance.id").set_string_value(r.text(36));
    attribute(resource, "host.name").set_string_value("host-" + std::to_string(r.below(900)));
    attribute(resource, "process.pid").set_int_value(static_cast<std::int64_t>(r.below(65536)));
    for (int scope = 0; scope < 2; ++scope) {
      hotpb::bench::ScopeLogs& scope_logs = *resource_logs.add_scope_logs();
      scope_logs.mutable_scope()->set_name("library." + std::to_string(scope));
      scope_logs.mutable_scope()->set_version("1.4.2");
      for (int i = 0; i < 100; ++i) log_record(r, *scope_logs.add_log_records());
      scope_logs.set_schema_url("https://example.org/schemas/1.26.0");
    }
  }
  return {all.SerializeAsString()};
}

std::vector<std::string> packed(const Request& request) {
  if (!seeded(request)) return {};
  Random r;
  hotpb::bench::Packed m;
  for (int i = 0; i < 1000; ++i) m.add_small(static_cast<std::int32_t>(r.below(128)));
  for (int i = 0; i < 1000; ++i) m.add_large(static_cast<std::int64_t>(r.any_length()));
  for (int i = 0; i < 1000; ++i) m.add_counts(static_cast<std::uint32_t>(r.any_length() >> 32));
  for (int i = 0; i < 1000; ++i) m.add_deltas(static_cast<std::int64_t>(r.below(2000)) - 1000);
  for (int i = 0; i < 1000; ++i) m.add_flags(r.below(2) == 1);
  for (int i = 0; i < 1000; ++i) m.add_hashes(static_cast<std::uint32_t>(r.next()));
  for (int i = 0; i < 1000; ++i) m.add_values(static_cast<double>(r.below(std::uint64_t{1} << 40)) / 1024.0);
  return {m.SerializeAsString()};
}

std::vector<std::string> maps(const Request& request) {
  if (!seeded(request)) return {};
  Random r;
  std::string out;
  for (int i = 0; i < 200; ++i) {
    const std::string key = r.text(12);
    put_entry(out, 1, part(1, key) + part(2, r.text(20)));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string key = r.text(16);
    put_entry(out, 2, part(1, key) + part(2, r.any_length()));
  }
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t key = r.below(1 << 20);
    hotpb::bench::Point point;
    point.set_x(static_cast<double>(r.below(1 << 30)));
    point.set_y(static_cast<double>(r.below(1 << 30)));
    point.set_name(r.text(8));
    put_entry(out, 3, part(1, key) + part(2, point.SerializeAsString()));
  }
  return {out};
}

std::vector<std::string> deep(const Request& request) {
  if (!seeded(request)) return {};
  Random r;
  auto node = std::make_unique<hotpb::bench::Node>();
  tree(r, 3, *node);
  for (int i = 0; i < 80; ++i) {
    auto outer = std::make_unique<hotpb::bench::Node>();
    outer->set_allocated_next(node.release());
    leaf(r, *outer);
    node = std::move(outer);
  }
  return {node->SerializeAsString()};
}

std::vector<std::string> spans(const Request& request) {
  std::vector<std::string> inputs;
  Random r;
  for (int i = 0; i < 1024 && seeded(request); ++i) inputs.push_back(span(r));
  return inputs;
}

void pool_tasks(Grid& grid) {
  add_pool_hotpb_pool(grid);
  add_pool_libprotobuf(grid);
  add_pool_perfetto_protozero(grid);
#if defined(BENCH_MAPBOX)
  add_pool_mapbox_protozero(grid);
#endif
}

}  // namespace bench
