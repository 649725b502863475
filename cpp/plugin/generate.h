// The generator's two doors, without their input and output: the command line and the protoc plugin.
//
// Both take untrusted bytes. For bad bytes they return an error and never crash. main.cc only reads and writes.
#ifndef HOTPB_PLUGIN_GENERATE_H_
#define HOTPB_PLUGIN_GENERATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "hotpb/wire.h"

namespace hotpb {
namespace plugin {

// The arguments of the command line.
struct Arguments {
  std::string descriptor_set;                // a path
  std::string emit_plan;                     // a path; "-" is standard output
  std::string out;                           // the folder of the generated headers, or empty
  std::string options;                       // the values of --opt, joined by commas
  std::vector<std::string> files;            // the values of --files; empty for all files
  bool help = false;
};

struct GeneratedFile {
  std::string name;  // relative to the output folder
  std::string content;
};

// Returns false with an error of one line: the argument, its value, and the fix.
bool parse_arguments(const std::vector<std::string>& words, Arguments& arguments, std::string& error);

// The text of --help.
std::string usage();

// Writes the plan of a serialized FileDescriptorSet as JSON. `files` are values of --files: names of files joined by +;
// a name of the set may hold a + itself. Returns false with the error.
bool plan_of_set(Bytes set, const std::vector<std::string>& files, std::string& json, std::string& error);

// Generates the headers of a serialized FileDescriptorSet, with the options in `parameter`. Returns false with the
// error. Adds lines that the user should read to `notes`.
bool headers_of_set(Bytes set, const std::vector<std::string>& files, std::string_view parameter,
                    std::vector<GeneratedFile>& headers, std::string& error,
                    std::vector<std::string>* notes = nullptr);

// Returns a serialized CodeGeneratorResponse for a serialized CodeGeneratorRequest. The response has the errors of the
// request and of the schema, where protoc looks for them.
std::string answer(Bytes request, std::vector<std::string>* notes = nullptr);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_GENERATE_H_
