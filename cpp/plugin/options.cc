// The generator's options (FCE-7). An option that the generator cannot follow is an error that names it (FCE-16).
#include <algorithm>
#include <iterator>
#include <set>

#include "emit.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

// The options with a value, and those without.
constexpr std::string_view kValued[] = {"faces", "messages", "only", "skip", "hot", "cold", "utf8", "namespace",
                                        "comments", "emit_plan"};
struct Flag {
  std::string_view name;
  bool Options::*member;
};
constexpr Flag kFlags[] = {{"keep_skipped", &Options::keep_skipped}, {"single_header", &Options::single_header},
                           {"sources", &Options::sources}, {"split", &Options::split}, {"quiet", &Options::quiet}};

std::string allowed() {
  std::string list = "the options are";
  for (const std::string_view name : kValued) list += ' ' + std::string(name) + "=,";
  for (const Flag& flag : kFlags) list += ' ' + std::string(flag.name) + ',';
  list.pop_back();
  return list.replace(list.rfind(','), 1, " and");
}

const Face* find_face(std::string_view name) {
  for (const Face& face : all_faces()) {
    if (face.name == name) return &face;
  }
  return nullptr;
}

std::string face_names() {
  std::string names;
  for (const Face& face : all_faces()) {
    if (!names.empty()) names += ", ";
    names += face.name;
  }
  return names;
}

// Returns the named faces, in the order of the table; empty with the error.
std::vector<const Face*> read_faces(std::string_view value, std::string& error) {
  std::vector<const Face*> faces;
  for (const std::string_view name : split(value, '+')) {
    const Face* const face = find_face(name);
    if (face == nullptr) {
      error = "the face \"" + std::string(name) + "\" is not in this version of the C++ generator; it has " +
              face_names();
      return {};
    }
    if (std::find(faces.begin(), faces.end(), face) != faces.end()) {
      error = std::string(name) + " is named twice";
      return {};
    }
    faces.push_back(face);
  }
  for (const Face* const face : faces) {
    if (face->base.empty()) continue;
    for (const std::string_view part : split(face->base, '+')) {
      if (std::find(faces.begin(), faces.end(), find_face(part)) != faces.end()) continue;
      error = std::string(face->name) + " needs " + std::string(face->base) + ": write faces=" +
              std::string(face->base) + "+" + std::string(face->name);
      return {};
    }
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

void read_names(std::string_view value, const char* kind, std::vector<std::string>& names, std::string& problem) {
  for (const std::string_view name : split(value, '+')) {
    if (name.empty()) problem = std::string("write full names of ") + kind + " joined by +";
    names.emplace_back(name);
  }
}

// Whether C++ and generated code allow a namespace of this name.
bool is_namespace(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || name.front() == '_' || name.find("__") != std::string_view::npos) return false;
  for (const char c : name) {
    if (!letter(c) && (c < '0' || c > '9' || c == name.front())) return false;
  }
  return identifier(name) == name;
}

// Reads one option. Returns false with the problem.
bool read_option(std::string_view key, std::string_view value, Options& options, std::string& problem) {
  if (key == "faces") {
    options.faces = read_faces(value, problem);
  } else if (key == "messages") {
    read_names(value, "messages", options.messages, problem);
  } else if (key == "only") {
    read_names(value, "fields", options.only, problem);
  } else if (key == "skip") {
    read_names(value, "fields", options.skip, problem);
  } else if (key == "hot") {
    read_names(value, "messages", options.hot, problem);
  } else if (key == "cold") {
    read_names(value, "messages", options.cold, problem);
  } else if (key == "utf8") {
    if (value != "schema" && value != "check" && value != "strict") problem = "the values are schema, check and strict";
    options.strict = value == "strict";
    options.check = value != "schema";
  } else if (key == "comments") {
    if (value != "on" && value != "off") problem = "the values are on and off";
    options.comments = value == "on";
  } else if (key == "namespace") {
    if (!is_namespace(value)) problem = "write one name that C++ allows for a namespace, such as fast";
    options.last_namespace = std::string(value);
  } else {
    options.emit_plan = std::string(value);
  }
  return problem.empty();
}

// The option without a value of this name, else nullptr.
const Flag* find_flag(std::string_view key) {
  for (const Flag& flag : kFlags) {
    if (flag.name == key) return &flag;
  }
  return nullptr;
}

bool is_known(std::string_view key) {
  return find_flag(key) != nullptr || std::find(std::begin(kValued), std::end(kValued), key) != std::end(kValued);
}

// Checks that the faces support the other options. Returns false with the error.
bool can_follow(const Options& options, std::string& error) {
  if (options.split && (options.sources || options.single_header)) {
    error = std::string("option split: it does not go together with ") +
            (options.sources ? "sources" : "single_header") + " in this version; remove one of them";
    return false;
  }
  if (options.check && !options.strict && !options.faces.empty() && !options.has("writer")) {
    error = "option utf8=check: it works only with the face writer; views check strings in any case";
    return false;
  }
  const bool selects_fields = !options.only.empty() || !options.skip.empty();
  const std::string option = std::string("option ") + (options.only.empty() ? "skip=" : "only=") +
                             (selects_fields ? (options.only.empty() ? options.skip[0] : options.only[0]) : "");
  for (const Face* const face : options.faces) {
    const std::string name(face->name);
    if (options.strict && !face->strict) {
      error = "option utf8=strict: the face " + name + " has only schema in this version";
      return false;
    }
    if (selects_fields && !face->selects_fields) {
      error = option + ": the face " + name + " cannot select fields in this version; leave " + name +
              " out of faces=";
      return false;
    }
    if (selects_fields && face->encodes && !options.keep_skipped) {
      error = option + ": " + name + " would write messages without the fields that are left out; add keep_skipped, or "
              "leave " + name + " out of faces=";
      return false;
    }
  }
  return true;
}

}  // namespace

bool Options::has(std::string_view face) const {
  return std::any_of(faces.begin(), faces.end(), [&](const Face* selected) { return selected->name == face; });
}

bool Options::depend_on_faces() const {
  return check || !last_namespace.empty() || !comments || !messages.empty() || !only.empty() || !skip.empty() ||
         !hot.empty() || !cold.empty();
}

bool parse_options(std::string_view parameter, Options& options, std::string& error) {
  std::set<std::string_view> given;
  for (const std::string_view text : split(parameter, ',')) {
    if (text.empty()) continue;
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    std::string problem;
    if (find_face(text) != nullptr) {
      problem = "a face is no option: join the names of faces with +, as in faces=writer+view";
    } else if (!is_known(key)) {
      problem = "there is no such option; " + allowed();
    } else if (!given.insert(key).second) {
      problem = "given twice";
    } else if (const Flag* const flag = find_flag(key)) {
      if (equals != std::string_view::npos) problem = "it has no value";
      options.*flag->member = true;
    } else if (value.empty()) {
      problem = "the value is missing; " + allowed();
    } else {
      read_option(key, value, options, problem);
    }
    if (!problem.empty()) {
      error = "option " + std::string(text) + ": " + problem;
      return false;
    }
  }
  if (options.keep_skipped && options.only.empty() && options.skip.empty()) {
    error = "option keep_skipped: it needs only= or skip=";
    return false;
  }
  if (options.faces.empty() && options.emit_plan.empty()) {
    for (const Face& face : all_faces()) {
      if (face.base.empty()) options.faces.push_back(&face);
    }
  }
  if (options.faces.empty() && options.depend_on_faces()) {
    error = "option emit_plan: the plan alone does not depend on messages=, only=, skip=, hot=, cold=, utf8=, "
            "namespace= or comments=; add "
            "faces= or remove them";
    return false;
  }
  return can_follow(options, error);
}

}  // namespace plugin
}  // namespace hotpb
