"""The requirements of the specification, and those that no vector shows."""
import re

ID = re.compile(r"^\s*- \[([A-Z]+-\d+)\](.*)")
MENTION = re.compile(r"\b(PLN)-(\d+)(?: … (?:PLN)-(\d+))?")


def declared(path):
    """{id: text after it} of the requirements that a specification file declares."""
    out = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        found = ID.match(line)
        if found:
            if found[1] in out:
                raise ValueError(f"{path.name}: {found[1]} stands twice")
            out[found[1]] = found[2].strip()
    return out


def mentioned(path):
    """PLN ids that a table mentions, ranges (PLN-9 … PLN-16) included."""
    out = set()
    for prefix, first, last in MENTION.findall(path.read_text(encoding="utf-8")):
        out |= {f"{prefix}-{number}" for number in range(int(first), int(last or first) + 1)}
    return out


def problems(spec, plans, vectors, not_shown):
    """One line for each id without a vector, each vector whose id does not exist, and each exception that is not needed."""
    bytes_ids = {**declared(spec / "wire.md"), **declared(spec / "errors.md")}
    plan_ids = declared(spec / "plan.md")
    shown = {}
    for vector in vectors:
        for id_ in vector["ids"]:
            shown.setdefault(id_, vector["name"])
    out = [f"{name}: {id_} is not in spec/wire.md or spec/errors.md" for id_, name in sorted(shown.items()) if id_ not in bytes_ids]
    for id_, text in bytes_ids.items():
        if text.startswith("withdrawn"):
            continue
        if id_ in not_shown and id_ in shown:
            out.append(f"{id_}: listed in not-shown.yaml, but {shown[id_]} shows it")
        if id_ not in not_shown and id_ not in shown:
            out.append(f"{id_}: no vector shows it")
    out += [f"{id_}: listed in not-shown.yaml, but no sentence has that id" for id_ in not_shown if id_ not in bytes_ids]
    mapped = mentioned(plans)
    out += [f"{id_}: not in vectors/plans/README.md" for id_ in plan_ids if id_ not in mapped]
    out += [f"{id_}: in vectors/plans/README.md, but not in spec/plan.md" for id_ in sorted(mapped - set(plan_ids))]
    return out


def unnamed(path, tests):
    """One line for each id of a specification file that none of the tests (sources or vectors) names, and for each that is not in it."""
    prefix = next(iter(declared(path))).partition("-")[0]
    named = set()
    for test in tests:
        named |= set(re.findall(rf"\b{prefix}-\d+", test.read_text(encoding="utf-8")))
    ids = declared(path)
    out = [f"{id_}: no test names it" for id_, text in ids.items() if id_ not in named and not text.startswith("withdrawn")]
    out += [f"{id_}: a test names it, but it is not in spec/{path.name}" for id_ in sorted(named - set(ids))]
    return out
