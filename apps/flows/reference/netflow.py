"""NetFlow v9 and IPFIX, and NetFlow v5 as records of one template: from RFC 3954, 7011, 5103, 6313 and 7133."""

import dataclasses

import packet
import sampling
from columns import View
from elements import CLASSES, INNER, NAMES, OWN, REVERSE, VARIABLE
from sampling import number

V5, V9, IPFIX = 5, 9, 10
OCTETS, PACKETS = (1, 23, 231), (2, 24, 298)
COUNTERS = OCTETS + PACKETS + (85, 86)
RESPONDER = {232: 1, 299: 2}  # octets and packets of the other direction
FRAMES = (104, 313, 315)  # elements with the first bytes of a packet

# The record of NetFlow v5 (elements and sizes; 210 is padding).
RECORD5 = [(8, 4), (12, 4), (15, 4), (10, 2), (14, 2), (2, 4), (1, 4), (22, 4), (21, 4), (7, 2), (11, 2), (210, 1), (6, 1), (4, 1),
           (5, 1), (16, 2), (17, 2), (9, 1), (13, 1), (210, 2)]

ADDRESSES = {"source", "target"}
OF_TUNNELS = ADDRESSES | {"protocol", "source port", "target port"}


@dataclasses.dataclass
class Template:
    id: int
    options: bool
    scopes: int
    fields: list  # of (enterprise, element, size)
    protocol: int

    def shortest(self):
        return sum(1 if size == VARIABLE else size for _, _, size in self.fields)

    def record(self, data):
        """Splits off one record: its values, and what follows; None if it is cut off."""
        values = []
        for _, _, size in self.fields:
            if size == VARIABLE:
                if not data:
                    return None
                size, data = data[0], data[1:]
                if size == 255:
                    if len(data) < 2:
                        return None
                    size, data = int.from_bytes(data[:2], "big"), data[2:]
            if size > len(data):
                return None
            values.append(data[:size])
            data = data[size:]
        return values, data

    def elements(self):
        """The elements of a record; the scopes of NetFlow v9 have types of their own."""
        return [(enterprise, element) for enterprise, element, _ in self.fields]

    def variable(self):
        return [size == VARIABLE for _, _, size in self.fields]


FIVE = Template(0, False, 0, [(0, e, n) for e, n in RECORD5], V5)


def templates(protocol, body, options):
    """Reads a set of templates: yields each template, or (id, options) for one that is withdrawn, or None for a fault."""
    while len(body) >= 4:
        number_, count = int.from_bytes(body[:2], "big"), int.from_bytes(body[2:4], "big")
        if protocol == IPFIX and count == 0 and (number_ >= 256 or number_ == (3 if options else 2)):
            yield number_, options
            body = body[4:]
            continue
        if not any(body):
            return
        found = _template(protocol, number_, count, body, options)
        if found is None:
            yield None
            return
        template, body = found
        yield template


def _template(protocol, id, count, body, options):
    scopes, at = 0, 4
    if options:
        if len(body) < 6:
            return None
        second, at = int.from_bytes(body[4:6], "big"), 6
        if protocol == V9:  # lengths in bytes, of the scopes and of the options
            if count % 4 or second % 4:
                return None
            scopes, count = count // 4, (count + second) // 4
        else:
            scopes = second
    if id < 256 or count == 0 or scopes > count:
        return None
    fields = []
    for _ in range(count):
        if len(body) < at + 4:
            return None
        element, size = int.from_bytes(body[at:at + 2], "big"), int.from_bytes(body[at + 2:at + 4], "big")
        at, enterprise = at + 4, 0
        if protocol == IPFIX and element & 0x8000:
            if len(body) < at + 4:
                return None
            element, enterprise, at = element & 0x7fff, int.from_bytes(body[at:at + 4], "big"), at + 4
        fields.append((enterprise, element, size))
    return Template(id, options, scopes, fields, protocol), body[at:]


def _opposite():
    """The element of the other end of a flow, for each that is about one end, by their names."""
    numbers = {name: n for n, name in NAMES.items()}
    found = {}
    for n, name in NAMES.items():
        for a, b in (("source", "destination"), ("Source", "Destination"), ("ingress", "egress"), ("Next", "Prev"), ("dot1q", "postDot1q"),
                     ("vlanId", "postVlanId")):
            partner = numbers.get(name.replace(a, b, 1)) if a in name else None
            if partner and partner != n:
                found[n], found[partner] = partner, n
    return found


OPPOSITE = _opposite()
# What an exporter measures of the packets of one direction, so that it says nothing of the other one.
MEASURED = {1, 2, 3, 5, 6, 15, 18, 19, 20, 23, 24, 31, 32, 52, 53, 54, 61, 62, 63, 70, 85, 86, 88, 89, 139, 176, 177, 178, 179, 192, 195,
            197, 208, 209, 231, 298, 352}


def reverse(elements):
    """The elements of a biflow as those of its other direction (RFC 5103); None if it has none that counts something."""
    counts = False
    found = []
    for enterprise, element in elements:
        if enterprise == REVERSE:
            found.append((0, element))
            counts = counts or element in COUNTERS
        elif enterprise:
            found.append((enterprise, element))
        elif element in RESPONDER:
            found.append((0, RESPONDER[element]))
            counts = True
        elif (REVERSE, element) in elements or element in MEASURED:
            found.append(None)
        else:
            found.append((0, OPPOSITE.get(element, element)))
    return found if counts else None


def packets_of(elements):
    """The fields of the outer packet and of the inner one, as sets of indices; None if there is one packet. There are two if an
    address, the protocol or a port is there twice, or anything else, and addresses of both versions are apart."""
    fields = [(i, e[1]) for i, e in enumerate(elements) if e and e[0] == 0 and e[1] in CLASSES]
    twice = set()
    for i, element in fields:
        if any(k < i and e == element for k, e in fields):
            twice |= CLASSES[element]
    if not (twice & OF_TUNNELS or twice and _apart(fields)):
        return None
    return _packet(fields), _packet(fields[::-1])


def _apart(fields):
    """Whether a source or target address comes after other fields of packets that followed one."""
    before, beside = set(), set()
    for _, element in fields:
        if not CLASSES[element] & ADDRESSES:
            before |= beside
            beside = set()
        elif CLASSES[element] & before:
            return True
        else:
            beside |= CLASSES[element]
    return False


def _packet(fields):
    """The fields from the first on up to one that repeats a property. Addresses of both versions beside each other do not."""
    seen, beside, found = set(), set(), set()
    for i, element in fields:
        if not CLASSES[element] & ADDRESSES:
            seen |= set().union(*(CLASSES[e] for e in beside))
            beside = set()
        if CLASSES[element] & seen or element in beside:
            break
        if CLASSES[element] & ADDRESSES:
            beside.add(element)
        else:
            seen |= CLASSES[element]
        found.add(i)
    return found


def _has_inner(two, elements, values):
    """Whether a record has an inner packet: an address of its own that is not zero; without addresses, any field."""
    fields = sorted(two[1] - two[0])
    addresses = [i for i in fields if CLASSES[elements[i][1]] & ADDRESSES]
    return any(any(values[i]) for i in addresses or fields)


def view_of(elements, values, variable):
    """The first occurrence of each element. The enterprise of the inner packet has that packet's elements, and of other
    elements that repeat the last one."""
    view = View(variable=set())
    two = packets_of(elements)
    view.tunnelled = bool(two) and _has_inner(two, elements, values)
    for i, (source, value) in enumerate(zip(elements, values)):
        if source is None:
            continue
        names = []
        if two and source[0] == 0 and source[1] in CLASSES:
            names += [source] if i in two[0] and source not in view.values else []
            names += [(INNER, source[1])] if i in two[1] and view.tunnelled else []
        elif source not in view.values:
            names = [source]
        elif source[0] == 0:
            names = [(INNER, source[1])]
        for name in names:
            view.values[name] = value
            view.variable.discard(name)
            if variable[i]:
                view.variable.add(name)
    for enterprise in (0, INNER) if view.tunnelled else (0,):
        _icmp(view, enterprise)
        if not any((0, e) in view.values for e in FRAMES):
            _ether(view, enterprise)
    return view


def _icmp(view, enterprise):
    """Type and code of ICMP, from one number or from the target port; the flows have no ports."""
    values = view.values
    protocol = number(values.get((enterprise, 4), b""))
    own = any((enterprise, e) in values for e in (32, 139, 176, 177, 178, 179))
    if not own and protocol in (1, 58):
        _split(view, enterprise, 11, 176 if protocol == 1 else 178)
    _split(view, enterprise, 32, 176)
    _split(view, enterprise, 139, 178)
    if protocol in (1, 58):
        drop_ports(view, enterprise)


def _split(view, enterprise, joined, kind):
    data = view.values.get((enterprise, joined), b"")
    value = int.from_bytes(data, "big")
    if not data or value > 0xffff or any(any(view.values.get((enterprise, e), b"")) for e in (kind, kind + 1)):
        return
    for element, part in ((kind, value >> 8), (kind + 1, value & 0xff)):
        view.values[enterprise, element] = part.to_bytes(8, "big")


def drop_ports(view, enterprise):
    for element in (7, 11, 180, 181, 182, 183):
        view.values.pop((enterprise, element), None)


def _ether(view, enterprise):
    """The EtherType that the version of IP or the addresses imply."""
    values = view.values
    if (enterprise, 256) in values:
        return
    version = number(values.get((enterprise, 60), b""))
    four = [values[enterprise, e] for e in (8, 12) if (enterprise, e) in values]
    six = [values[enterprise, e] for e in (27, 28) if (enterprise, e) in values]
    sure = (enterprise, 60) not in values and bool(four) != bool(six)  # all records of the template are of that version
    if version in (4, 6):
        kind = packet.IPV4 if version == 4 else packet.IPV6
    elif any(map(any, six)) or sure and six:
        kind = packet.IPV6
    elif any(map(any, four)) or sure and four:
        kind = packet.IPV4
    else:
        return
    values[enterprise, 256] = kind.to_bytes(2, "big")


def sampled_packet(view):
    """The packet of which a record has the first bytes, as a view; None if it has none."""
    section = next((source for source in view.values if source[0] == 0 and source[1] in FRAMES), None)
    if section is None:
        return None
    data, length = view.values[section], number(view.values.get((0, 312), b"")) or 0
    if section[1] == 313:
        parsed = packet.payload(packet.IPV6 if data[:1] and data[0] >> 4 == 6 else packet.IPV4, data)
    else:
        parsed = packet.ethernet(data)
    found = dict(parsed.elements)
    found[0, 352] = length
    found[0, 1] = parsed.octets or max(0, length - parsed.before)
    found[0, 2] = 1
    found[0, 58] = found.get((0, 243), 0)
    return View(found, tunnelled=(OWN, 9) in found)


class Session:
    """What an exporter, an address and a port, has sent so far. If it uses templates of other ports of the address, their
    sampling rates and their start come with them, as far as all agree."""

    def __init__(self, siblings):
        self.domains, self.siblings, self.borrows = {}, siblings, False

    def domain(self, key):
        if key not in self.domains:
            self.domains[key] = Domain(self, key)
        return self.domains[key]

    def lent(self, key):
        """The rates and the start that the other ports have for a domain."""
        rates, domains = sampling.Rates(), []
        if self.borrows:
            domains = [s.domains[key] for s in self.siblings() if s is not self and key in s.domains]
        for part in {p for d in domains for p in d.rates.parts}:
            values = [d.rates.parts[part] for d in domains if part in d.rates.parts]
            if all(v == values[0] for v in values):
                rates.parts[part] = values[0]
        boots = {d.boot for d in domains} - {None}
        return rates, boots.pop() if len(boots) == 1 else None

    def rates(self, key):
        own = self.domains[key].rates if key in self.domains else sampling.Rates()
        if self.borrows:
            lent, _ = self.lent(key)
            lent.parts.update(own.parts)
            return lent
        return own


class Domain:
    def __init__(self, session, key):
        self.session, self.key = session, key
        self.templates, self.waiting, self.rates, self.boot = {}, {}, sampling.Rates(), None

    def start(self):
        return self.boot if self.boot is not None else self.session.lent(self.key)[1]

    def lookup(self):
        keys = set(self.session.domains)
        if self.session.borrows:
            keys.update(k for s in self.session.siblings() for k in s.domains)
        return sampling.Lookup(self.session.rates(self.key), [self.session.rates(k) for k in keys if k != self.key])


LISTS = {291: "basic", 292: "records", 293: "several",
         **dict.fromkeys((484, 485, 487, 488, 490, 491), "named")}


def list_kind(source):
    return LISTS.get(source[1]) if source and source[0] == 0 else None


class Lists:
    """The values in the lists of a record (RFC 6313), by element. wanted are the elements that columns are filled from."""

    MOST, LONGEST, DEEPEST = 1000, 64, 4

    def __init__(self, wanted, templates):
        self.wanted, self.templates = wanted, templates
        self.values, self.left, self.skipped, self.broken = {}, self.MOST, 0, 0

    def key(self, source):
        if source[0] == 0 and 70 <= source[1] <= 79:
            source = "labels"
        return source if source in self.wanted else None

    def add(self, key, value):
        if self.left == 0 or len(value) > self.LONGEST:
            self.skipped += 1
            return False
        self.left -= 1
        self.values.setdefault(key, []).append(value)
        return True

    def read(self, source, data, depth=1):
        kind = list_kind(source)
        if not data:
            return
        if depth > self.DEEPEST:
            self.skipped += 1
            return
        semantic, data = data[0], data[1:]
        if semantic in (0, 1):  # none of the values is true of the flow, or one that the list does not name
            return
        if kind == "basic":
            self.basic(None, data, depth)
        elif kind == "named":
            if self.key(source):
                self.basic(self.key(source), data, depth)
        elif kind == "several":
            self.several(data, depth)
        elif len(data) < 2:
            self.broken += 1
        else:
            self.records(int.from_bytes(data[:2], "big"), data[2:], depth)

    def basic(self, key, data, depth):
        if len(data) < 4:
            self.broken += 1
            return
        element, size, enterprise = int.from_bytes(data[:2], "big"), int.from_bytes(data[2:4], "big"), 0
        data = data[4:]
        if element & 0x8000:
            if len(data) < 4:
                self.broken += 1
                return
            element, enterprise, data = element & 0x7fff, int.from_bytes(data[:4], "big"), data[4:]
        source = enterprise, element
        nested = list_kind(source)
        key = key or self.key(source)
        if not key and not nested:
            return
        single = Template(0, False, 0, [(enterprise, element, size)], IPFIX)
        while data:
            found = single.record(data) if size else None
            if found is None:
                self.broken += 1
                return
            (value,), data = found
            if nested:
                self.read(source, value, depth + 1)
            elif not self.add(key, value):
                return

    def several(self, data, depth):
        while data:
            size = int.from_bytes(data[2:4], "big")
            if len(data) < 4 or not 4 <= size <= len(data):
                self.broken += 1
                return
            self.records(int.from_bytes(data[:2], "big"), data[4:size], depth)
            data = data[size:]

    def records(self, id, data, depth):
        template = self.templates.get(id)
        if template is None or template.options:
            self.skipped += 1
            return
        if not any(list_kind(e) or self.key(e) for e in template.elements()):
            return
        while data:
            found = template.record(data) if len(data) >= template.shortest() else None
            if found is None:
                self.broken += 1
                return
            values, data = found
            room = True
            for source, value in zip(template.elements(), values):
                if list_kind(source):
                    self.read(source, value, depth + 1)
                elif self.key(source) and room:
                    room = self.add(self.key(source), value)
            if not room:
                return
