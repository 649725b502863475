#!/usr/bin/env python3
"""bridge.py PLAN.json DECLARATIONS DEFINITIONS: writes C++ that copies libprotobuf's messages through hotpb's writers, for tests.

Each message of the packages of bridge.h gets a function write(message, writer), which calls every setter of the
generated writer. If there are several ways to write something, `way()` chooses one.
"""
import json
import sys

PACKAGES = {"hotpb.vectors.p2": "proto2", "hotpb.vectors.p3": "proto3"}
BYTES = ("string", "bytes")


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    packages = {file["name"]: file["package"] for file in plan["files"]}
    messages = {m["name"]: m for m in plan["messages"]}
    enums = {e["name"]: e for e in plan["enums"]}
    package_of = {name: packages[item["file"]] for name, item in {**messages, **enums}.items()}
    out = []

    def flat(name):
        return name[len(package_of[name]) + 1:].replace(".", "_")

    def theirs(name):
        return "::" + package_of[name].replace(".", "::") + "::" + flat(name)

    def hot_type(name, suffix=""):
        return "::" + package_of[name].replace(".", "::") + "::hot::" + flat(name) + suffix

    def scalar(field_type, enum, value):
        if enum:
            return f"static_cast<{hot_type(enum)}>({value})"
        return f"hotpb::Bytes(std::string_view({value}))" if field_type == "bytes" else value

    def set_message(call, owner, field, value, keys, groups):
        """Returns code that writes one message value in one of the possible ways. `call(arguments)` is the setter's call."""
        raw = f'{{ const std::string raw = {value}.SerializePartialAsString(); ' \
              f'{call(keys + ["hotpb::RawMessage(std::string_view(raw))"])}; }}'
        lines = [
            "switch (way(3)) {",
            f"  case 0: {{ auto child = {call(keys)}; write({value}, child); break; }}",
            f"  case 1: {call(keys + [f'[&](auto& child) {{ write({value}, child); }}'])}; break;",
            f"  default: {raw if groups else '{ auto child = ' + call(keys) + f'; write({value}, child); child.finish(); }}'} break;",
            "}",
        ]
        return lines

    def emit_field(message, field, extension=None):
        name = field["name"]
        verb = "add_" if field["presence"] == "repeated" else "set_"
        if extension:
            scope = packages[field["file"]]
            there = "::" + name.replace(".", "::")
            short = name[len(scope) + 1:].replace(".", "_")
            get = f"m.GetExtension({there})"
            has = f"m.HasExtension({there})"
            loop_over = f"int i = 0; i < m.ExtensionSize({there}); ++i"
            element = f"m.GetExtension({there}, i)"
            first = ["w"]
            function = "::" + scope.replace(".", "::") + "::hot::"
        else:
            short, get, has, first, function = name, f"m.{name}()", f"m.has_{name}()", [], "w."
            loop_over, element = f"int i = 0; i < m.{name}_size(); ++i", f"m.{name}(i)"
        call = lambda arguments: f"{function}{verb}{short}({', '.join(first + arguments)})"
        can_be_raw = not messages.get(message, {}).get("message_set")

        if field.get("map"):
            value_type = messages[field["message"]]["fields"][1]
            out.append(f"  for (const auto& one : {get}) {{")  # clang's lambdas cannot capture structured bindings
            out.append("    const auto& key = one.first;")
            out.append("    const auto& value = one.second;")
            if value_type["type"] == "message":
                out.extend("    " + line for line in set_message(call, message, field, "value", ["key"], True))
            else:
                value = scalar(value_type["type"], value_type["enum"], "value")
                out.append(f"    {call(['key', value])};")
            out.append("  }")
            return
        if field["presence"] == "repeated":
            if field["type"] == "message":
                out.append(f"  for ({loop_over}) {{")
                out.extend("    " + l for l in set_message(call, message, field, element, [], can_be_raw))
                out.append("  }")
            elif field["packed"]:
                element_type = hot_type(field["enum"]) if field["enum"] else "std::decay_t<decltype(" + element.replace("i)", "0)") + ")>"
                out.append("  {")
                out.append(f"    std::vector<Element<{element_type}>> all;")
                out.append(f"    for ({loop_over}) all.push_back({{{scalar(field['type'], field['enum'], element)}}});")
                out.append(f"    const hotpb::Span<const {element_type}> span(reinterpret_cast<const {element_type}*>(all.data()), all.size());")
                out.append("    if (way(2) == 0) {")
                out.append(f"      {call(['span'])};")
                out.append("    } else if (!all.empty()) {")
                packed = f"{function}packed_{short}({', '.join(first)})"
                out.append(f"      auto packed = {packed};")
                out.append("      for (const auto& one : all) packed.add(one.value);")
                out.append("    }")
                out.append("  }")
            else:
                out.append(f"  for ({loop_over}) {call([scalar(field['type'], field['enum'], element)])};")
            return
        if field["presence"] == "implicit":
            condition = f"!{get}.empty()" if field["type"] in BYTES else f"{get} != {'0' if field['type'] not in ('float', 'double') else '1'}"
            if field["type"] in ("float", "double"):
                condition = "true"
        else:
            condition = has
        out.append(f"  if ({condition}) {{")
        if field["type"] == "message":
            out.extend("    " + l for l in set_message(call, message, field, get, [], can_be_raw))
        elif field["type"] in BYTES:
            out.append(f"    const std::string& text = {get};")
            out.append(f"    if (way(2) == 0) {{ {call([scalar(field['type'], '', 'text')])}; }} else {{")
            out.append("      const std::string_view all(text);")
            out.append("      const hotpb::Bytes parts[] = {all.substr(0, all.size() / 3), all.substr(all.size() / 3)};")
            out.append(f"      {call(['hotpb::ByteRanges(parts)'])};")
            out.append("    }")
        else:
            out.append(f"    {call([scalar(field['type'], field['enum'], get)])};")
        out.append("  }")

    names = [m["name"] for m in plan["messages"] if not m["map_entry"] and package_of[m["name"]] in PACKAGES]
    declarations = [f"void write(const {theirs(name)}& m, {hot_type(name, 'Writer')}& w);" for name in names]
    extensions = {}
    for extendee in plan["extensions"]:
        extensions[extendee["extendee"]] = [f for f in extendee["fields"] if packages[f["file"]] in PACKAGES]
    for name in names:
        out.append(f"\nvoid write([[maybe_unused]] const {theirs(name)}& m, [[maybe_unused]] {hot_type(name, 'Writer')}& w) {{")
        for field in messages[name]["fields"]:
            emit_field(name, field)
        for field in extensions.get(name, []):
            emit_field(name, field, extension=True)
        out.append("}")
    for path, lines in ((sys.argv[2], declarations), (sys.argv[3], out)):
        with open(path, "w") as file:
            file.write("\n".join(["// Generated by bridge.py.", *lines, ""]))


main()
