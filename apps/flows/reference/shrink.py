"""Smaller versions of a scenario, the largest steps first."""

import copy

from messages import DataSet, Five, Message, SFlow, TemplateSet


def smaller(messages):
    """Yields copies of a scenario, each with one thing less."""
    for reduce in (_without_datagrams, _without_sets, _without_records, _without_fields, _without_extras, _with_zeros):
        yield from reduce(messages)


def _changed(messages, change):
    made = copy.deepcopy(messages)  # as a whole, so that data sets still refer to their templates
    change(made)
    return made


def _without_datagrams(messages):
    for i in range(len(messages)):
        if len(messages) > 1:
            yield _changed(messages, lambda m: m.pop(i))


def _without_sets(messages):
    for i, m in enumerate(messages):
        for j in range(len(_parts(m))):
            yield _changed(messages, lambda c: _parts(c[i]).pop(j))


def _parts(m):
    return m.sets if isinstance(m, Message) else m.flows if isinstance(m, Five) else m.samples


def _without_records(messages):
    for i, m in enumerate(messages):
        if isinstance(m, Five):
            continue
        for j, part in enumerate(_parts(m)):
            for k in range(len(_items(part))):
                yield _changed(messages, lambda c: _items(_parts(c[i])[j]).pop(k))


def _items(part):
    if isinstance(part, TemplateSet):
        return part.definitions
    return part.values if isinstance(part, DataSet) else getattr(part, "records", ()) if not callable(getattr(part, "records", ())) else ()


def _definitions(messages):
    found = []
    for m in messages:
        for s in m.sets if isinstance(m, Message) else ():
            for d in s.definitions if isinstance(s, TemplateSet) else [s.definition] if isinstance(s, DataSet) else ():
                if not any(d is known for known in found):
                    found.append(d)
    return found


def _data(messages):
    return [s for m in messages if isinstance(m, Message) for s in m.sets if isinstance(s, DataSet)]


def _without_fields(messages):
    for i, d in enumerate(_definitions(messages)):
        for size in (len(d.fields) // 2, len(d.fields) // 4, 1):  # many at a time first
            for k in range(0, len(d.fields), size or 1):
                if size and len(d.fields) > size:
                    yield _changed(messages, lambda c: _drop_fields(c, i, k, size))


def _drop_fields(messages, i, first, size):
    definition = _definitions(messages)[i]
    for s in _data(messages):
        if s.definition is definition:
            for values in s.values:
                del values[first:first + size]
    definition.scopes -= sum(1 for k in range(first, first + size) if k < definition.scopes)
    del definition.fields[first:first + size]


def _without_extras(messages):
    for i, m in enumerate(messages):
        if m.tail:
            yield _changed(messages, lambda c: setattr(c[i], "tail", b""))
        for j in range(len(m.changed)):
            yield _changed(messages, lambda c: c[i].changed.pop(j))
        if m.cut:
            yield _changed(messages, lambda c: setattr(c[i], "cut", 0))
        if isinstance(m, Message):
            for j, s in enumerate(m.sets):
                if getattr(s, "padding", b""):
                    yield _changed(messages, lambda c: setattr(c[i].sets[j], "padding", b""))


def _with_zeros(messages):
    for i, s in enumerate(_data(messages)):
        for j, values in enumerate(s.values):
            for k, value in enumerate(values):
                for simple in (bytes(len(value)), bytes(max(0, len(value) - 1)) + b"\1"[:len(value)]):
                    if value > simple:
                        yield _changed(messages, lambda c: _data(c)[i].values[j].__setitem__(k, simple))
    for i, m in enumerate(messages):
        for j, sample in enumerate(m.samples if isinstance(m, SFlow) else ()):
            for k, number in enumerate(sample.words):
                if number > 1:
                    yield _changed(messages, lambda c: c[i].samples[j].words.__setitem__(k, 1))
