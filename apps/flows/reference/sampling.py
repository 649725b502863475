"""Sampling rates: what a record says of its own rate, and what options records say of others (RFC 5477, RFC 3954)."""

import struct
from fractions import Fraction

LIMIT = 1 << 24  # higher rates are absurd

# The parameters of each selector algorithm (304), and the function from their values to the rate.
# 5 is property match filtering, which samples nothing; 6 to 8 are hash functions.
COUNT, TIME, SIZE, CHANCE, MATCH, HASH = (305, 306), (307, 308), (309, 310), (311,), (), (329, 330, 331, 332)
ALGORITHMS = {1: COUNT, 2: TIME, 3: SIZE, 4: CHANCE, 5: MATCH, 6: HASH, 7: HASH, 8: HASH}


UNCLEAR = "unclear"  # a rate that was reported, and that cannot be interpreted


class Senseless(Exception):
    """Values that cannot be, or that contradict each other."""


def number(data):
    """A field as a number; None if it is none."""
    return int.from_bytes(data, "big") if 1 <= len(data) <= 8 else None


def _equal(a, b):
    """Whether two rates are the same, but for the error of a probability."""
    return abs(a - b) <= max(a, b) * 1e-6


class Parameters:
    """The fields of one record that are about sampling. Each method that returns a rate returns None if there is none, and
    UNCLEAR if there are values but too few for one."""

    ABOUT = (34, 50, 304, *COUNT, *TIME, *SIZE, *CHANCE, *HASH)

    def __init__(self, fields):
        self.values = {element: [] for element in self.ABOUT}
        for enterprise, element, data in fields:
            if not enterprise and element in self.values and data:
                self.values[element].append(data)

    def told(self):
        return any(self.values.values())

    def value(self, element):
        """The value of an element; None if it is not there. It may be there twice, but with one value."""
        found = {number(data) for data in self.values[element]}
        if None in found or len(found) > 1:
            raise Senseless
        return found.pop() if found else None

    def rate(self):
        """N if one of N packets was sampled; None if nothing is said of that, UNCLEAR if it cannot be known."""
        try:
            plain = {v for v in (self.value(34), self.value(50)) if v}
            rate = self._parameters()
            if len(plain) > 1:
                raise Senseless
            for n in plain:
                if rate in (None, UNCLEAR):
                    return n
                if abs(rate - n) >= max(1, n * 1e-6):  # the plain one may be rounded
                    raise Senseless
        except Senseless:
            return UNCLEAR
        return rate

    def _parameters(self):
        algorithm = self.value(304)
        if algorithm is not None:
            found = self._of(ALGORITHMS.get(algorithm))
            others = any(any(data) for e, some in self.values.items() if e not in (34, 50) for data in some)
            return UNCLEAR if found is None and others else found
        found = [self._of(p) for p in (COUNT, TIME, SIZE, CHANCE, HASH)]
        rates = [r for r in found if r not in (None, UNCLEAR)]
        if any(not _equal(rates[0], r) for r in rates):
            raise Senseless
        return rates[0] if rates else UNCLEAR if UNCLEAR in found else None

    def _of(self, parameters):
        """The rate by one set of parameters."""
        if parameters is None:
            return None
        if parameters == MATCH:
            return 1
        return {COUNT: self._count, TIME: self._time, SIZE: self._size, CHANCE: self._chance, HASH: self._hash}[parameters]()

    def _count(self):
        chosen, skipped = self.value(305), self.value(306)
        if skipped is None and chosen and chosen > 1:
            return chosen  # exporters that send it alone mean one of so many
        return self._skips(chosen, skipped)

    def _time(self):
        return self._skips(self.value(307), self.value(308))

    def _skips(self, chosen, skipped):
        if not chosen and not skipped:
            return None
        return Fraction(chosen + skipped, chosen) if chosen and skipped is not None else UNCLEAR

    def _size(self):
        chosen, population = self.value(309), self.value(310)
        if not chosen and not population:
            return None
        if not chosen or not population:
            return UNCLEAR
        if chosen > population:
            raise Senseless
        return Fraction(population, chosen)

    def _chance(self):
        if self.value(311) is None:
            return None
        data = self.values[311][0]
        if len(data) not in (4, 8):
            raise Senseless
        chance, = struct.unpack(">f" if len(data) == 4 else ">d", data)
        if chance == 0:
            return None
        if not 0 < chance <= 1:
            raise Senseless
        return 1 / chance

    def _hash(self):
        low, high = self.value(329), self.value(330)
        lows, highs = ([number(data) for data in self.values[e]] for e in (331, 332))
        if not high and not lows and not highs:
            return None
        if low is None or not high or not lows or len(lows) != len(highs) or 0 in highs:
            return UNCLEAR
        if None in lows + highs or any(a > b or a < low or b > high for a, b in zip(lows, highs)):
            raise Senseless
        ranges = sorted(zip(lows, highs))
        if any(a[1] >= b[0] for a, b in zip(ranges, ranges[1:])):
            raise Senseless
        return Fraction(high - low + 1, sum(b - a + 1 for a, b in ranges))


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
        rate = Parameters(fields[scopes:] if netflow9 else fields).rate()
        if rate is not None:
            self.parts[part.key()] = UNCLEAR if rate == UNCLEAR or rate > LIMIT else rate
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
            if factor in (None, UNCLEAR) or isinstance(factor, list):
                return UNCLEAR
            product *= factor
        return product if product <= LIMIT else UNCLEAR

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
