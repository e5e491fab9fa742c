"""One run of a small design, written in the forms in which simulators write vectors.

    python3 forms.py FOLDER
"""

import random
import sys
from pathlib import Path

# Scope, name, bits from the left by their indices. An element of an array is a vector of its own.
VECTORS = [
    ("tb", "clk", None),
    ("tb", "q", list(range(7, -1, -1))),
    ("tb", "up", list(range(8))),
    ("tb", "off", list(range(12, 4, -1))),
    ("tb", "wide", list(range(99, -1, -1))),
    ("tb", "mem[0]", [3, 2, 1, 0]),
    ("tb", "mem[1]", [3, 2, 1, 0]),
    ("tb", "grid[1][2]", [1, 0]),
    ("tb.u", "q", list(range(7, -1, -1))),
    ("tb.u", "flag", [3, 2, 1, 0]),
]
# This vector has the values, and in most forms the codes, of the other.
SAME = {("tb.u", "q"): ("tb", "q")}


def run(states):
    """For each time the values, a text of digits from the left for each vector."""
    chance = random.Random(1)
    values = {}
    for time in range(0, 200, 5):
        changes = {}
        for scope, name, bits in VECTORS:
            key = (scope, name)
            if key in SAME:
                continue
            width = len(bits) if bits else 1
            if name == "clk":
                changes[key] = str(time // 5 % 2)
            elif key not in values:
                # Where there is x, there is no value at first either.
                if time >= 10 or "x" not in states:
                    changes[key] = "".join(chance.choice(states) for _ in range(width))
            elif chance.random() < 0.4:
                old = list(values[key])
                for _ in range(chance.randrange(1, 4)):
                    old[chance.randrange(width)] = chance.choice(states)
                changes[key] = "".join(old)
        values.update(changes)
        yield time, dict(values)


def code(number):
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 94)
        text += chr(33 + digit)
    return text


def write(path, version, kind, pieces, reference, order=lambda all: all, states="0101010101xz"):
    """`pieces(bits)` cuts a vector; `reference(name, indices)` is how a piece is named."""
    declared = []
    codes = {}
    for scope, name, bits in VECTORS:
        for piece in pieces(bits) if bits else [None]:
            key = SAME.get((scope, name), (scope, name))
            place = (key, tuple(piece) if piece else None)
            codes.setdefault(place, code(len(codes)))
            text = reference(name, piece) if piece else name
            width = len(piece) if piece else 1
            declared.append((scope, f"$var {kind} {width} {codes[place]} {text} $end"))
    lines = ["$date", "\tMon Mar 11 10:00:00 2024", "$end", f"$version\n\t{version}\n$end"]
    lines += ["$timescale\n\t1ns\n$end", "$scope module tb $end"]
    lines += order([line for scope, line in declared if scope == "tb"])
    lines += ["$scope module u $end"]
    lines += order([line for scope, line in declared if scope == "tb.u"])
    lines += ["$upscope $end", "$upscope $end", "$enddefinitions $end"]
    last = {}
    for time, values in run(states):
        lines.append(f"#{time}")
        if time == 0:
            lines.append("$dumpvars")
        for (key, piece), name in codes.items():
            if key not in values:
                continue
            bits = next(bits for scope, text, bits in VECTORS if (scope, text) == key)
            digits = values[key]
            if piece:
                digits = "".join(digits[bits.index(index)] for index in piece)
            if last.get(name) != digits:
                last[name] = digits
                lines.append(f"{digits}{name}" if len(digits) == 1 else f"b{digits} {name}")
        if time == 0:
            lines.append("$end")
    path.write_text("\n".join(lines) + "\n")


def single(bits):
    return [[bit] for bit in bits]


def nibbles(bits):
    return [bits[at : at + 4] for at in range(0, len(bits), 4)]


def ranged(piece):
    return f"[{piece[0]}]" if len(piece) == 1 else f"[{piece[0]}:{piece[-1]}]"


def apart(name, piece):
    return f"{name} {ranged(piece)}"


def close(name, piece):
    return f"{name}{ranged(piece)}"


def spread(all):
    """Neighbours are not declared one after the other."""
    return all[::3] + all[1::3] + all[2::3]


def main(folder):
    whole = lambda bits: [bits]
    tail = lambda bits: [bits[: len(bits) // 2]] + single(bits[len(bits) // 2 :])
    write(folder / "whole.vcd", "one variable a vector", "reg", whole, apart)
    write(folder / "questa.vcd", "QuestaSim Version 2023.4", "wire", single, apart)
    write(folder / "questa_two_states.vcd", "QuestaSim Version 2023.4", "wire", single, apart, states="01")
    write(folder / "vcs.vcd", "VCS, bits without white space", "reg", single, close)
    write(folder / "riviera.vcd", "Riviera-PRO, lowest first", "wire", single, close, lambda all: all[::-1])
    write(folder / "gtkwave.vcd", "bits in any order", "wire", single, apart, spread)
    write(folder / "pieces.vcd", "four bits at a time", "wire", nibbles, apart)
    write(folder / "mixed.vcd", "halves and bits", "reg", tail, close)


main(Path(sys.argv[1]))
