// The generator's two doors, without their input and output: the command line and the protoc plugin.
//
// Both take bytes that nobody has vouched for and answer with text, never with a crash; main.cc only moves bytes.
#ifndef HOTPB_PLUGIN_GENERATE_H_
#define HOTPB_PLUGIN_GENERATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "hotpb/wire.h"

namespace hotpb {
namespace plugin {

// What the command line asks for.
struct Arguments {
  std::string descriptor_set;                // path
  std::string emit_plan;                     // path, "-" is standard output
  std::string out;                           // directory of the generated headers, empty for none
  std::string options;                       // those of --opt, joined by commas
  std::vector<std::string> files;            // all when empty
  bool help = false;
};

struct GeneratedFile {
  std::string name;  // relative to the output directory
  std::string content;
};

// False, with one line that names the argument, its value and what is allowed.
bool parse_arguments(const std::vector<std::string>& words, Arguments& arguments, std::string& error);

// How the program is called, for --help and for mistakes.
std::string usage();

// The plan of a serialized FileDescriptorSet as JSON; false with the error.
bool plan_of_set(Bytes set, const std::vector<std::string>& files, std::string& json, std::string& error);

// The headers for a serialized FileDescriptorSet, by the options of the parameter; false with the error.
bool headers_of_set(Bytes set, const std::vector<std::string>& files, std::string_view parameter,
                    std::vector<GeneratedFile>& headers, std::string& error);

// A serialized CodeGeneratorResponse for a serialized CodeGeneratorRequest. What is wrong with the request or with the
// schema stands in the response, as protoc wants it.
std::string answer(Bytes request);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_GENERATE_H_
