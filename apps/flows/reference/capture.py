"""Reads and writes datagrams: .dgrams files, and pcap files, which also have senders and times."""

import dataclasses
import ipaddress
import struct


@dataclasses.dataclass
class Datagram:
    sender: str
    port: int
    time: int  # of receipt, in nanoseconds since 1970
    payload: bytes


def exported(payload):
    """When a datagram of NetFlow or IPFIX was exported, in nanoseconds: the time of receipt that .dgrams files lack."""
    version = int.from_bytes(payload[:2], "big")
    if version == 5 and len(payload) >= 16:
        return int.from_bytes(payload[8:12], "big") * 10**9 + int.from_bytes(payload[12:16], "big") % 10**9
    if version == 9 and len(payload) >= 12:
        return int.from_bytes(payload[8:12], "big") * 10**9
    if version == 10 and len(payload) >= 8:
        return int.from_bytes(payload[4:8], "big") * 10**9
    return 0  # sFlow has no time


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] in (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1"):
        return list(_pcap(data))
    found, at = [], 0
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "big")
        payload = data[at + 4:at + 4 + n]
        found.append(Datagram("192.0.2.1", 2055, exported(payload), payload))
        at += 4 + n
    return found


def _pcap(data):
    order = ">" if data[:2] == b"\xa1\xb2" else "<"
    unit = 1 if data[:4] in (b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1") else 1000
    link, = struct.unpack(order + "I", data[20:24])
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, n, _ = struct.unpack(order + "IIII", data[at:at + 16])
        packet = data[at + 16:at + 16 + n]
        at += 16 + n
        packet = packet[{1: 14, 113: 16, 101: 0}[link]:]
        if packet[0] >> 4 == 4:
            sender, udp = packet[12:16], packet[4 * (packet[0] & 15):]
            protocol = packet[9]
        else:
            sender, udp, protocol = packet[8:24], packet[40:], packet[6]
        if protocol == 17:
            length = int.from_bytes(udp[4:6], "big")
            yield Datagram(str(ipaddress.ip_address(sender)), int.from_bytes(udp[:2], "big"),
                           seconds * 10**9 + fraction * unit, udp[8:length])


def write_dgrams(path, datagrams):
    with open(path, "wb") as file:
        for d in datagrams:
            file.write(struct.pack(">I", len(d.payload)) + d.payload)


def write_pcap(path, datagrams):
    """Writes raw IP packets, with times in nanoseconds. UDP's checksum is left out for IPv4."""
    with open(path, "wb") as file:
        file.write(struct.pack(">IHHIIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 101))
        for d in datagrams:
            packet = _packet(d)
            file.write(struct.pack(">IIII", d.time // 10**9, d.time % 10**9, len(packet), len(packet)) + packet)


def _packet(d):
    sender = ipaddress.ip_address(d.sender)
    port = 6343 if d.payload[:4] == b"\0\0\0\5" else 2055
    udp = struct.pack(">HHHH", d.port, port, 8 + len(d.payload), 0) + d.payload
    if sender.version == 6:
        target = ipaddress.ip_address("2001:db8::254").packed
        pseudo = sender.packed + target + struct.pack(">II", len(udp), 17)
        udp = udp[:6] + struct.pack(">H", _checksum(pseudo + udp)) + udp[8:]
        return struct.pack(">IHBB", 0x60000000, len(udp), 17, 64) + sender.packed + target + udp
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + sender.packed + bytes([192, 0, 2, 254])
    return head[:10] + struct.pack(">H", _checksum(head)) + head[12:] + udp


def _checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total >> 16) + (total & 0xffff)
    return (~total & 0xffff) or 0xffff
