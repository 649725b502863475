#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "bench/many.pb.h"
#include "many/rivals.h"

namespace bench {
namespace many {
namespace {

using Stock = hotpb::bench::many::Wide00;

// Splitmix64, as in rust/bench/src/random.rs.
class Random {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  // Each number of bits is as likely.
  std::uint64_t any_length() {
    const std::uint64_t bits = 1 + below(64);
    return next() >> (64 - bits);
  }

 private:
  std::uint64_t state_ = 0x00686f747062;  // "hotpb"
};

// The fields by number from 1: s(tring), b(ytes), v(arint), (bool) o, 8 and 4 bytes.
constexpr char kKinds[] = "svvosvvs8vsvosvvsv4osvvsvobsvv8svossv4sv";

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

template <class T>
void append_fixed(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void append_field(Random& random, std::string& out, unsigned number, char kind) {
  const unsigned wire_type = kind == 's' || kind == 'b' ? 2 : kind == '8' ? 1 : kind == '4' ? 5 : 0;
  append_varint(out, number << 3 | wire_type);
  switch (kind) {
    case 's':
    case 'b': {
      const std::uint64_t size = 4 + random.below(20);
      append_varint(out, size);
      for (std::uint64_t i = 0; i < size; ++i) out += i % 7 == 6 ? ' ' : static_cast<char>('a' + random.below(26));
      break;
    }
    case '8': append_fixed(out, static_cast<double>(1 + random.below(std::uint64_t{1} << 40))); break;
    case '4': append_fixed(out, static_cast<float>(1 + random.below(1 << 20))); break;
    case 'o': append_varint(out, 1); break;
    default: append_varint(out, 1 + (random.any_length() >> 33));
  }
}

// A third of the messages has all fields, a third has half of them, and a third has five.
std::vector<std::string> make_inputs() {
  Random random;
  std::vector<std::string> all(1024);
  for (std::string& bytes : all) {
    const std::uint64_t share = std::array<std::uint64_t, 3>{40, 20, 5}[random.below(3)];
    for (unsigned i = 0; i < 40; ++i) {
      if (random.below(40) < share) append_field(random, bytes, i + 1, kKinds[i]);
    }
  }
  return all;
}

std::vector<std::size_t> make_turn() {
  Random random;
  std::vector<std::size_t> types(inputs().size());
  for (std::size_t& type : types) type = random.below(kTypes);
  return types;
}

Stock parsed(const std::string& bytes) {
  Stock message;
  if (!message.ParseFromString(bytes)) std::abort();
  return message;
}

// The types and messages to decode are in the same order as in Rust and Go.
class Decoding final : public Contender {
 public:
  explicit Decoding(Decoders types) : types_(std::move(types)) {}
  void run(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) {
      use(types_[turn()[next_]]->decode(inputs()[next_]));
      next_ = (next_ + 1) % inputs().size();
    }
  }
  std::string verify() override {
    for (std::size_t i = 0; i < inputs().size(); ++i) {
      if (types_[turn()[i]]->decode(inputs()[i]) != read(parsed(inputs()[i]))) return "libprotobuf reads other values";
    }
    return {};
  }
  std::size_t size() const override {
    std::size_t sum = 0;
    for (const std::string& bytes : inputs()) sum += bytes.size();
    return sum / inputs().size();
  }

 private:
  Decoders types_;
  std::size_t next_ = 0;
};

// One message of each type is kept.
class Encoding final : public Contender {
 public:
  explicit Encoding(Encoders types) : types_(std::move(types)) {
    for (std::size_t i = 0; i < kTypes; ++i) types_[i]->keep(wide(i));
  }
  void run(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) {
      types_[turn()[next_]]->encode(out_);
      clobber_memory();
      next_ = (next_ + 1) % inputs().size();
    }
  }
  std::string verify() override {
    for (std::size_t i = 0; i < kTypes; ++i) {
      const std::size_t size = types_[i]->encode(out_);
      const std::string bytes(reinterpret_cast<const char*>(out_), size);
      if (bytes != inputs()[i]) return "the bytes are not those of the input";
    }
    return {};
  }
  std::size_t size() const override {
    std::size_t sum = 0;
    for (const std::size_t type : turn()) sum += inputs()[type].size();
    return sum / turn().size();
  }

 private:
  Encoders types_;
  std::size_t next_ = 0;
  std::uint8_t out_[kRoom];
};

}  // namespace

const std::vector<std::string>& inputs() {
  static const std::vector<std::string> all = make_inputs();
  return all;
}

const std::vector<std::size_t>& turn() {
  static const std::vector<std::size_t> types = make_turn();
  return types;
}

Wide<std::string> wide(std::size_t i) {
  const Stock message = parsed(inputs()[i]);
  Wide<std::string> values;
#define BENCH_FIELD(type, name, number) values.name = message.name();
  BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
  return values;
}

void add_decoders(Grid& grid, const char* rival, const char* note, Decoders (*make)()) {
  grid.add("many-types-decode", rival, note, [make](const Request&) { return std::make_unique<Decoding>(make()); });
}

void add_encoders(Grid& grid, const char* rival, const char* note, Encoders (*make)()) {
  grid.add("many-types-encode", rival, note, [make](const Request&) { return std::make_unique<Encoding>(make()); });
}

}  // namespace many

void many_tasks(Grid& grid) {
  many::add_hotpb(grid);
  many::add_libprotobuf(grid);
#ifdef BENCH_MAPBOX
  many::add_mapbox_protozero(grid);
#endif
  many::add_perfetto_protozero(grid);
}

}  // namespace bench
