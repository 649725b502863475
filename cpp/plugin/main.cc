// protoc-gen-hotpb-cpp: reads files or standard input, calls generate.cc, and writes its output.
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "generate.h"
#include "hotpb/detail/abi.h"

namespace {

bool read_all(std::FILE* from, std::string& content) {
  char piece[1 << 16];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, from)) content.append(piece, got);
  return std::ferror(from) == 0;
}

bool write_all(std::FILE* to, const std::string& content) {
  return std::fwrite(content.data(), 1, content.size(), to) == content.size() && std::fflush(to) == 0;
}

bool write_file(const std::string& path, const std::string& content) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  const bool put = file != nullptr && write_all(file, content);
  const bool closed = file == nullptr || std::fclose(file) == 0;
  return put && closed;
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::fprintf(stderr, "%s\n", line.c_str());
}

int fail(const std::string& line) {
  print_lines({line});
  return 1;
}

int run_plugin() {
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  std::string request;
  if (!read_all(stdin, request)) return fail("protoc-gen-hotpb-cpp: standard input cannot be read");
  std::vector<std::string> notes;
  if (!write_all(stdout, hotpb::plugin::answer(std::string_view(request), &notes))) {
    return fail("protoc-gen-hotpb-cpp: standard output cannot be written");
  }
  print_lines(notes);
  return 0;
}

int run_command(const hotpb::plugin::Arguments& arguments) {
  std::FILE* file = std::fopen(arguments.descriptor_set.c_str(), "rb");
  std::string set;
  const bool got = file != nullptr && read_all(file, set);
  if (file != nullptr) std::fclose(file);
  if (!got) return fail("protoc-gen-hotpb-cpp: " + arguments.descriptor_set + " cannot be read");

  std::string error;
  if (!arguments.emit_plan.empty()) {
    std::string json;
    if (!hotpb::plugin::plan_of_set(std::string_view(set), arguments.files, json, error)) return fail(error);
    if (arguments.emit_plan == "-") {
      if (!write_all(stdout, json)) return fail("protoc-gen-hotpb-cpp: standard output cannot be written");
    } else if (!write_file(arguments.emit_plan, json)) {
      return fail("protoc-gen-hotpb-cpp: " + arguments.emit_plan + " cannot be written");
    }
  }
  if (arguments.out.empty()) return 0;
  std::vector<hotpb::plugin::GeneratedFile> headers;
  std::vector<std::string> notes;
  if (!hotpb::plugin::headers_of_set(std::string_view(set), arguments.files, arguments.options, headers, error,
                                     &notes)) {
    return fail(error);
  }
  print_lines(notes);
  for (const hotpb::plugin::GeneratedFile& header : headers) {
    const std::filesystem::path path = std::filesystem::path(arguments.out) / header.name;
    std::error_code ignored;  // if it fails, write_file() reports the error
    std::filesystem::create_directories(path.parent_path(), ignored);
    if (!write_file(path.string(), header.content)) {
      return fail("protoc-gen-hotpb-cpp: " + path.string() + " cannot be written");
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return run_plugin();
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::puts("protoc-gen-hotpb-cpp " HOTPB_VERSION_STRING);
    return 0;
  }
  hotpb::plugin::Arguments arguments;
  std::string error;
  if (!hotpb::plugin::parse_arguments(std::vector<std::string>(argv + 1, argv + argc), arguments, error)) {
    return fail(error);
  }
  if (arguments.help) {
    std::fputs(hotpb::plugin::usage().c_str(), stdout);
    return 0;
  }
  return run_command(arguments);
}
