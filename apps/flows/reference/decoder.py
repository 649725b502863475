"""The reference decoder: slow and plain. From datagrams to flows, as dictionaries of columns, and counts of what was lost.

It is written from the RFCs, from IANA's registry and from the XDR text of sFlow v5, shares no code with the collector, and
works by other means: a record is a list of elements and bytes, and columns are looked up in it one by one.
"""

import functools
import ipaddress
import math
from fractions import Fraction

import columns as cells
import netflow
import sampling
import schema
import sflow
from columns import Clock, View
from elements import OWN
from netflow import IPFIX, OCTETS, PACKETS, V5, V9
from sampling import LIMIT, number

DAY = 86400 * 10**9
SIZES = {V5: 24, V9: 20, IPFIX: 16}  # of headers
PROTOCOLS = {V5: 1, V9: 2, IPFIX: 3}


class Message:
    """The header of a datagram of NetFlow or IPFIX."""

    def __init__(self, version, datagram):
        data = datagram.payload
        self.version, self.received, self.sender = version, datagram.time, datagram.sender
        self.port, self.rate, self.boot = datagram.port, None, None
        self.word = lambda at, size=4: int.from_bytes(data[at:at + size], "big")
        if version == IPFIX:
            self.export, self.sequence, self.domain = self.word(4) * 10**9, self.word(8), self.word(12)
        else:
            self.export = self.word(8) * 10**9 + (self.word(12) if version == V5 else 0)
            self.boot = self.export - self.word(4) * 10**6
            self.sequence = self.word(16 if version == V5 else 12)
            self.domain = self.word(20, 2) if version == V5 else self.word(16)
        if version == V5:
            self.rate = self.word(22, 2) & 0x3fff
        self.shift = 0
        if abs(self.received - self.export) > DAY:  # a clock that cannot be right
            self.shift = self.received - self.export

    def clock(self, boot):
        boot = boot if self.version == IPFIX else self.boot
        return Clock(self.export + self.shift, None if boot is None else boot + self.shift, self.version)


@functools.cache
def table(text):
    columns, enums = schema.read(text)
    return cells.Table([c for c in columns if not c.off and (c.sources or c.constant)], enums)


class Decoder:
    def __init__(self, text):
        self.table = table(text)
        self.wanted = {"labels" if cells.label(s) else s for c in self.table.columns if c.repeated for s in c.sources if s[0] != OWN}
        self.sessions, self.flows, self.counts = {}, [], {}

    def count(self, reason, n=1):
        if n:
            self.counts[reason] = self.counts.get(reason, 0) + n

    def emit(self, view, own, clock, packet_view=None):
        self.flows.append(self.table.row(view, own, clock, packet_view))

    def datagram(self, d):
        version = int.from_bytes(d.payload[:2], "big")
        if len(d.payload) >= 4 and version in SIZES:
            self._netflow(version, d)
        elif d.payload[:4] == b"\0\0\0\5":
            self._sflow(d)
        else:
            self.count("unknown_version")

    def end(self):
        """What still waits for a template is lost."""
        for session in self.sessions.values():
            for domain in session.domains.values():
                self.count("waiting_expired", sum(map(len, domain.waiting.values())))

    # sFlow

    def _sflow(self, d):
        read = sflow.Datagram(d.payload)
        self.count("truncated", read.truncated)
        self.count("malformed", read.malformed)
        for sample in read.samples:
            found = sample.found
            view = View(dict(found), sample.lists, tunnelled=(OWN, 9) in found)
            if found.get((0, 4)) in (1, 58):
                netflow.drop_ports(view, 0)
            own = self._collected(sample.rate or None, view, 4, read.sequence, str(_unmapped(read.agent)), d.time)
            milliseconds = d.time // 10**6 * 10**6
            own.update({(OWN, 3): d.sender, (0, 152): milliseconds, (0, 153): milliseconds})
            self.emit(view, own, Clock(d.time))

    def _collected(self, rate, view, protocol, sequence, exporter, received):
        """The collector's own values for a flow."""
        own = {(0, 258): received, (0, 130): exporter, (0, 131): exporter, (OWN, 1): protocol, (OWN, 2): sequence}
        if rate is not None and rate > LIMIT:
            self.count("sampling_absurd")
            rate = None
        for element in (34, 50):
            view.values.pop((0, element), None)
        if rate:
            own[OWN, 4] = True
            own[0, 34] = math.floor(Fraction(rate) + Fraction(1, 2))
            for element, counters in ((5, OCTETS), (6, PACKETS)):
                values = (number(view.get((0, e)) or b"") for e in counters)
                own[OWN, element] = _scaled(next((v for v in values if v), 0), rate)
        return own

    # NetFlow and IPFIX

    def _netflow(self, version, d):
        data, size = d.payload, SIZES[version]
        if len(data) < size:
            self.count("truncated")
            return
        m = Message(version, d)
        body = data[size:]
        if version == IPFIX:
            claimed = m.word(2, 2)
            if claimed < 16:
                self.count("malformed")
                return
            if claimed > len(data):
                self.count("truncated")
            elif len(data) - claimed >= 16:  # shorter than a message is padding
                self.count("malformed")
            body = data[16:claimed]
        if (d.sender, d.port) not in self.sessions:
            self.sessions[d.sender, d.port] = netflow.Session(lambda: [s for (a, _), s in self.sessions.items() if a == d.sender])
        session = self.sessions[d.sender, d.port]
        domain = session.domain((version, m.domain))
        if version == V5:
            self._five(m, domain, m.word(2, 2), body)
        else:
            self._sets(m, domain, body)

    def _five(self, m, domain, count, body):
        if count > 30:
            self.count("malformed")
            return
        if len(body) >= 48 * (count + 1):  # shorter than a record is padding
            self.count("malformed")
        elif len(body) < 48 * count:
            self.count("truncated")
        self._records(m, domain, netflow.FIVE, body[:48 * count])

    def _sets(self, m, domain, body):
        found, known = 0, True  # templates and records; whether all could be counted
        template_sets = {V9: (0, 1), IPFIX: (2, 3)}[m.version]
        while len(body) >= 4:
            id, size = int.from_bytes(body[:2], "big"), int.from_bytes(body[2:4], "big")
            if size < 4:
                if not (m.version == V9 and not any(body)):
                    self.count("malformed")
                    known = False
                break
            if size > len(body):
                self.count("truncated")
                known = False
                break
            content, body = body[4:size], body[size:]
            if id in template_sets:
                learnt, ok = self._learn(m, domain, content, id == template_sets[1])
                found, known = found + learnt, known and ok
            elif id < 256:
                self.count("malformed")
                known = False
            else:
                template = domain.templates.get(id) or self._elsewhere(m, domain.session, id)
                if template is None:
                    domain.waiting.setdefault(id, []).append((m, content))
                    known = False
                else:
                    read, ok = self._data(m, domain, template, content)
                    found, known = found + read, known and ok
        if m.version == V9 and known and found < m.word(2, 2):
            self.count("truncated")

    def _elsewhere(self, m, session, id):
        """A template that the address has sent from another port, if there is one definition of it."""
        found = []
        for sibling in session.siblings():
            domain = sibling.domains.get((m.version, m.domain))
            if sibling is not session and domain and id in domain.templates and domain.templates[id] not in found:
                found.append(domain.templates[id])
        if len(found) != 1:
            return None
        session.borrows = True
        return found[0]

    def _learn(self, m, domain, content, options):
        """Takes a set of templates, and then the data that has waited for them. Returns how many there were."""
        found, ok, fresh = 0, True, []
        for template in netflow.templates(m.version, content, options):
            if template is None:
                self.count("template_malformed")
                ok = False
            elif isinstance(template, tuple):
                id, of_options = template
                for known in list(domain.templates.values()):
                    if known.options == of_options and (known.id == id or id < 256):
                        del domain.templates[known.id]
            elif not 1 <= template.shortest() <= 65535:  # such a record does not exist, but the next template is where it ends
                self.count("template_malformed")
                ok = False
                domain.templates.pop(template.id, None)
            else:
                found += 1
                if domain.templates.get(template.id) != template:
                    domain.templates[template.id] = template
                    fresh.append(template.id)
        for id in fresh:
            for waited, body in domain.waiting.pop(id, []) if id in domain.templates else []:
                self._data(waited, domain, domain.templates[id], body)
        return found, ok

    def _data(self, m, domain, template, body):
        return (self._options if template.options else self._records)(m, domain, template, body)

    def _split(self, template, body):
        """The records of a set; a fault is None. What is shorter than a record is padding."""
        while len(body) >= template.shortest():
            found = template.record(body)
            if found is None:
                self.count("malformed")
                yield None
                return
            values, body = found
            yield values

    def _options(self, m, domain, template, body):
        read = 0
        for values in self._split(template, body):
            if values is None:
                return read, False
            fields = [(e, n, v) for (e, n), v in zip(template.elements(), values)]
            domain.rates.learn(m.version == V9, template.scopes, fields)
            for enterprise, element, value in fields[template.scopes if m.version == V9 else 0:]:
                if (enterprise, element) == (0, 160):
                    boot = number(value)
                    if boot:
                        domain.boot = boot * 10**6
            read += 1
        return read, True

    def _records(self, m, domain, template, body):
        records = list(self._split(template, body))
        whole = [r for r in records if r is not None]
        for values in whole:
            self._flow(m, domain, template, template.elements(), values)
        opposite = netflow.reverse(template.elements())
        if opposite:
            for values in whole:
                view = netflow.view_of(opposite, values, template.variable())
                if any(number(view.get((0, e)) or b"") for e in netflow.COUNTERS):
                    self._flow(m, domain, template, opposite, values)
        return len(whole), len(whole) == len(records)

    def _flow(self, m, domain, template, elements, values):
        view = netflow.view_of(elements, values, template.variable())
        fields = [(*e, v) for e, v in zip(elements, values) if e]
        boot = number(view.get((0, 160)) or b"") or None
        rate = sampling.Parameters(fields).rate()
        if rate in (None, 0) or rate != sampling.UNCLEAR and rate > LIMIT:
            rate = m.rate or domain.lookup().rate(template.id, view.values)
        if rate == sampling.UNCLEAR:
            rate = None
        lists = netflow.Lists(self.wanted, domain.templates)
        if m.version == IPFIX:
            for source, value in zip(elements, values):
                if netflow.list_kind(source):
                    lists.read(source, value)
                    if source in self.wanted:
                        view.values.pop(source, None)
        self.count("list_skipped", lists.skipped)
        self.count("malformed", lists.broken)
        view.lists = lists.values
        sampled = netflow.sampled_packet(view)
        view.tunnelled = view.tunnelled or bool(sampled and sampled.tunnelled)
        counted = View({**(sampled.values if sampled else {}), **{k: v for k, v in view.values.items() if any(v)}})
        own = self._collected(rate, counted, PROTOCOLS[m.version], m.sequence, m.sender, m.received)
        for element in (34, 50):
            view.values.pop((0, element), None)
        self.emit(view, own, m.clock(boot * 10**6 if boot else domain.start()), sampled)


def _unmapped(data):
    address = ipaddress.ip_address(data)
    return (address.version == 6 and address.ipv4_mapped) or address


def _scaled(value, rate):
    """A count times a rate, rounded; as exact as floating point is, if the rate is no integer."""
    if rate == int(rate):
        return min(value * int(rate), 2**64 - 1)
    return min(math.floor(float(value) * float(rate) + .5), 2**64 - 1)


def decode(text, datagrams):
    """All flows of some datagrams, and the counts by reason."""
    decoder = Decoder(text)
    for d in datagrams:
        decoder.datagram(d)
    decoder.end()
    return decoder.flows, decoder.counts


if __name__ == "__main__":
    import json
    import sys
    import capture
    flows, counts = decode(open(sys.argv[1]).read(), capture.read(sys.argv[2]))
    for flow in flows:
        print(json.dumps(flow))
    print(counts, file=sys.stderr)
