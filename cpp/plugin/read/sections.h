// The straight code of a reader: a section for each field, and a switch over tags. Each section ends with a guess at
// the next field: the same field if it is repeated, then the field after it. If the guess is wrong, the switch decides.
#ifndef HOTPB_PLUGIN_READ_SECTIONS_H_
#define HOTPB_PLUGIN_READ_SECTIONS_H_

#include <cstddef>
#include <vector>

#include "code.h"
#include "plan.h"

namespace hotpb {
namespace plugin {

class Sections {
 public:
  // `failure` is what the reader returns for bad input.
  Sections(const std::vector<const Field*>& fields, const char* failure, Code& code)
      : fields_(fields), failure_(failure), code_(code) {}

 protected:
  ~Sections() = default;

  // What a section does with a record, of which the tag was read.
  virtual void record(std::size_t index, bool packed) = 0;
  // Whether the section of the field needs `start`, the place of the tag.
  virtual bool needs_start(const Field& field) const = 0;

  // A guess at the first field, the switch, and the sections.
  void guess_first();
  void dispatch();
  void sections();
  void read_payload();

 private:
  void section(std::size_t index, bool packed);
  void guess(const Field& field);

  const std::vector<const Field*>& fields_;
  const char* const failure_;
  Code& code_;
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_READ_SECTIONS_H_
