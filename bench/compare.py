"""Rows of one task beside each other: times and ratios as documents show them, and who is compared with whom."""
from grid import APPS

STOCK = {"python": (), "rust": ("prost",), "go": ("protobuf-go", "goflow2"), "cpp": ("libprotobuf", "libprotobuf-lite")}
# Contenders that are no library, or that do less than the task: tables of bench/render show them; they are never called rivals here.
BOUNDS = ("floor", "hand", "memcpy", "byte-loop", "speed-of-light")
PARTS = ("hotpb-pool:no-rows", *(name for app in APPS for name in app.PARTS))  # a part of the task


def duration(ns):
    for unit, scale in (("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}" if ns < 1000 * scale else f"{ns / scale:,.0f} {unit}"
    return f"{ns:.3g} ns"


def ratio(rival, contender):
    """The rival's figure over ours; a loss is bold."""
    times_ours = rival / contender
    shown = f"{times_ours:.0f}x" if times_ours >= 100 else f"{times_ours:.1f}x" if times_ours >= 0.95 else f"{times_ours:.2f}x"
    return f"**{shown}**" if times_ours < 1 else shown


def times(rival, contender):
    """How many times as long the rival takes. Where the interval of the ratio holds 1, nobody is called faster."""
    middle, low, high = contender.get("ratios", {}).get(rival["rival"], 3 * [rival["ns_per_op"] / contender["ns_per_op"]])
    return "≈1x" if low <= 1 <= high else ratio(middle, 1)


def is_rival(row):
    return not row["rival"].startswith("hotpb") and row["rival"].split("+")[0] not in BOUNDS


def comparable(task, rival):
    """Reports whether a contender does the whole task, and is a library or one of our contenders. hyperpb has its own messages where the task sets the structs."""
    return rival.split("+")[0] not in BOUNDS + PARTS and not (task.startswith("codec-event") and rival == "hyperpb")


def stock(rows, language):
    return next((r for name in STOCK[language] for r in rows if r["rival"] == name), None)
