// A made-up format for the tests of main.cc: the checksum of a record is its length, its encoding the record itself. Each contender but
// the first has one fault.
#include "../cpp/contender.h"

namespace {

using peers::Records;
using peers::Task;

enum class Fault { None, Checksum, SecondTime, Refusal, Encoding, Fresh };

template <Fault kFault>
class Lengths final : public peers::Contender {
 public:
  bool takes(Task) const override { return true; }
  bool decode(std::string_view record, std::uint64_t& checksum) override {
    ++calls_;
    checksum = record.size() + (kFault == Fault::Checksum && record.size() == 5) + (kFault == Fault::SecondTime && calls_ > 3);
    return kFault != Fault::Refusal || !record.empty();
  }
  bool hold(const Records& records) override {
    held_ = records;
    return true;
  }
  std::string encoded(Task task, std::size_t i) override {
    const bool wrong = kFault == (task == Task::Encode ? Fault::Encoding : Fault::Fresh) && i == 1;
    return wrong ? "other" : std::string(held_[i]);
  }
  bool run(Task, const Records& records, std::uint64_t operations) override {
    return peers::in_turn(records.size(), operations, [&](std::size_t i) { return peers::use(records[i].size()), true; });
  }

 private:
  Records held_;
  int calls_ = 0;
};

template <Fault kFault>
using Registration = peers::Registration<Lengths<kFault>>;

const Registration<Fault::None> right("lengths", "right");
const Registration<Fault::Checksum> checksum("lengths", "checksum");
const Registration<Fault::SecondTime> second("lengths", "second");
const Registration<Fault::Refusal> refusal("lengths", "refusal");
const Registration<Fault::Encoding> encoding("lengths", "encoding");
const Registration<Fault::Fresh> fresh("lengths", "fresh");

const bool stock = [] {
  peers::rows()["lengths"].stock = {[](std::string_view record, std::uint64_t& sum) { return sum = record.size(), true; },
                                    [](std::string_view bytes, std::string& reencoded) { return reencoded = bytes, true; }};
  return true;
}();

}  // namespace
