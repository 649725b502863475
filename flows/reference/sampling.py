"""Sampling rates: what a record says of its own rate, and what options records say of others (RFC 5477, RFC 3954)."""

import struct
from fractions import Fraction

LIMIT = 1 << 24  # higher rates are absurd

# The parameters of each selector algorithm (304), and the function from their values to the rate.
# 5 is property match filtering, which samples nothing; 6 to 8 are hash functions.
COUNT, TIME, SIZE, CHANCE, MATCH, HASH = (305, 306), (307, 308), (309, 310), (311,), (), (329, 330, 331, 332)
ALGORITHMS = {1: COUNT, 2: TIME, 3: SIZE, 4: CHANCE, 5: MATCH, 6: HASH, 7: HASH, 8: HASH}


def number(data):
    """A field as a number; None if it is none."""
    return int.from_bytes(data, "big") if 1 <= len(data) <= 8 else None


def _skips(values):
    chosen, skipped = values
    return Fraction(chosen + skipped, chosen) if chosen else None


def _share(values):
    chosen, population = values
    return Fraction(population, chosen) if chosen and population >= chosen else None


def _chance(values):
    chance, = values
    if len(chance) not in (4, 8):
        return None
    chance, = struct.unpack(">f" if len(chance) == 4 else ">d", chance)
    return 1 / chance if 0 < chance <= 1 else None


class Parameters:
    """The fields of one record that are about sampling."""

    def __init__(self, fields):
        self.first = {}
        lows, highs = [], []  # of the ranges of hash values that are selected
        for enterprise, element, data in fields:
            if enterprise or number(data) is None:
                continue
            self.first.setdefault(element, data)
            if element in (331, 332):
                (lows if element == 331 else highs).append(number(data))
        self.ranges = list(zip(lows, highs)) if len(lows) == len(highs) else []

    def value(self, element):
        return number(self.first[element]) if element in self.first else None

    def told(self):
        """Whether there is anything about a rate."""
        return any(e in self.first for e in (34, 50, *COUNT, *TIME, *SIZE, *CHANCE)) or self.value(304) == 5 or bool(self.ranges)

    def _of(self, parameters):
        """The rate by one set of parameters, or None if it is not complete or makes no sense."""
        if parameters == MATCH:
            return 1
        if parameters == HASH:
            return self._hash()
        values = [self.value(e) if parameters != CHANCE else self.first.get(e) for e in parameters]
        if parameters == COUNT and values[1] is None and values[0] and values[0] > 1:
            return values[0]  # exporters that send it alone mean one of so many
        if None in values:
            return None
        return {COUNT: _skips, TIME: _skips, SIZE: _share, CHANCE: _chance}[parameters](values)

    def _hash(self):
        low, high = self.value(329), self.value(330)
        if low is None or high is None or not self.ranges:
            return None
        chosen = sum(b - a + 1 for a, b in self.ranges if b >= a)
        return Fraction(high - low + 1, chosen) if chosen and high >= low else None

    def rate(self):
        """N if one of N packets was sampled; None if that is unknown."""
        algorithm = self.value(304)
        if algorithm is not None:
            parameters = ALGORITHMS.get(algorithm)
            found = {self._of(parameters) if parameters is not None else None}
        else:
            found = {self._of(p) for p in (COUNT, TIME, SIZE, CHANCE, HASH)} - {None}
        plain = [v for v in (self.value(34), self.value(50)) if v]
        if len(found) > 1:
            return None
        rate = found.pop() if found else None
        if plain:
            return plain[0] if rate is None or rate == plain[0] else None
        return rate if rate is None or 1 <= rate <= LIMIT else None


class Part:
    """What options are about, as a tuple: a sampler or selection sequence, an interface, a template, or all."""

    def __init__(self):
        self.kind = self.id = self.way = self.port = self.template = None
        self.rest = ()  # what no record is matched with

    def key(self):
        return self.kind, self.id, self.way, self.port, self.template, self.rest

    def at(self, port, way, element):
        if self.way or port > 0xffffffff:
            self.rest += ((element, port),)
        else:
            self.port, self.way = port, way

    def add(self, netflow9, scope, element, data):
        value = number(data)
        if value is None:
            return
        if netflow9 and scope:
            if element == 2:
                self.at(value, "both", element)
            elif element == 5:
                self.template = value & 0xffff
            elif element == 3:
                self.rest += ((element, value),)
        elif element in (48, 302):
            if not self.kind:
                self.kind, self.id = "sampler", value
        elif element in (10, 14):
            self.at(value, "in" if element == 10 else "out", element)
        elif element == 61:
            if self.way and value in (0, 1):
                self.way = ("in", "out")[value]
        elif scope and element == 301:
            self.kind, self.id = "sequence", value
        elif scope and element == 145:
            self.template = value & 0xffff
        elif scope and element in (141, 142, 82, 252, 253):
            self.rest += ((element, value),)


class Rates:
    """What options of a domain have said: for each part a rate, or the samplers that chose its packets one after the other."""

    def __init__(self):
        self.parts = {}

    def learn(self, netflow9, scopes, fields):
        """Takes an options record; fields are (enterprise, element, data), of which the first are scopes."""
        part, samplers = Part(), []
        for i, (enterprise, element, data) in enumerate(fields):
            if not enterprise:
                part.add(netflow9, i < scopes, element, data)
                if element in (48, 302) and not (netflow9 and i < scopes) and number(data) is not None:
                    samplers.append(number(data))
        parameters = Parameters(fields[scopes:] if netflow9 else fields)
        if parameters.told():
            rate = parameters.rate()
            if rate is not None and 1 <= rate <= LIMIT:
                self.parts[part.key()] = rate
            else:
                self.parts.pop(part.key(), None)
        elif samplers and part.kind == "sequence":
            part.way = part.port = None
            self.parts[part.key()] = samplers
        elif samplers and part.way:
            part.kind = part.id = None
            self.parts[part.key()] = samplers


class Lookup:
    """The rates that count for the records of a domain: its own, or without any, those on which the others agree."""

    def __init__(self, own, others):
        self.parts = own.parts
        told = list(own.parts.items())
        if not own.parts:
            told = [item for rates in others for item in rates.parts.items()]
            agreed = {}
            for key, rate in told:
                if not isinstance(rate, list):
                    agreed.setdefault(key, set()).add(rate)
            self.parts = {key: rates.pop() for key, rates in agreed.items() if len(rates) == 1}
        self.named = any(key[0] for key, _ in told)
        self.ports = any(key[2] for key, _ in told)
        self.rates = {rate for _, rate in told if not isinstance(rate, list)}

    def exact(self, kind=None, id=None, way=None, port=None, template=None):
        rate = self.parts.get((kind, id, way, port, template, ()))
        if not isinstance(rate, list):
            return rate
        product = 1
        for sampler in rate:
            factor = self.parts.get(("sampler", sampler, None, None, None, ()))
            if factor is None or isinstance(factor, list):
                return None
            product *= factor
        return product

    def at_interface(self, view, kind=None, id=None):
        """At the interface where the flow was counted: by its direction, else where it came in, else where it left."""
        direction = number(view.get((0, 61), b""))
        ways = []
        if (0, 10) in view and direction != 1:
            ways.append(("in", number(view[0, 10])))
        if (0, 14) in view and direction in (None, 1):
            ways.append(("out", number(view[0, 14])))
        for way, port in ways:
            for w in (way, "both"):
                rate = self.exact(kind, id, w, port)
                if rate:
                    return rate
        return None

    def rate(self, template, view):
        sampler = view.get((0, 302)) or view.get((0, 48))
        sampler, sequence = number(sampler or b""), number(view.get((0, 301), b""))
        named = self.named and (sampler is not None or sequence is not None)
        ports = self.ports and ((0, 10) in view or (0, 14) in view)
        tries = []
        if named and sequence is not None:
            tries.append(lambda: self.exact("sequence", sequence))
        if named and sampler is not None:
            if ports:
                tries.append(lambda: self.at_interface(view, "sampler", sampler))
            tries.append(lambda: self.exact("sampler", sampler))
        if ports:
            tries.append(lambda: self.at_interface(view))
        tries += [lambda: self.exact(template=template), lambda: self.exact()]
        for attempt in tries:
            rate = attempt()
            if rate:
                return rate
        if named or ports:
            return None  # what is known is about others
        return next(iter(self.rates)) if len(self.rates) == 1 else None
