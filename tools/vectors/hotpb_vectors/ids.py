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
        for one in vector["ids"]:
            shown.setdefault(one, vector["name"])
    out = [f"{name}: {one} is not in spec/wire.md or spec/errors.md" for one, name in sorted(shown.items()) if one not in bytes_ids]
    for one, text in bytes_ids.items():
        if text.startswith("withdrawn"):
            continue
        if one in not_shown and one in shown:
            out.append(f"{one}: listed in not-shown.yaml, but {shown[one]} shows it")
        if one not in not_shown and one not in shown:
            out.append(f"{one}: no vector shows it")
    out += [f"{one}: listed in not-shown.yaml, but no sentence has that id" for one in not_shown if one not in bytes_ids]
    mapped = mentioned(plans)
    out += [f"{one}: not in vectors/plans/README.md" for one in plan_ids if one not in mapped]
    out += [f"{one}: in vectors/plans/README.md, but not in spec/plan.md" for one in sorted(mapped - set(plan_ids))]
    return out


def unnamed(path, tests):
    """One line for each id of a specification file that none of the tests (sources or vectors) names, and for each that is not in it."""
    prefix = next(iter(declared(path))).partition("-")[0]
    named = set()
    for test in tests:
        named |= set(re.findall(rf"\b{prefix}-\d+", test.read_text(encoding="utf-8")))
    ids = declared(path)
    out = [f"{one}: no test names it" for one, text in ids.items() if one not in named and not text.startswith("withdrawn")]
    out += [f"{one}: a test names it, but it is not in spec/{path.name}" for one in sorted(named - set(ids))]
    return out
