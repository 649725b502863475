#!/usr/bin/env python3
"""Generates a schema of 100 messages and 100 call sites that write them, for the cache test of cpp/bench/cache.sh.

    generate.py OUT     OUT/cache/schema.proto, OUT/cache/hotpb_sites.cc, OUT/cache/perfetto_sites.cc

Every message has five to eight fields of its own, one of them a message; a call site sets them all. Both libraries get the same
schema, values and order; ProtoZero's classes are what its plugin would write, as in perfetto/events.pbzero.h.
"""
import random
import sys
from pathlib import Path

MESSAGES = 100
SCALARS = {"uint64": "Uint64", "int64": "Int64", "uint32": "Uint32", "int32": "Int32", "bool": "Bool",
           "fixed64": "Fixed64", "double": "Double"}
PARAMETERS = {"fixed64": "std::uint64_t", "double": "double", "bool": "bool"}


def fields(draw, count):
    """Returns (type, number) for each field. Most numbers are small. The last two are a string and, for events, a message."""
    numbers = sorted(draw.sample(range(1, 24), count))
    kinds = [draw.choice(list(SCALARS)) for _ in numbers]
    kinds[-1] = "string"
    return list(zip(kinds, numbers))


def value(kind, number):
    if kind == "string":
        return f"text + {number % 8}, {6 + number % 14}"
    if kind == "bool":
        return "(v & 1) != 0"
    if kind in ("uint64", "int64", "fixed64"):
        return f"static_cast<{PARAMETERS.get(kind, 'std::' + kind + '_t')}>(v >> {number % 40})"
    if kind == "double":
        return f"static_cast<double>(v & 0xffff) * {number}.5"
    return f"static_cast<std::{kind}_t>(v & {(1 << (7 * (1 + number % 4))) - 1:#x})"


def main():
    out = Path(sys.argv[1]) / "cache"
    out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(100)
    events = [(fields(draw, draw.randint(4, 7)), fields(draw, 3), 30 + i % 7) for i in range(MESSAGES)]

    proto = ['syntax = "proto2";', "package cache;"]
    classes, hotpb, perfetto, table = [], [], [], []
    for i, (own, nested, child_number) in enumerate(events):
        for name, some in ((f"Detail{i}", nested), (f"Event{i}", own)):
            proto += [f"message {name} {{"] + [f"  optional {kind} f{n} = {n};" for kind, n in some]
            classes += [f"class {name} : public ::protozero::Message {{", " public:"]
            for kind, n in some:
                if kind == "string":
                    classes += [f"  void set_f{n}(const char* data, size_t size) {{ AppendBytes({n}, data, size); }}"]
                    continue
                parameter = PARAMETERS.get(kind, f"std::{kind}_t")
                classes += [f"  void set_f{n}({parameter} value) {{",
                            f"    Field<Type::k{SCALARS[kind]}>::Append(*this, {n}, value);", "  }"]
            if name.startswith("Event"):
                proto += [f"  optional Detail{i} detail = {child_number};"]
                classes += [f"  template <typename T = Detail{i}>",
                            f"  T* set_detail() {{ return BeginNestedMessage<T>({child_number}); }}"]
            proto += ["}"]
            classes += ["};"]

        def sets(target, some, string):
            return [f"  {target}set_f{n}({string.format(value(kind, n)) if kind == 'string' else value(kind, n)});"
                    for kind, n in some]
        hotpb += [f"SITE void site{i}(TraceWriter& trace, std::uint64_t v) {{", f"  auto event = trace.add_event{i}();",
                  *sets("event.", own, "std::string_view({})"), "  auto detail = event.set_detail();",
                  *sets("detail.", nested, "std::string_view({})"), "}"]
        perfetto += [f"SITE void site{i}(Trace& trace, std::uint64_t v) {{", f"  auto* event = trace.add_event{i}();",
                     *sets("event->", own, "{}"), "  auto* detail = event->set_detail();",
                     *sets("detail->", nested, "{}"), "}"]
    proto += ["message Trace {"] + [f"  repeated Event{i} event{i} = {i + 1};" for i in range(MESSAGES)] + ["}"]
    classes += ["class Trace : public ::protozero::Message {", " public:"]
    for i in range(MESSAGES):
        classes += [f"  template <typename T = Event{i}>", f"  T* add_event{i}() {{ return BeginNestedMessage<T>({i + 1}); }}"]
    classes += ["};"]
    table = ["constexpr Site kSites[] = {" + ", ".join(f"site{i}" for i in range(MESSAGES)) + "};"]
    calls = sum(len(own) + len(nested) for own, nested, _ in events)
    head = ["// Made by generate.py.", f"// {calls} setters in {MESSAGES} call sites, and {2 * MESSAGES} messages opened."]

    def write(name, lines):
        (out / name).write_text("\n".join(lines) + "\n")
    write("schema.proto", proto)
    write("hotpb_sites.cc", head + ['#include "cache/sites.h"', '#include "cache/schema.hot.h"', "using namespace cache::hot;",
                                    "namespace {", *hotpb, "using Site = void (*)(TraceWriter&, std::uint64_t);", *table, "}",
                                    '#include "cache/hotpb_main.inc"'])
    write("perfetto_sites.cc", head + ['#include "cache/sites.h"', '#include "protozero.h"', "namespace {",
                                       "template <::protozero::proto_utils::ProtoSchemaType kType>",
                                       "using Field = ::protozero::internal::FieldWriter<kType>;",
                                       "using Type = ::protozero::proto_utils::ProtoSchemaType;", *classes, *perfetto,
                                       "using Site = void (*)(Trace&, std::uint64_t);", *table, "}",
                                       '#include "cache/perfetto_main.inc"'])
    write("setters.txt", [str(calls)])


main()
