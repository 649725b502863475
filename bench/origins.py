"""docs/origins.md: what the five projects compared with, as they published it, beside the same comparison from the results.

The published figures are those of the pages that docs/origins.md links; ours are rows of bench/results.
"""
from compare import ratio, times


def measured(results, task, case, language, slow, fast, key="ns_per_op"):
    """`slow` ÷ `fast` of the results, as documents show it."""
    rows = {r["rival"]: r for r in results.rows if (r["task"], r["case"], r["language"]) == (task, case, language)}
    if not all(name in rows and rows[name][key] for name in (slow, fast)):
        return "–"
    return times(rows[slow], rows[fast]) if key == "ns_per_op" else ratio(rows[slow][key], rows[fast][key])


def published(before, after):
    return f"{before / after:.2f}x"


# (message, case, nanoseconds on x86: libprotobuf, ProtoZero, speed of light)
PROTOZERO = [("flat", "protozero-simple", "harness", (428, 261, 111)), ("four deep", "protozero-nested", "harness", (1625, 843, 140)),
             ("flat, nothing around it", "protozero-simple", "hot-loop", None), ("four deep, nothing around it", "protozero-nested", "hot-loop", None)]


def protozero(results):
    lines = ["| message | published: libprotobuf ÷ ProtoZero | speed of light ÷ ProtoZero | here: libprotobuf-lite ÷ hotpb | speed of light ÷ hotpb | ProtoZero ÷ hotpb | instructions: ProtoZero ÷ hotpb |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for title, task, case, document in PROTOZERO:
        theirs = [published(document[0], document[1]), published(document[2], document[1])] if document else ["–", "–"]
        ratios = [measured(results, task, case, "cpp", slow, "hotpb-writer") for slow in ("libprotobuf-lite", "speed-of-light", "perfetto-protozero")]
        ratios[1] = ratios[1].strip("*")  # a bound is no loss
        counts = measured(results, task, case, "cpp", "perfetto-protozero", "hotpb-writer", "instructions")
        lines.append(f"| {' | '.join([title, *theirs, *ratios, counts])} |")
    return lines


# (step, contender of rw1-decode, milliseconds in the article)
GREPTIME = [("0: a fresh message", "rust", "prost", 7.3), ("1: `clear` and `merge`", "rust", "prost:reuse", 7.1), ("2: elements stay", "rust", "prost:greptime-2-elements", 2.7),
            ("3: `Bytes` that share", "rust", "prost:greptime-3-bytes", 3.4), ("4: one handle for each string", "rust", "prost:greptime-4-slice", 2.76),
            ("6: `Bytes` without a count", "rust", "prost:greptime-6-without-count", 1.62), ("VictoriaMetrics' way, in Go", "go", "easyproto", 1.2),
            ("hotpb's codec, into prost's structs", "rust", "hotpb-codec", None), ("hotpb's pool", "rust", "hotpb-pool", None)]
# (string, contender of slice, microseconds for 10,000 in the article)
SLICE = [("`Bytes::slice`", "bytes:slice", 103), ("a pointer and a length", "pointer", 4.7), ("hotpb's span", "hotpb-span", None)]


def greptime(results):
    decode = {(language, r["rival"]): r["ns_per_op"] for language in ("rust", "go") for r in results.ranked("rw1-decode", "seeded-10k", language)}
    held = {r["rival"]: r["ns_per_op"] for r in results.ranked("slice", "seeded-10k", "rust")}
    lines = ["| step | published, of step 0 | here, of step 0 |", "|---|--:|--:|"]
    for title, language, rival, milliseconds in GREPTIME:
        lines.append(f"| {title} | {f'{milliseconds / GREPTIME[0][3]:.2f}' if milliseconds else '–'} | {decode[language, rival] / decode['rust', 'prost']:.2f} |")
    lines += ["", "| to hold a string | published, of a pointer's time | here |", "|---|--:|--:|"]
    for title, rival, microseconds in SLICE:
        lines.append(f"| {title} | {f'{microseconds / SLICE[1][2]:.1f}' if microseconds else '–'} | {held[rival] / held['pointer']:.1f} |")
    return lines


def akvorado(results):
    lines = ["| | published: before ÷ after | here |", "|---|--:|--:|"]
    for title, theirs, task, case, slow, fast in (
            ("NetFlow v9, from a packet whose template is known to messages", "1.65x", "template-encode", "netflow9", "goflow2", "hotpb-schema"),
            ("sFlow, from datagram to messages", "1.91x", "", "", "", ""),
            ("encode a flow of 14 columns", "–", "flow-encode", "14", "article", "hotpb-schema"),
            ("encode a flow of 33 columns", "–", "flow-encode", "33", "article", "hotpb-schema"),
            ("the same beside vtprotobuf's structs, used again", "–", "flow-encode", "33", "vtprotobuf:reused", "hotpb-schema")):
        lines.append(f"| {title} | {theirs} | {measured(results, task, case, 'go', slow, fast)} {slow.replace('article', 'the mechanism of the article')}".rstrip() + " |")
    return lines


# (case, nanoseconds in zeropb's README: gogo, zeropb)
ZEROPB = [("none", "read no field", 103, 77.0), ("all", "read all fields", 148, 161), ("repeatedly", "read them three times", 248, 337),
          ("complex-one", "one number of a nested message", 844, 330), ("complex-repeated", "each entry of a list", 1020, 950),
          ("set-all", "set all fields", 176, 133), ("set-repeatedly", "set them three times", 189, 383), ("encode-complex", "build a nested message", 746, 743)]


def zeropb(results):
    lines = ["| | published: gogo ÷ zeropb | here: gogo ÷ view | zeropb's mechanism ÷ view | gogo ÷ pool |", "|---|--:|--:|--:|--:|"]
    for case, title, gogo, view in ZEROPB:
        ratios = [measured(results, "zeropb", case, "go", *pair) for pair in (("gogo", "hotpb-view"), ("zeropb-port", "hotpb-view"), ("gogo", "hotpb-pool"))]
        lines.append(f"| {title} | {published(gogo, view)} | {' | '.join(ratios)} |")
    return lines


# (task of the structs, their runtime, its name here, nanoseconds in csproto's README: of the runtime and of csproto)
CSPROTO = [("Google's", "codec-event-open", "protobuf-go", ((911.3, 426.1), (433.4, 356.1), (1739, 1530), (1077, 913.4))),
           ("v1", "codec-event-v1", "golang-protobuf", ((925.5, 432.4), (450.6, 348.4), (1662, 1471), (1076, 904.2))),
           ("gogo's", "codec-event-gogo", "gogo", ((597.6, 482.3), (341.0, 248.1), (1887, 1390), (909.9, 753.5)))]
EVENTS = [("proto2 with an extension, encode", "proto2ext-encode"), ("proto3, encode", "proto3-encode"),
          ("proto2, decode and `GetExtension`", "proto2ext-decode-get"), ("proto3, decode", "proto3-decode")]


def csproto(results):
    lines = ["| structs | event | published: runtime ÷ csproto | here: runtime ÷ codec |", "|---|---|--:|--:|"]
    for structs, task, runtime, document in CSPROTO:
        for (title, case), pair in zip(EVENTS, document):
            lines.append(f"| {structs} | {title} | {published(*pair)} | {measured(results, task, case, 'go', runtime, 'hotpb-codec')} |")
    return lines


def five(results):
    """README's line for each project."""
    lines = ["| project | its idea is our | measured by | time ÷ ours |", "|---|---|---|--:|"]
    for name, anchor, face, title, (task, case, language, slow, fast) in (
            ("ProtoZero", "protozero", "writer", "writing a message four deep (C++)", ("protozero-nested", "harness", "cpp", "perfetto-protozero", "hotpb-writer")),
            ("GreptimeDB", "greptimedb", "pool", "decoding a request of 10,000 series, the article's last step (Rust)",
             ("rw1-decode", "seeded-10k", "rust", "prost:greptime-6-without-count", "hotpb-pool")),
            ("Akvorado", "akvorado", "schema", "encoding a flow of 14 columns, the article's mechanism (Go)", ("flow-encode", "14", "go", "article", "hotpb-schema")),
            ("zeropb", "zeropb", "view", "reading one field of a nested message, a port of its mechanism (Go)", ("zeropb", "complex-one", "go", "zeropb-port", "hotpb-view")),
            ("csproto", "csproto", "codec", "encoding an event with an extension; its rival, protobuf-go (Go)",
             ("codec-event-open", "proto2ext-encode", "go", "protobuf-go", "hotpb-codec"))):
        lines.append(f"| [{name}]({{up}}docs/origins.md#{anchor}) | {face} | {title} | {measured(results, task, case, language, slow, fast)} |")
    return lines


BLOCKS = {"protozero": protozero, "greptime": greptime, "akvorado": akvorado, "zeropb": zeropb, "csproto": csproto, "five": five}
