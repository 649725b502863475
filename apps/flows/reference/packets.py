"""Makes packets, for samples of sFlow and for IPFIX: with tags, labels, extension headers, tunnels, and cut anywhere."""

from messages import word

PPPOE = .08  # of frames
TAGS = (0x8100, 0x88a8, 0x9100)


def ethernet(rng, depth=0):
    kind, data = network(rng, depth)
    claims = kind == 0x0800 and any(data[2:4]) or kind == 0x86dd and any(data[4:6])  # without a length it is the frame's
    if rng.random() < PPPOE and claims:
        data = b"\x11\0" + word(7, 2) + word(len(data) + 2, 2) + word(0x21 if kind == 0x0800 else 0x57, 2) + data
        kind = 0x8864
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
        data = word(rng.getrandbits(16), 2) + word(kind, 2) + data
        kind = rng.choice(TAGS)
    return rng.randbytes(12) + word(kind, 2) + data


def ppp(rng):
    kind, data = rng.choice(((0x21, ipv4(rng)), (0x57, ipv6(rng)), (0x281, labels(rng) + ipv4(rng)), (0xc021, rng.randbytes(10))))
    head = word(kind, 1 if kind < 256 and rng.random() < .5 else 2)
    if kind == 0x21 and rng.random() < .2:
        return b"\x0f\0\x08\0" + data
    return rng.choice((b"", b"\xff\3")) + head + data


def network(rng, depth=0):
    """What Ethernet carries: its EtherType, and the bytes."""
    dice = rng.random()
    if dice < .06:
        return rng.choice((0x0806, 0x88cc, 0x1234, 0x40)), rng.randbytes(rng.randrange(60))
    if dice < .08:
        return 0x40, b"\xaa\xaa\3\0\0\0\x08\0" + ipv4(rng, depth)
    kind, data = (0x0800, ipv4(rng, depth)) if rng.random() < .55 else (0x86dd, ipv6(rng, depth))
    if rng.random() < .15:
        return rng.choice((0x8847, 0x8848)), labels(rng) + (pseudowire(rng, data) if kind == 0x0800 and rng.random() < .2 else data)
    return kind, data


def pseudowire(rng, data):
    """Ethernet after a control word, with the right checksum of IPv4, by which it is known."""
    size = 4 * (data[0] & 15)
    data = data[:10] + b"\0\0" + data[12:]
    total = sum(int.from_bytes(data[at:at + 2], "big") for at in range(0, size, 2))
    while total >> 16:
        total = (total >> 16) + (total & 0xffff)
    return b"\0\0\0\0" + rng.randbytes(12) + b"\x08\0" + data[:10] + word(~total, 2) + data[12:]


def labels(rng):
    entries = [rng.getrandbits(32) & ~0x100 for _ in range(rng.choice((1, 1, 2, 3, 10, 12)))]
    entries[-1] |= 0x100  # the bottom of the stack
    return b"".join(word(e, 4) for e in entries)


def ipv4(rng, depth=0):
    options = rng.randbytes(4 * rng.choice((0, 0, 0, 1, 5)))
    fragment = rng.choice((0, 0, 0, 0x4000, 0x2000, rng.getrandbits(13), 0x2000 | rng.getrandbits(13)))
    protocol, data = transport(rng, depth, 4)
    length = rng.choice((20 + len(options) + len(data), rng.getrandbits(16), 0))
    return word(0x45 + len(options) // 4, 1) + rng.randbytes(1) + word(length, 2) + rng.randbytes(2) + word(fragment, 2) + rng.randbytes(1) \
        + word(protocol, 1) + rng.randbytes(2) + rng.randbytes(8) + options + data


def ipv6(rng, depth=0):
    protocol, data = transport(rng, depth, 6)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        kind = rng.choice((0, 43, 44, 51, 60))
        if kind == 44:
            head = word(protocol, 1) + b"\0" + word(rng.choice((0, 1, rng.getrandbits(16))), 2) + rng.randbytes(4)
        else:
            size = rng.choice((0, 0, 1, 2))
            length = 4 * (size + 2) if kind == 51 else 8 * (size + 1)
            head = word(protocol, 1) + word(size, 1) + rng.randbytes(length - 2)
        protocol, data = kind, head + data
    length = rng.choice((len(data), rng.getrandbits(16), 0))
    return word(6 << 28 | rng.getrandbits(28), 4) + word(length, 2) + word(protocol, 1) + rng.randbytes(1) + rng.randbytes(32) + data


def transport(rng, depth, version):
    """The protocol, and what IP carries."""
    if depth == 0 and rng.random() < .25:
        return tunnel(rng)
    protocol = rng.choice((6, 6, 17, 17, 1 if version == 4 else 58, 58, 1, 33, 132, 136, 2, 89))
    return protocol, rng.randbytes(rng.choice((0, 3, 8, 20, 24, 40)))


def tunnel(rng):
    kind = rng.choice(("4", "41", "gre", "bridge", "labels", "vxlan"))
    if kind == "4":
        return 4, ipv4(rng, 1)
    if kind == "41":
        return 41, ipv6(rng, 1)
    if kind == "vxlan":
        head = rng.randbytes(2) + word(4789, 2) + rng.randbytes(4)
        return 17, head + word(rng.choice((8, 8, 0)), 1) + b"\0\0\0" + rng.randbytes(3) + b"\0" + ethernet(rng, 1)
    flags = rng.choice((0, 0, 0x80, 0x20, 0x10, 0xb0, 0x40))
    rest = b"".join(rng.randbytes(4) for bit in (0x80, 0x20, 0x10) if flags & bit)
    if kind == "bridge":
        protocol, data = 0x6558, ethernet(rng, 1)
    elif kind == "labels":
        protocol, data = 0x8847, labels(rng) + ipv4(rng, 1)
    else:
        protocol, data = (0x0800, ipv4(rng, 1)) if rng.random() < .5 else (0x86dd, ipv6(rng, 1))
    return 47, word(flags, 1) + word(rng.choice((0, 0, 0, 1)), 1) + word(protocol, 2) + rest + data


def cut(rng, data, most=200):
    """The first bytes: samples end anywhere."""
    return data[:rng.choice((len(data), 64, 128, rng.randrange(len(data) + 1)))][:most]
