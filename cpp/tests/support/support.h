// Functions that the tests share: bytes from hex, seeded random input, files of the repository.
#ifndef HOTPB_TESTS_SUPPORT_SUPPORT_H_
#define HOTPB_TESTS_SUPPORT_SUPPORT_H_

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "hotpb/wire.h"

namespace hotpb_test {

// "08 96 01" -> three bytes; spaces are skipped.
inline std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string bytes;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    if (high < 0) {
      high = digit(c);
    } else {
      bytes += static_cast<char>(high * 16 + digit(c));
      high = -1;
    }
  }
  return bytes;
}

inline std::string to_hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

// Bytes in a heap block of exactly their size, so that the address sanitizer finds a read past the end.
class Exact {
 public:
  explicit Exact(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) { bytes_.shrink_to_fit(); }
  hotpb::Bytes bytes() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// The same numbers in every run. HOTPB_SEED=N chooses others.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : engine_(seed + environment_seed()) {}

  std::uint64_t bits() { return engine_(); }
  // 0 to n - 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  // Every length of varint is as likely.
  std::uint64_t varied() {
    const unsigned width = static_cast<unsigned>(below(65));
    return width == 0 ? 0 : bits() >> (64 - width);
  }
  std::string bytes(std::size_t size) {
    std::string result(size, '\0');
    for (char& c : result) c = static_cast<char>(bits() & 0xff);
    return result;
  }

 private:
  static std::uint64_t environment_seed();
  std::mt19937_64 engine_;
};

inline std::uint64_t Random::environment_seed() {
  const char* seed = std::getenv("HOTPB_SEED");
  return seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10);
}

// A path below the root of the repository.
inline std::string repository(const std::string& path) { return std::string(HOTPB_REPOSITORY) + "/" + path; }

inline bool read_file(const std::string& path, std::string& content) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  content.assign(std::istreambuf_iterator<char>(in), {});
  return true;
}

inline std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_SUPPORT_H_
