"""sFlow v5, by the XDR text of its specification. Each sample becomes a dictionary from elements to values."""

import packet
from elements import OWN
from packet import number

VLANS = 4096


class Short(Exception):
    """The bytes end too early."""


class XDR:
    """Reads XDR: everything has four bytes, or is padded to a multiple of that."""

    def __init__(self, data):
        self.data = data

    def opaque(self, size):
        if size > len(self.data):
            raise Short
        value, self.data = self.data[:size], self.data[size:]
        return value

    def padded(self, size):
        value = self.opaque(size)
        self.opaque(-size % 4)
        return value

    def word(self):
        return int.from_bytes(self.opaque(4), "big")

    def words(self, count):
        if 4 * count > len(self.data):
            raise Short
        return [self.word() for _ in range(count)]

    def address(self):
        """An address after its type: none, of IPv4, of IPv6."""
        kind = self.word()
        if kind > 2:
            raise Short
        return self.opaque((0, 4, 16)[kind])


# The forwarding status (RFC 7270) of a dropped packet, by sFlow's reason; below 256 that is a code of ICMP's "destination
# unreachable".
DROPPED = {
    **dict.fromkeys((0, 6, 7, 11, 12, 281), 131), **dict.fromkeys((1, 279), 132), **dict.fromkeys((9, 10, 13, 258), 129),
    **dict.fromkeys((4, 262), 133), 257: 137, 260: 139, 261: 138, **dict.fromkeys((280, 302, 335), 140),
}
UNKNOWN_DROP = 128


class Sample:
    """A sample of flows: what each of its records says about the packet."""

    def __init__(self):
        self.found = {(0, 2): 1}
        self.lists = {}
        self.faults = 0
        self.switched, self.segments, self.removed = {}, {}, []
        self.has_header = False

    def input(self, form, value):
        if form == 0 and value in (0x3fffffff, 0xffffffff):
            self.found[OWN, 7] = 1
        elif form == 0:
            self.found[0, 10] = value

    def output(self, form, value):
        if form == 0 and value in (0x3fffffff, 0xffffffff):
            self.found[OWN, 8] = 1
        elif form == 0:
            self.found[0, 14] = value
        elif form == 1:
            self.found[OWN, 8] = 2
            self.discard(value)
        elif form == 2:
            self.found[OWN, 8] = 3

    def discard(self, reason):
        self.found.update({(0, 89): DROPPED.get(reason, UNKNOWN_DROP), (OWN, 13): reason})

    def record(self, kind, body):
        read = {
            1: self._header, 2: self._ethernet, 3: self._ipv4, 4: self._ipv6, 1001: self._switch, 1002: self._router,
            1003: self._gateway, 1006: self._mpls, 1007: self._nat, 1012: self._tags, 1020: self._nat_ports, 1029: self._segment, 1030: self._segment,
        }.get(kind)
        if read:
            self.kind = kind
            try:
                read(XDR(body))
            except Short:
                self.faults += 1

    def _header(self, x):
        protocol, length, stripped, size = x.words(4)
        data = x.data[:size]
        if protocol == 1:
            p = packet.ethernet(data)
        elif protocol in (7, 14):
            p = packet.ppp(data)
        elif protocol == 10:
            p = packet.payload(packet.IPV6 if data[:1] and data[0] >> 4 == 6 else packet.IPV4, data)
        elif protocol in (11, 12, 13):
            p = packet.payload({11: packet.IPV4, 12: packet.IPV6, 13: 0x8847}[protocol], data)
        else:
            p = packet.Packet()
        self.has_header = True
        if (0, 70) in p.elements:
            self.found = {e: v for e, v in self.found.items() if not (e[0] == 0 and 70 <= e[1] <= 79)}
        self.found.update(p.elements)
        self.found[0, 352] = length
        self.found[0, 1] = p.octets or max(0, length - stripped - p.before)
        if size > len(x.data):
            raise Short

    def _ethernet(self, x):
        """Hardware addresses have six bytes, and XDR fills them up to eight."""
        length = x.word()
        source, target = x.padded(6), x.padded(6)
        kind = x.word()
        if not self.has_header:
            self.found.update({(0, 352): length, (0, 1): max(0, length - 18), (0, 56): source, (0, 80): target, (0, 256): kind})

    def _ipv4(self, x):
        self._ip(x, 4, 8, 12, packet.IPV4)

    def _ipv6(self, x):
        self._ip(x, 16, 27, 28, packet.IPV6)

    def _ip(self, x, size, source, target, kind):
        length, protocol = x.words(2)
        a, b = x.opaque(size), x.opaque(size)
        from_port, to_port, flags, tos = x.words(4)
        self.found.update({
            (0, 1): length, (0, 4): protocol, (0, source): a, (0, target): b, (0, 256): kind, (0, 7): from_port, (0, 11): to_port,
            (0, 6): flags, (0, 5): tos})

    def _switch(self, x):
        source, _, target, _ = x.words(4)
        self.switched = {58: source if source < VLANS else 0, 59: target if target < VLANS else 0}

    def _router(self, x):
        hop = x.address()
        source, target = x.words(2)
        self._hop(hop, 15, 62)
        self.masks = source, target

    masks = None

    def _hop(self, address, four, six):
        self.found.pop((0, four), None)
        self.found.pop((0, six), None)
        if address:
            self.found[0, four if len(address) == 4 else six] = address

    def _gateway(self, x):
        hop = x.address()
        own, source, before, segments = x.words(4)
        self.lists.pop((OWN, 10), None), self.lists.pop((OWN, 11), None), self.lists.pop((0, 485), None)
        path, sets, every = [], [], []
        for _ in range(segments):
            kind, size = x.words(2)
            numbers = x.words(size)
            every += numbers
            if kind == 2:
                path += numbers
            elif kind == 1:
                sets += numbers
        self.lists.update({(OWN, 10): path, (OWN, 11): sets})
        self._hop(hop, 18, 63)
        self.found.update({
            (0, 16): source or own, (0, 17): (every[-1] if every else 0) or own, (0, 128): every[0] if every else 0, (0, 129): before})
        if x.data:  # some agents end here
            self.lists[0, 485] = x.words(x.word())

    def _tags(self, x):
        """Tags that were removed before the packet was sampled: a type and a tag in each word, the outer one first."""
        self.removed = [entry & 0xfff for entry in x.words(x.word())]

    def _segment(self, x):
        self.segments[self.kind] = x.word()

    def _nat(self, x):
        source, target = x.address(), x.address()
        self._hop(source, 225, 281)
        self._hop(target, 226, 282)

    def _nat_ports(self, x):
        self.found[0, 227], self.found[0, 228] = x.words(2)

    def _mpls(self, x):
        hop, stack = x.address(), x.words(x.word())
        self._hop(hop, 47, 140)
        if not self.found.get((0, 70)) or not any(self.found[0, 70]):
            for i, entry in enumerate(stack[:10]):
                self.found[0, 70 + i] = entry.to_bytes(4, "big")[:3]
        self.lists[OWN, 12] = [entry >> 12 for entry in x.words(x.word())]

    def finish(self):
        """What depends on several records. Without a switch's VLAN, it is that of the frame, and the other way round."""
        found = self.found
        tags = [*self.removed, *(found[0, e] for e in (243, 245) if (0, e) in found)]
        for element, tag in zip((243, 245), tags):
            found[0, element] = tag
        segment = self.segments.get(1030) or self.segments.get(1029)
        if segment and not found.get((0, 351)):
            found[0, 351] = segment
        if any(self.switched.values()):
            found[0, 58] = self.switched[58]
            found[0, 59] = found[0, 254] = self.switched[59]
            found[0, 243] = found.get((0, 243)) or self.switched[58]
        else:
            found[0, 58] = found.get((0, 243), 0)
        if self.masks:
            source, target = (29, 30) if (0, 27) in found else (9, 13)
            found.update({(0, source): self.masks[0], (0, target): self.masks[1]})


class Datagram:
    """Reads a datagram: its samples of flows, each with its rate, and the counts of faults."""

    def __init__(self, data):
        self.agent, self.sequence, self.samples = None, 0, []
        self.truncated = self.malformed = 0
        x = XDR(data)
        try:
            _, kind = x.words(2)
            if kind not in (1, 2):
                self.malformed += 1
                return
            self.agent = x.opaque((4, 16)[kind - 1])
            _, self.sequence, _, count = x.words(4)
            for _ in range(count):
                kind, size = x.words(2)
                self._sample(kind, x.opaque(size))
        except Short:
            self.truncated += 1
            return
        if x.data:
            self.malformed += 1

    def _sample(self, kind, body):
        s, x = Sample(), XDR(body)
        try:
            if kind == 1:
                _, _, s.rate, _, _, source, target, count = x.words(8)
                s.input(source >> 30, source & 0x3fffffff)
                s.output(target >> 30, target & 0x3fffffff)
            elif kind == 3:
                _, _, _, s.rate, _, _, form, source, target_form, target, count = x.words(11)
                s.input(form, source)
                s.output(target_form, target)
            elif kind == 5:  # discarded packets, of which none is sampled
                _, _, _, _, source, target, reason, count = x.words(8)
                s.rate = 1
                s.input(0, source)
                s.output(0, target)
                s.found[OWN, 8] = 2
                s.discard(reason)
            else:
                return
        except Short:
            self.malformed += 1
            return
        try:
            for _ in range(count):
                kind, size = x.words(2)
                s.record(kind, x.opaque(size))
        except Short:
            s.faults += 1
        s.finish()
        self.malformed += s.faults
        self.samples.append(s)
