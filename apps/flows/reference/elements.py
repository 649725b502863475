"""IANA's information elements of IPFIX: number, abstract data type, and the sizes that RFC 7011 allows."""

import pathlib

REVERSE = 29305  # the enterprise of the reverse direction (RFC 5103)
OWN = 4294967295  # the collector's own elements
INNER = 4294967294  # those of the inner packet
VARIABLE = 65535

# The abstract data types of the registry, with the elements that have them.
REGISTRY = """
unsigned8 4-5 9 13 29-30 33 35 38-39 46 48-49 51-53 55 60-61 89 91 98 101 136 146 176-179 188-189 192-193 195-197 200 203
unsigned8 206-207 214-215 229-230 233 237 239-240 244 246 248 257 263 267 277 294 297 339 344 384 413 448 492 498 500-501
unsigned16 6-7 11 32 36-37 58-59 88 102-103 139 145 180-183 186-187 190-191 205 216-217 227-228 238 241-243 245 250 254-256
unsigned16 259 285-287 303-304 312 345 361-364 370 390 400 408-410 457-458 493 502
unsigned32 10 14 16-17 21-22 31 34 50 54 64 87 92-93 99 128-129 141-144 149 158-159 161-162 184-185 194 201-202 204 208 213
unsigned32 234-235 249 251-253 278 283 295-296 305-310 346 368-369 380-381 385-387 405-406 412 440-442 446 463 466-467 483
unsigned64 1-3 19-20 23-26 40-42 85-86 132-135 137-138 148 163-168 171-175 198-199 209 218-224 231-232 279-280 298-299
unsigned64 301-302 318-319 326-332 334 342-343 351-358 375-379 382-383 391-399 401-402 407 417-418 420-431 433 439 447
signed32 434
float64 311 320-321 336-338
boolean 276 333 388-389
macAddress 56-57 80-81 365 367 414-415
ipv4Address 8 12 15 18 43-45 47 130 211 225-226 366 403 432 438
ipv6Address 27-28 62-63 131 140 169-170 212 281-282 404 494-495
string 82-84 94 96 100 147 236 247 284 288-290 300 335 340-341 348 350 371-374 450-456 459-462
octetArray 70-79 90 95 104 210 262 266 274-275 313-317 347 349 411 435-437 445 449 464-465 486 489 497 499
dateTimeSeconds 150-151 260-261 264-265 322
dateTimeMilliseconds 152-153 160 258 269 272 323 359-360
dateTimeMicroseconds 154-155 268 271 324
dateTimeNanoseconds 156-157 270 273 325
basicList 291 484-485 487-488 490-491 496
subTemplateList 292 443-444
subTemplateMultiList 293
"""

# The sizes in octets; of those with several, the last is the type's own, and the others are of reduced-size encoding
# (RFC 7011, 6.2). Types that are not here have any size.
SIZES = {
    "unsigned8": [1], "unsigned16": [1, 2], "unsigned32": [1, 2, 3, 4], "unsigned64": [1, 2, 3, 4, 5, 6, 7, 8],
    "signed32": [1, 2, 3, 4], "float64": [4, 8], "boolean": [1], "macAddress": [6], "ipv4Address": [4], "ipv6Address": [16],
    "dateTimeSeconds": [4], "dateTimeMilliseconds": [8], "dateTimeMicroseconds": [8], "dateTimeNanoseconds": [8],
}


def _registry():
    types = {}
    for line in REGISTRY.split("\n"):
        kind, *ranges = line.split() or [""]
        for r in ranges:
            first, _, last = r.partition("-")
            for number in range(int(first), int(last or first) + 1):
                types[number] = kind
    return types


TYPES = _registry()

# The properties of a packet, and the elements that have them. Type and code of ICMP are apart, or in one number.
PROPERTIES = {
    "source": (8, 27), "target": (12, 28), "protocol": (4,), "source port": (7, 180, 182), "target port": (11, 181, 183), "tos": (5,),
    "flags": (6,), "ttl": (192,), "type": (32, 139, 176, 178), "code": (32, 139, 177, 179), "version": (60,), "label": (31,), "ether": (256,)}
CLASSES = {}
for _property, _elements in PROPERTIES.items():
    for _element in _elements:
        CLASSES.setdefault(_element, set()).add(_property)


def _names():
    path = pathlib.Path(__file__).resolve().parents[3] / "go/schema/yaml/elements.csv"
    lines = [line.strip().split(",") for line in path.read_text().splitlines() if line[:1].isdigit()]
    return {int(line[0]): line[1] for line in lines}


NAMES = _names()  # for what people read, and for schemas with names


def text(enterprise, element):
    """The name of an element, as a person reads it."""
    if enterprise:
        return f"{enterprise}/{element}"
    return f"{NAMES.get(element, 'element')} ({element})"
