// The vectors (vectors/README.md) of the wire layer and of check(): all primitives and streams, and the error, offset
// and path of every message. The tests of the faces check good input.
#include <gtest/gtest.h>

#include <memory>

#include "descriptors.h"
#include "hotpb/check.h"
#include "hotpb/delimited.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"
#include "support/json.h"
#include "support/support.h"
#include "support/tables.h"
#include "support/vectors.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::Error;

class Vectors : public testing::Test {
 protected:
  // The plan of the vectors' schemas, which is read once.
  static void SetUpTestSuite() {
    set_ = new std::string;
    ASSERT_TRUE(read_file(repository("vectors/plans/vectors.fds"), *set_));
    hotpb::plugin::pb::FileDescriptorSetView files;
    ASSERT_TRUE(files.decode(std::string_view(*set_)).ok());
    plan_ = new hotpb::plugin::Plan;
    hotpb::plugin::SchemaError error;
    ASSERT_TRUE(hotpb::plugin::build_plan(files.file(), {}, *plan_, error)) << error.to_string();
    tables_ = new Tables(*plan_);
  }
  static void TearDownTestSuite() {
    delete tables_;
    delete plan_;
    delete set_;
  }

  static const hotpb::MessageTable& table(const Json& vector) {
    const hotpb::MessageTable* found = tables_->find(vector.at("message").string);
    if (found == nullptr) throw std::runtime_error("no message " + vector.at("message").string);
    return *found;
  }

 private:
  static std::string* set_;
  static hotpb::plugin::Plan* plan_;
  static Tables* tables_;
};

std::string* Vectors::set_ = nullptr;
hotpb::plugin::Plan* Vectors::plan_ = nullptr;
Tables* Vectors::tables_ = nullptr;

TEST_F(Vectors, good_messages_pass_the_check) {
  for (const Json& vector : load_vectors("wire")) {
    SCOPED_TRACE(vector.at("name").string);
    const Exact input(from_hex(vector.at("input").string));
    EXPECT_EQ(hotpb::to_string(hotpb::check(table(vector), input.bytes(), vector_options(vector))), "Ok");
    const Exact canonical(from_hex(vector.at("canonical").string));
    EXPECT_EQ(hotpb::to_string(hotpb::check(table(vector), canonical.bytes(), vector_options(vector))), "Ok");
  }
}

TEST_F(Vectors, bad_messages_give_the_code_the_offset_and_the_path) {
  std::size_t of_faces = 0;
  for (const Json& vector : load_vectors("invalid")) {
    SCOPED_TRACE(vector.at("name").string);
    const Exact input(from_hex(vector.at("input").string));
    const Error got = hotpb::check(table(vector), input.bytes(), vector_options(vector));
    const std::string& code = vector.at("error").at("code").string;
    if (code == "MissingRequired" || code == "CountExceeded") {
      // The bytes are well-formed, so a face must find this error.
      EXPECT_EQ(hotpb::to_string(got), "Ok");
      ++of_faces;
      continue;
    }
    expect_error(vector.at("error"), got);
  }
  EXPECT_GT(of_faces, 0u);
}

TEST_F(Vectors, streams_give_their_messages_and_then_the_error) {
  for (const Json& vector : load_vectors("stream")) {
    SCOPED_TRACE(vector.at("name").string);
    const Exact input(from_hex(vector.at("input").string));
    const hotpb::ReadOptions read_options = vector_options(vector);
    const std::vector<Json>& wanted = vector.at("messages").array;
    hotpb::DelimitedReader stream(input.bytes(), read_options);
    Error error;
    std::size_t count = 0;
    hotpb::Bytes message;
    while (error.ok() && stream.next(message)) {
      error = hotpb::check(table(vector), message, read_options);
      error.offset += stream.message_offset();
      if (!error.ok()) break;
      ++count;
    }
    EXPECT_EQ(count, wanted.size());
    if (error.ok()) error = Error{stream.status().code, stream.status().offset, {}};
    if (vector.has("error")) {
      expect_error(vector.at("error"), error);
    } else {
      EXPECT_EQ(hotpb::to_string(error), "Ok");
    }
  }
}

TEST_F(Vectors, primitives_are_read_as_said) {
  const hotpb::MessageTable nothing{nullptr, 0};
  for (const Json& vector : load_vectors("primitive")) {
    SCOPED_TRACE(vector.at("name").string);
    const Exact input(from_hex(vector.at("input").string));
    const hotpb::Bytes bytes = input.bytes();
    const std::string& kind = vector.at("kind").string;
    if (kind == "utf8") {
      const bool valid = vector.at("value").boolean;
      EXPECT_EQ(hotpb::utf8::is_valid(bytes.data(), bytes.size()), valid);
      const std::size_t prefix = hotpb::utf8::valid_prefix(bytes.data(), bytes.size());
      const std::size_t wanted =
          valid ? bytes.size() : static_cast<std::size_t>(vector.at("error").at("offset").integer);
      EXPECT_EQ(prefix, wanted);
    } else if (kind == "varint") {
      std::uint64_t value = 0;
      const std::uint8_t* end = hotpb::wire::read_varint(bytes.begin(), bytes.end(), value);
      if (vector.has("error")) {
        EXPECT_EQ(end, nullptr);
        // The cold path reports the error: as the value of a field, its offset is one byte higher.
        const Exact field("\x08" + std::string(bytes.text()));
        Error error = hotpb::check(nothing, field.bytes());
        error.offset -= 1;
        error.path.clear();
        expect_error(vector.at("error"), error);
      } else {
        EXPECT_EQ(end, bytes.end());
        EXPECT_EQ(std::to_string(value), vector.at("value").string);
      }
    } else {
      ADD_FAILURE() << "unknown kind " << kind;
    }
  }
}

}  // namespace
}  // namespace hotpb_test
