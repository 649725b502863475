"""Makes exporters: each scenario is what one address sends. Everything follows from a seed."""

import struct

import packets
from elements import INNER, OWN, REVERSE, SIZES, TYPES, VARIABLE
from messages import DataSet, Definition, Five, Message, Sample, SFlow, TemplateSet, Withdrawal, word

CHANGED = .4  # of broken scenarios have other bytes
NOW = 1_780_000_000  # seconds since 1970
SAMPLING = (34, 35, 48, 49, 50, 301, 302, 304, 305, 306, 307, 308, 309, 310, 311, 329, 330, 331, 332)
# Not in random records: the collector's own, counters of the other direction, lists, first bytes of packets, and padding.
# Each but the first and the last has scenarios of its own.
SPECIAL = (130, 131, 210, 232, 299, 104, 312, 313, 315)
POOL = [n for n, kind in TYPES.items() if "List" not in kind and n not in SPECIAL + SAMPLING]
USUAL = (8, 12, 27, 28, 4, 7, 11, 1, 2, 10, 14, 21, 22, 5, 6, 15, 62, 16, 17, 9, 13, 60, 61, 152, 153, 56, 80, 58, 59, 243, 254, 23, 24)


class World:
    """Random choices for one scenario."""

    def __init__(self, rng):
        self.rng = rng

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *choices):
        return self.rng.choice(choices)

    # Fields and values

    def size(self, element, version):
        """A size that the element may have, also with reduced-size encoding."""
        kind = TYPES.get(element, "octetArray")
        if kind in SIZES:
            sizes = SIZES[kind]
            if version == 10 and self.chance(.03):
                return VARIABLE
            if self.chance(.02) and "dateTime" not in kind and element not in (21, 22):
                return self.rng.randrange(0, 20)  # which it must not have
            return sizes[-1] if self.chance(.4) else self.rng.choice(sizes)
        if version == 10 and self.chance(.5):
            return VARIABLE
        return self.rng.choice((0, 1, 2, 3, 4, 8, 16, 20, 40))

    def field(self, version, element=None):
        if element is None:
            element = self.rng.choice(USUAL if self.chance(.5) else POOL)
            if self.chance(.03):
                return [32473 if version == 10 else 0, self.pick(1, 2, 3) if version == 10 else 40000, self.pick(1, 4, 8)]
        return [0, element, self.size(element, version)]

    def value(self, field, time, uptime):
        enterprise, element, size = field
        kind = TYPES.get(element, "octetArray") if not enterprise else self.pick("unsigned64", "string")
        n = size
        if size == VARIABLE:
            n = self.rng.choice(SIZES[kind]) if kind in SIZES and self.chance(.9) else self.pick(0, 1, 3, 8, 30, 254, 255, 300)
        if self.chance(.25):
            return bytes(n)
        make = getattr(self, "_" + kind, None)
        if element in (21, 22) and not enterprise and n in (4, 8):
            return word(word_of(uptime - self.rng.randrange(600_000)), n)
        if element == 4 and not enterprise and n:
            return word(self.pick(1, 6, 6, 17, 17, 47, 58, 4, 41, 132), n)
        if element == 60 and not enterprise and n:
            return word(self.pick(4, 6, 4, 6, 5), n)
        if element == 61 and not enterprise and n:
            return word(self.pick(0, 1, 1, 2), n)
        if make:
            return make(n, time)
        if n and self.chance(.4):
            return word(self.rng.randrange(1, 300), n)
        return self.rng.randbytes(n)

    def _dateTimeSeconds(self, n, time):
        return word(time - self.rng.randrange(10_000), n)

    def _dateTimeMilliseconds(self, n, time):
        return word(time * 1000 - self.rng.randrange(10_000_000), n)

    def _dateTimeMicroseconds(self, n, time):
        return word((time + 2208988800 - self.rng.randrange(10_000)) << 32 | self.rng.getrandbits(32), n)

    _dateTimeNanoseconds = _dateTimeMicroseconds

    def _float64(self, n, time):
        value = self.pick(0.0, 1.0, -1.5, 1e10, 0.001, float("inf"), float("nan"), self.rng.random())
        return struct.pack(">f" if n == 4 else ">d", value) if n in (4, 8) else self.rng.randbytes(n)

    def _boolean(self, n, time):
        return word(self.pick(1, 1, 2, 0, 3), n)

    def _string(self, n, time):
        text = self.pick("eth0", "grüezi", "日本語 port", "a\x01\"\\b", "", "x" * 300).encode()
        if self.chance(.1):
            text = self.rng.randbytes(n)
        return text[:n].ljust(n, b"\0")

    # Messages

    def padding(self, shortest):
        """Bytes that are shorter than a record, whatever they hold."""
        n = min(self.pick(0, 0, 1, 2, 3), max(0, shortest - 1))
        return self.rng.randbytes(n) if self.chance(.6) else bytes(n)

    def definition(self, id, version, elements=None):
        if elements is None:
            elements = [None] * self.pick(1, 2, 3, 5, 8, 12, 20, 40)
        fields = [self.field(version, e) for e in elements]
        if self.chance(.2):
            fields.insert(self.rng.randrange(len(fields) + 1), [0, 210, self.pick(1, 2, 3)])
        if all(size == 0 for _, _, size in fields):
            fields.append([0, 1, 8])
        return Definition(id, fields)

    def data(self, definition, message, records=None):
        count = records or self.pick(1, 1, 2, 3, 5)
        values = [[self.value(f, message.time, message.uptime) for f in definition.fields] for _ in range(count)]
        return DataSet(definition, values, self.padding(shortest(definition)), self.chance(.1))

    def message(self, version, at, domain=7):
        return Message(version, domain, NOW + at, [], uptime=self.pick(1000, 10_000_000, 2**32 - 5000, 300_000, self.rng.getrandbits(32)),
                       sequence=self.rng.getrandbits(32))

    def version(self):
        return self.pick(9, 10)


def word_of(value):
    return value % 2**32


def shortest(definition):
    return sum(1 if size == VARIABLE else size for _, _, size in definition.fields)


def plain(w):
    """Templates over all elements: changed, withdrawn, and after their data; in several domains."""
    version = w.version()
    domains = {d: {} for d in w.rng.sample(range(1000), w.pick(1, 1, 2))}
    found = []
    late = None
    for at in range(w.pick(2, 3, 5)):
        m = w.message(version, at, w.pick(*domains))
        known = domains[m.domain]
        for _ in range(w.pick(1, 1, 2, 3)):
            if not known or w.chance(.5):
                new = [w.definition(i, version) for i in w.rng.sample(range(256, 264), w.pick(1, 1, 2))]
                if late is None and w.chance(.2):  # its data comes first
                    late = (m.domain, new[0])
                    if new[0].id not in known:
                        m.sets.append(w.data(new[0], m))
                m.sets.append(TemplateSet(new, w.padding(4)))
                known.update({d.id: d for d in new})
            elif w.chance(.1) and version == 10:
                id = w.pick(2, *known)
                m.sets.append(Withdrawal(id))
                for gone in list(known) if id == 2 else [id]:
                    del known[gone]
            if known:
                m.sets.append(w.data(w.pick(*known.values()), m))
        tail(w, m)
        found.append(m)
    if w.chance(.05):  # data of a template that never comes
        m = w.message(version, 9, next(iter(domains)))
        m.sets.append(w.data(w.definition(300, version), m))
        found.append(m)
    return found


def tail(w, m):
    """Bytes after the last set, or after the message: fewer than a set's header, or than a message's."""
    if m.version == 10 and w.chance(.1):
        m.tail = w.rng.randbytes(w.rng.randrange(16))
    elif w.chance(.1):
        m.tail = w.rng.randbytes(w.rng.randrange(4)) if m.version == 9 else b""


def one_template(w, elements, version=None, records=None, domain=7):
    """A message with a template of these elements, in this order, and its data."""
    version = version or w.version()
    m = w.message(version, 0, domain)
    d = w.definition(256, version, elements)
    m.sets += [TemplateSet([d]), w.data(d, m, records)]
    return m, d


def zeros(w):
    """Several elements that may fill one column, of which some are zero."""
    groups = ((1, 23, 231), (2, 24, 298), (58, 243), (59, 254), (8, 27), (12, 28), (15, 62), (9, 29), (13, 30), (7, 180, 182),
              (11, 181, 183), (152, 150, 22), (153, 151, 21), (243, 245), (85, 1), (86, 2), (176, 178), (177, 179))
    fields = [e for group in w.rng.sample(groups, 4) for e in w.rng.sample(group, len(group))]
    m, d = one_template(w, list(dict.fromkeys(fields)), records=4)
    return [m]


def icmp(w):
    fields = [4, w.pick(8, 27), *w.rng.sample((32, 139, 176, 177, 178, 179, 11, 7, 1, 60), w.pick(1, 2, 3))]
    w.rng.shuffle(fields)
    if {176, 177} & set(fields) and 32 in fields:
        fields.remove(32)
    if {178, 179} & set(fields) and 139 in fields:
        fields.remove(139)
    m, d = one_template(w, fields, records=5)
    for values in m.sets[1].values:
        for i, (_, e, size) in enumerate(d.fields):
            if e == 4 and size:
                values[i] = word(w.pick(1, 1, 58, 58, 6), len(values[i]))
    return [m]


def times(w):
    version = w.version()
    m = w.message(version, 0)
    d = w.definition(256, version, w.rng.sample((21, 22, 152, 153, 158, 159, 160, 154, 155, 156, 150, 161, 322, 323, 258), w.pick(1, 2, 3, 5)))
    m.sets += [TemplateSet([d]), w.data(d, m)]
    found = [m]
    if version == 10 and w.chance(.5):  # the start of the exporter, in options
        options = Definition(257, [[0, w.pick(143, 149), 4], [0, 160, 8]], 1, True)
        start = word((m.time - w.pick(1, 1000, 5_000_000)) * 1000 + w.rng.randrange(1000), 8)
        o = w.message(version, w.pick(0, 1))
        o.sets += [TemplateSet([options]), DataSet(options, [[word(7, 4), start]])]
        later = w.message(version, 2)
        later.sets.append(w.data(d, later))
        found += [o, later]
    return found


def outer_and_inner(w):
    """A packet in a packet: both have addresses, and some have protocol and ports."""
    def packet():
        fields = list(w.pick((8, 12), (27, 28)))
        fields += w.rng.sample((4, 7, 11, 5, 6, 192), w.rng.randrange(5))
        if w.chance(.3):
            fields.append(60)
        w.rng.shuffle(fields)
        return fields

    outer, inner = packet(), packet()
    if w.chance(.5):  # what is counted comes between them, or after
        inner = [1, 2] + inner
    m, d = one_template(w, [*w.rng.sample((10, 14, 152, 153), 2), *outer, *inner, *w.pick((), (16, 17), (10, 14))], records=3)
    return [m]


def biflow(w):
    """Both directions in one record: by RFC 5103, or with the counters of initiator and responder."""
    version = w.version()
    base = list(w.pick((8, 12), (27, 28))) + w.rng.sample((4, 7, 11, 10, 14, 16, 17, 9, 13, 56, 80, 152, 153, 5, 6, 58, 59), w.pick(2, 4, 8))
    forward = w.pick((231, 298), (1, 2), (1,), (298,))
    m = w.message(version, 0)
    d = w.definition(256, version, base + list(forward))
    for e in (232, 299) if version == 9 or w.chance(.5) else (1, 2, 6, 5):
        d.fields.insert(w.rng.randrange(len(d.fields) + 1), [0, e, w.pick(4, 8)] if e > 200 else [REVERSE, e, w.size(e, 9)])
    m.sets += [TemplateSet([d]), w.data(d, m)]
    return [m]


def frames(w):
    """The first bytes of packets, in records of IPFIX and NetFlow v9."""
    version = w.version()
    element = w.pick(315, 313) if version == 10 else w.pick(104, 315, 313)
    m = w.message(version, 0)
    size = VARIABLE if version == 10 and w.chance(.7) else w.pick(64, 100)
    extra = w.rng.sample((10, 14, 1, 2, 152, 89), w.pick(0, 1, 3))
    d = Definition(256, [w.field(version, e) for e in extra] + [[0, element, size]] + ([[0, 312, 2]] if w.chance(.7) else []))
    data = w.data(d, m)
    for values in data.values:
        made = packets.ethernet(w.rng) if element != 313 else (packets.ipv4 if w.chance(.5) else packets.ipv6)(w.rng)
        values[len(extra)] = packets.cut(w.rng, made) if size == VARIABLE else made[:size].ljust(size, b"\0")
    m.sets += [TemplateSet([d]), data]
    return [m]


def parameters(w, told=None):
    """Fields about a rate with their values: those of some algorithms, in any order and combination."""
    n = w.pick(1, 2, 10, 16, 256, 1000)
    sets = {
        1: [(305, w.pick(1, 1, 10, n)), (306, w.pick(0, 9, n - 1))], 2: [(307, w.pick(1, 10)), (308, w.pick(0, 90))], 3: [(309, 1), (310, n)],
        4: [(311, 1 / w.pick(1, 2, 16, 256))], 5: [], 6: [(329, 0), (330, 65535), (331, 0), (332, w.pick(1, 255, 65535))], 9: [(328, 4)],
    }
    chosen = w.rng.sample(sorted(sets), w.pick(1, 1, 1, 2))
    found = [f for c in chosen for f in sets[c]]
    if w.chance(.5):
        found.append((304, w.pick(*chosen, *range(0, 12))))
    if w.chance(.2):
        found.append((w.pick(34, 50), w.pick(0, n)))
    if w.chance(.1):
        found.append((w.pick(35, 49), w.pick(1, 2)))
    found = [f for f in found if w.chance(.92)]
    w.rng.shuffle(found)
    fields, values = [], []
    for element, value in found:
        if element == 311:
            size = w.pick(4, 8)
            value = struct.pack(">f" if size == 4 else ">d", value)
        else:
            size = max(w.size(element, 9), (int(value).bit_length() + 7) // 8, 1)
            value = word(int(value), min(size, 8))
        fields.append([0, element, len(value)])
        values.append(value)
    return fields, values


def sampling(w):
    """Rates that options report, or that records have themselves."""
    version = w.version()
    m = w.message(version, 0)
    subject = w.pick("sampler", "sampler", "interface", "domain", "record", "template", "sequence" if version == 10 else "domain")
    base = [8, 12, 1, 2]
    fields, values = parameters(w)
    d = Definition(256, [[0, e, w.size(e, 9) if e < 3 else 4] for e in base])
    if subject == "record":
        d.fields += fields
        data = w.data(d, m)
        for record in data.values:
            record[4:] = values
        m.sets += [TemplateSet([d]), data]
        return [m]
    id, port = w.rng.randrange(1, 200), w.rng.randrange(1, 60000)
    scope, scoped = [0, 149, 4], word(7, 4)
    name = w.pick(48, 302)
    if subject == "sampler":
        scope, scoped = [0, name, 1], word(id, 1)
        d.fields.append([0, name, w.pick(1, 2)])
    elif subject == "interface":
        scope, scoped = [0, 10, 4], word(port, 4)
        d.fields += [[0, 10, 4], [0, 14, 2]] + ([[0, 61, 1]] if w.chance(.5) else [])
    elif subject == "template":
        scope, scoped = [0, 145, 2], word(256, 2)
    elif subject == "sequence":
        scope, scoped = [0, 301, 8], word(id, 8)
        d.fields.append([0, 301, w.pick(1, 8)])
    if version == 9:
        types = {"interface": 2, "template": 5}
        scope = [0, types.get(subject, 1), scope[2] if subject != "sampler" else 4]
        if subject == "sampler":  # the scope is the system, and the sampler an option
            fields, values = [[0, name, 1]] + fields, [scoped] + values
            scoped = word(1, 4)
    options = Definition(257, [scope] + fields, 1, True)
    w.rng.shuffle(d.fields)
    data = w.data(d, m)
    for record in data.values:
        for i, (_, e, size) in enumerate(d.fields):
            if e in (48, 302, 301):
                record[i] = word(id if w.chance(.9) else id + 1, size)
            elif e in (10, 14):
                record[i] = word(port if w.chance(.7) else port + 1, size)
            elif e in (1, 2):
                record[i] = word(w.rng.getrandbits(8 * min(size, 5)), size)
    if not fields:
        options.fields.append([0, 36, 2])
        values = [word(9, 2)]
    m.sets += [TemplateSet([options], w.padding(4)), DataSet(options, [[scoped] + values], w.padding(shortest(options))), TemplateSet([d]), data]
    return [m]


def lists(w):
    """Lists of IPFIX: of values, of records of one template and of several, one in the other."""
    m = w.message(10, 0)
    inner = Definition(300, [[0, e, w.pick(*SIZES.get(TYPES[e], [3]))] for e in w.rng.sample((483, 128, 1, 15, 62, 70, 82, 10), w.pick(1, 2, 3))])
    second = Definition(301, [[0, 128, 4], [0, 4, 1]])
    semantic = lambda: word(w.pick(255, 255, 2, 3, 4, 0, 1), 1)

    def basic(element):
        size = w.pick(*(SIZES.get(TYPES[element], [3]))) if TYPES[element] != "string" else VARIABLE
        single = Definition(0, [[0, element, size]])
        values = [w.value(single.fields[0], m.time, 0)[:60] for _ in range(w.pick(0, 1, 2, 5))]
        return semantic() + word(element, 2) + word(size, 2) + b"".join(single.record([v or (b"\1" if size != VARIABLE else b"")]) for v in values)

    def records(definition):
        rows = [definition.record([w.value(f, m.time, 0) for f in definition.fields]) for _ in range(w.pick(0, 1, 3))]
        return b"".join(rows)

    def named(element, content, size):
        return semantic() + word(content, 2) + word(size, 2) + w.rng.randbytes(size * w.pick(0, 1, 3))

    fields, makers = [], []
    for _ in range(w.pick(1, 1, 2, 3)):
        kind = w.pick(291, 291, 292, 293, 485, 484, 488, 491)
        if kind == 291:
            element = w.pick(483, 128, 82, 1, 15, 62, 4, 494, 70)
            makers.append(lambda element=element: basic(element))
        elif kind == 292:
            makers.append(lambda: semantic() + word(300, 2) + records(inner))
        elif kind == 293:
            makers.append(lambda: semantic() + b"".join(
                word(d.id, 2) + word(4 + len(body), 2) + body for d in w.rng.sample((inner, second), w.pick(1, 2)) for body in [records(d)]))
        else:
            content, size = {485: (483, 4), 484: (483, 4), 488: (486, 8), 491: (489, 12)}[kind]
            makers.append(lambda kind=kind, content=content, size=size: named(kind, content, size))
        fields.append([0, kind, VARIABLE])
    d = Definition(256, [[0, 8, 4], *fields, [0, 1, w.pick(1, 4, 8)], *([[0, 128, 4], [0, 483, 4]] if w.chance(.3) else [])])
    data = w.data(d, m)
    for values in data.values:
        for i, make in enumerate(makers):
            values[1 + i] = make() if w.chance(.9) else b""
    m.sets += [TemplateSet([inner, second]), TemplateSet([d]), data]
    return [m]


def ports(w):
    """Templates and options from one port of the address, and data from another."""
    found = w.pick(sampling, times)(w) if w.chance(.5) else one_template(w, None)[:1]
    found = list(found)
    later = w.message(found[0].version, 3)
    later.port, later.uptime = 4001, found[0].uptime
    for m in found:
        m.uptime = later.uptime
        for s in [s for s in m.sets if isinstance(s, DataSet) and not s.definition.options]:
            m.sets.remove(s)
            later.sets.append(s)
    if later.version == 10 and w.chance(.3):  # and its own start
        options = Definition(259, [[0, 143, 4], [0, 160, 8]], 1, True)
        start = word((NOW - 700) * 1000 + w.rng.randrange(1000), 8)
        own, more = w.message(10, 4), w.message(10, 5)
        own.sets += [TemplateSet([options]), DataSet(options, [[word(7, 4), start]])]
        more.sets += later.sets
        own.port = more.port = later.port
        return found + [later, own, more]
    return found + [later]


def five(w):
    found = []
    for at in range(w.pick(1, 2)):
        flows = []
        for _ in range(w.pick(1, 2, 30)):
            flow = bytearray(w.rng.randbytes(48))
            uptime = 500_000
            flow[24:32] = word(uptime - w.rng.randrange(400_000), 4) + word(uptime - w.rng.randrange(1000), 4)
            flow[38] = w.pick(1, 6, 17, 58, 2)
            for start, size in ((8, 4), (12, 2), (16, 4), (20, 4), (32, 2), (34, 2), (44, 1)):
                if w.chance(.2):
                    flow[start:start + size] = bytes(size)
            flows.append(bytes(flow))
        found.append(Five(NOW + at, w.rng.randrange(10**9), w.pick(500_000, 200, 2**32 - 1), w.pick(0, 0x4064, 100, 0x8001, 0x3fff), flows,
                          w.rng.getrandbits(32), w.rng.randbytes(w.pick(0, 0, 3, 47))))
    return found


def sflow(w):
    samples = [_sample(w) for _ in range(w.pick(1, 2, 4))]
    return [SFlow(NOW, samples, w.rng.getrandbits(32))]


def _sample(w):
    rng = w.rng
    records = []
    dice = rng.random()
    if dice < .7:
        records.append((1, _header(w)))
    elif dice < .8:
        records.append((2, word(rng.randrange(2000), 4) + rng.randbytes(6) + b"\0\0" + rng.randbytes(6) + b"\0\0" + word(w.pick(0x800, 0x86dd), 4)))
    elif dice < .9:
        records.append((3, word(rng.randrange(2000), 4) + word(w.pick(1, 6, 17, 58), 4) + rng.randbytes(8) + _words(rng, 65536, 65536, 256, 256)))
    else:
        records.append((4, word(rng.randrange(2000), 4) + word(w.pick(1, 6, 17, 58), 4) + rng.randbytes(32) + _words(rng, 65536, 65536, 256, 256)))
    if w.chance(.4):
        vlan = lambda: word(w.pick(0, 0xffffffff, rng.randrange(4096), 4096), 4)
        records.append((1001, vlan() + word(rng.randrange(8), 4) + vlan() + word(0, 4)))
    if w.chance(.4):
        records.append((1002, _address(w) + _words(rng, 33, 33)))
    if w.chance(.4):
        records.append((1003, _gateway(w)))
    if w.chance(.15):
        stack = lambda: word(n := w.pick(0, 1, 3, 12), 4) + rng.randbytes(4 * n)
        records.append((1006, _address(w) + stack() + stack()))
    if w.chance(.15):
        records.append(w.pick((1007, _address(w) + _address(w)), (1020, _words(rng, 65536, 65536))))
    if w.chance(.1):
        records.append(w.pick((1012, word(n := w.pick(1, 2, 3), 4) + b"".join(word(0x81000001 + rng.getrandbits(12), 4) for _ in range(n))),
                              (1029, _words(rng, 1 << 24)), (1030, _words(rng, 1 << 24))))
    if w.chance(.3):  # what is skipped
        records.append((w.pick(1004, 1005, 1008, 4413 << 12 | 1), rng.randbytes(4 * rng.randrange(6))))
    rng.shuffle(records)
    rate = w.pick(1, 100, 512, 0, 2**24, 2**24 + 1)
    port = lambda: w.pick(rng.randrange(1, 1000), 0, 0x3fffffff)
    if w.chance(.5):
        kinds = w.pick(0, 0, 0, 1, 2)
        target = kinds << 30 | (w.pick(0, 1, 9, 257, 258, 300, 4) if kinds == 1 else port())
        return Sample(1, [5, 3, rate, 10, 0, port(), target], records)
    if w.chance(.2):
        return Sample(5, [5, 0, 3, 0, port(), port(), w.pick(0, 1, 9, 13, 256, 257, 258, 260, 261, 262)], records)
    kinds = w.pick(0, 0, 0, 1, 2)
    return Sample(3, [5, 0, 3, rate, 10, 0, 0, w.pick(port(), 0xffffffff), kinds, w.pick(0, 1, 9, 258, 257) if kinds == 1 else port()], records)


def _words(rng, *limits):
    return b"".join(word(rng.randrange(limit), 4) for limit in limits)


def _address(w):
    kind = w.pick(0, 1, 1, 2)
    return word(kind, 4) + w.rng.randbytes((0, 4, 16)[kind])


def _header(w):
    protocol = w.pick(1, 1, 1, 1, 7, 10, 11, 12, 13, 14, 5)
    data = {
        1: packets.ethernet, 11: packets.ipv4, 12: packets.ipv6, 13: lambda r: packets.labels(r) + packets.ipv4(r), 5: lambda r: r.randbytes(20),
        7: packets.ppp, 10: packets.ipv4 if w.chance(.5) else packets.ipv6, 14: packets.ppp,
    }[protocol](w.rng)
    frame = len(data) + 4
    data = packets.cut(w.rng, data)
    length, stripped = w.pick(frame, w.rng.randrange(2000)), w.pick(0, 4)
    return word(protocol, 4) + word(length, 4) + word(stripped, 4) + word(len(data), 4) + data + bytes(-len(data) % 4)


def _gateway(w):
    rng = w.rng
    segments = [(w.pick(1, 2, 2, 2, 3), [rng.getrandbits(32) for _ in range(rng.randrange(4))]) for _ in range(w.pick(0, 1, 1, 2))]
    path = b"".join(word(kind, 4) + word(len(numbers), 4) + b"".join(word(n, 4) for n in numbers) for kind, numbers in segments)
    communities = word(n := rng.randrange(4), 4) + rng.randbytes(4 * n)
    return _address(w) + word(w.pick(0, 64500), 4) + word(w.pick(0, 64501), 4) + word(w.pick(0, 64502), 4) + word(len(segments), 4) + path \
        + (communities + word(100, 4) if w.chance(.8) else b"")


def broken(w):
    """Another scenario whose datagrams are cut, have changed bytes, or bytes after them that are no padding."""
    changed = w.chance(CHANGED)
    found = w.pick(plain, five, lists if changed else sflow)(w)
    m = w.rng.choice(found)
    if changed:
        m.changed = [(w.rng.getrandbits(12), w.pick(0, 1, 255, w.rng.randrange(256))) for _ in range(w.pick(1, 2, 5))]
    elif w.chance(.5):
        m.cut = w.rng.randrange(1, max(2, len(m.encode())))
    else:
        m.tail = w.rng.randbytes(w.pick(4, 16, 48, 60))
        if isinstance(m, Message) and m.version == 9:
            m.tail = word(w.pick(5, 255, 2), 2) + word(w.pick(0, 3, 200), 2) + m.tail  # a set of an unknown type, or of a false length
    return found


SCENARIOS = {f.__name__: (f, weight) for f, weight in (
    (plain, 6), (zeros, 2), (icmp, 1), (times, 2), (outer_and_inner, 2), (biflow, 1), (frames, 1), (sampling, 4), (lists, 2), (ports, .3),
    (five, 1), (sflow, 4), (broken, 1))}


def scenario(rng, names=None):
    """The datagrams of one exporter, and the name of what they are about."""
    names = names or list(SCENARIOS)
    name = rng.choices(names, [SCENARIOS[n][1] for n in names])[0]
    return name, SCENARIOS[name][0](World(rng))
