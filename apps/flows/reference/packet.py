"""Reads the first bytes of a packet, as far as they reach: Ethernet, tags, labels, IP, what IP carries, and one tunnel.

What is read is a dictionary from elements to numbers and addresses; addresses and hardware addresses are bytes.
"""

from elements import INNER, OWN

IPV4, IPV6 = 0x0800, 0x86dd
TAGS = (0x8100, 0x88a8, 0x9100)  # 802.1Q, 802.1ad, and what came before that
LABELS = (0x8847, 0x8848)
BRIDGED = 0x6558  # Ethernet in GRE
PPPOE = 0x8864
LEAST_TYPE = 0x600
ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
WITH_PORTS = (TCP, UDP, 33, 132, 136)  # DCCP, SCTP, UDP-Lite


def number(data, at, size):
    return int.from_bytes(data[at:at + size], "big")


class Packet:
    """A packet: its elements, the octets of IP that its header claims, and the size of what comes before the payload of the
    link layer."""

    def __init__(self):
        self.elements = {}
        self.octets = 0
        self.before = 0


def ethernet(data):
    p = Packet()
    p.before = 14
    if len(data) >= 14:
        p.elements.update({(0, 80): data[:6], (0, 56): data[6:12]})
        _payload(p, number(data, 12, 2), data[14:])
    return p


def ppp(data):
    """A packet of PPP, perhaps with the header of HDLC (RFC 1661, 1662), or of Cisco's HDLC."""
    p = Packet()
    kind, rest = _ppp(data)
    p.before = len(data) - len(rest)
    if kind:
        _payload(p, kind, rest)
    return p


def _ppp(data):
    """The EtherType of what PPP carries, and that; None if it is neither IP nor MPLS."""
    if data[:2] in (b"\x0f\0", b"\x8f\0") and len(data) >= 4:
        return number(data, 2, 2), data[4:]
    if data[:2] == b"\xff\3":
        data = data[2:]
    size = 1 if data and data[0] & 1 else 2  # the protocol may be compressed to its last byte
    kind = {0x21: IPV4, 0x57: IPV6, 0x281: LABELS[0], 0x283: LABELS[1]}.get(number(data, 0, size) if len(data) >= size else 0)
    return kind, data[size:] if kind else data


def payload(kind, data):
    """A packet of which the link layer was removed: of IP or MPLS."""
    p = Packet()
    _payload(p, kind, data)
    return p


def _payload(p, kind, data):
    tags = []
    while kind in TAGS and len(data) >= 4:
        tags.append(number(data, 0, 2) & 0xfff)
        kind, data = number(data, 2, 2), data[4:]
        p.before += 4
    for element, tag in zip((243, 245), tags):
        p.elements[0, element] = tag
    if kind < LEAST_TYPE:
        kind, data = _snap(data)
        if kind is None:
            return
        p.before += 8
    if kind in LABELS:
        entries, kind, data = _stack(kind, data)
        for i, entry in enumerate(entries[:10]):
            p.elements[0, 70 + i] = entry
    elif kind == PPPOE:
        kind, data = _pppoe(data)
        p.before += 0 if kind == PPPOE else 8
    p.elements[0, 256] = kind
    inside = _ip(p.elements, 0, kind, data)
    if inside is None:
        return
    p.octets, protocol, rest = inside
    if rest is not None:
        _transport(p.elements, 0, protocol, rest)
        _tunnel(p.elements, protocol, rest)


def _snap(data):
    """What follows the length of a frame of 802.3: it may have a type after all."""
    return (number(data, 6, 2), data[8:]) if data[:6] == b"\xaa\xaa\3\0\0\0" and len(data) >= 8 else (None, data)


def _pppoe(data):
    """What a session carries (RFC 2516), if that is IP; padding may follow it."""
    carried = len(data) >= 8 and data[:2] == b"\x11\0" and {0x21: IPV4, 0x57: IPV6}.get(number(data, 6, 2))
    return (carried, data[8:6 + number(data, 4, 2)]) if carried else (PPPOE, data)


def _stack(kind, data):
    """Labels, as three bytes without the time to live, and what follows the last one, by its version of IP."""
    entries, bottom = [], False
    while not bottom and len(data) >= 4:
        entries.append(data[:3])
        bottom = data[2] & 1 == 1
        data = data[4:]
    if data[:1] == b"\0" and len(data) >= 38 and number(data, 16, 2) == IPV4 and _is_ipv4(data[18:]):
        return entries, IPV4, data[18:]  # Ethernet in a pseudowire with a control word (RFC 4385)
    if data:
        kind = {4: IPV4, 6: IPV6}.get(data[0] >> 4, kind)
    return entries, kind, data


def _is_ipv4(data):
    """Whether the header of IPv4 has the right checksum, as far as it was sampled."""
    size = 4 * (data[0] & 15)
    total = sum(number(data, at, 2) for at in range(0, size, 2))
    return data[0] >> 4 == 4 and size >= 20 and (size > len(data) or (total & 0xffff) + (total >> 16) == 0xffff)


def _ip(found, enterprise, kind, data):
    """Reads IP's header. Returns octets, protocol and what follows it, which is None where it cannot be read; or None if this
    is no IP."""
    if kind == IPV4 and len(data) >= 20 and data[0] >> 4 == 4:
        found.update({(enterprise, 8): data[12:16], (enterprise, 12): data[16:20], (enterprise, 4): data[9],
                      (enterprise, 5): data[1], (enterprise, 192): data[8]})
        offset = number(data, 6, 2) & 0x1fff
        data = _within(data, number(data, 2, 2))
        if not enterprise:
            found.update({(0, 54): number(data, 4, 2), (0, 88): offset, (0, 197): data[6] & 0xe0})
        size = 4 * (data[0] & 15)
        whole = 20 <= size <= len(data) and offset == 0
        return number(data, 2, 2), data[9], data[size:] if whole else None
    if kind == IPV6 and len(data) >= 40 and data[0] >> 4 == 6:
        first, claimed = number(data, 0, 4), number(data, 4, 2)
        data = _within(data, claimed + 40 if claimed else 0)
        protocol, rest, fragment = _extensions(data[6], data[40:])
        found.update({(enterprise, 27): data[8:24], (enterprise, 28): data[24:40], (enterprise, 4): protocol,
                      (enterprise, 5): first >> 20 & 0xff, (enterprise, 192): data[7]})
        if not enterprise:
            found[0, 31] = first & 0xfffff
            if fragment:
                found.update(fragment)
        # Zero is a jumbogram, whose length is in an option.
        return claimed + 40 if claimed or enterprise else 0, protocol, rest
    return None


def _within(data, octets):
    """Cuts off the padding of a frame. A length that is too small says nothing."""
    return data[:octets] if octets >= 20 else data


def _extensions(protocol, data):
    """Skips the extension headers of IPv6. Returns the first header that is none, what follows (None in a later fragment),
    and the elements of a fragment."""
    fragment = {}
    while True:
        size = 0
        if protocol in (0, 43, 60) and len(data) >= 2:
            size = 8 * (data[1] + 1)
        elif protocol == 51 and len(data) >= 2:
            size = 4 * (data[1] + 2)
        elif protocol == 44 and len(data) >= 8:
            size = 8
            place = number(data, 2, 2)
            fragment = {(0, 54): number(data, 4, 4), (0, 88): place >> 3, (0, 197): (place & 1) << 5}
            if place >> 3:
                return data[0], None, fragment
        if size == 0 or size > len(data):
            return protocol, data, fragment
        protocol, data = data[0], data[size:]


def _transport(found, enterprise, protocol, data):
    if protocol in WITH_PORTS and len(data) >= 4:
        found.update({(enterprise, 7): number(data, 0, 2), (enterprise, 11): number(data, 2, 2)})
    if protocol == TCP and len(data) >= 14:
        found[enterprise, 6] = data[13]
    if protocol in (ICMP, ICMPV6) and len(data) >= 2 and not enterprise:
        kind, code = (178, 179) if (0, 27) in found else (176, 177)
        found.update({(0, kind): data[0], (0, code): data[1]})


def _tunnel(found, protocol, data):
    """Looks for a packet in the payload of an IP packet."""
    if protocol == 4:
        _inside(found, protocol, 0, IPV4, data)
    elif protocol == 41:
        _inside(found, protocol, 0, IPV6, data)
    elif protocol == 47:
        _gre(found, data)
    elif protocol == UDP and len(data) >= 16 and number(data, 2, 2) == 4789 and data[8] & 8:
        _inside(found, protocol, number(data, 12, 3), BRIDGED, data[16:])


def _gre(found, data):
    """RFC 2784 and 2890. Version 1 is PPTP's; the bit of RFC 1701's routing is obsolete."""
    if len(data) < 4 or data[1] & 7 or data[0] & 0x40:
        return
    at, key = 4, 0
    if data[0] & 0x80:
        at += 4
    if data[0] & 0x20:
        if len(data) < at + 4:
            return
        key = number(data, at, 4)
        at += 4
    if data[0] & 0x10:
        at += 4
    if len(data) < at:
        return
    _inside(found, 47, key, number(data, 2, 2), data[at:])


def _inside(found, tunnel, segment, kind, data):
    """The packet in a tunnel, perhaps in Ethernet with tags, under labels, or in PPPoE."""
    if kind == BRIDGED and len(data) >= 14:
        kind, data = number(data, 12, 2), data[14:]
    while kind in TAGS and len(data) >= 4:
        kind, data = number(data, 2, 2), data[4:]
    if kind < LEAST_TYPE:
        kind, data = _snap(data)
    if kind in LABELS:
        _, kind, data = _stack(kind, data)
    elif kind == PPPOE:
        kind, data = _pppoe(data)
    inside = _ip(found, INNER, kind, data)
    if inside is None:
        return
    octets, protocol, rest = inside
    found.update({(OWN, 9): tunnel, (0, 351): segment, (INNER, 256): kind, (INNER, 1): octets})
    if rest is not None:
        _transport(found, INNER, protocol, rest)
