"""Writes a dump with what simulators of hardware languages do not: strings, unions, many codes."""
import sys
from vcd import VCDWriter

with open(sys.argv[1], "w") as out, VCDWriter(out, timescale="100 us", date="today", version="pyvcd", comment="two\nlines") as w:
    text = w.register_var("top.sub", "text", "string", init="start")
    count = w.register_var("top.sub", "count", "integer", size=20, init=0)
    real = w.register_var("top", "ratio", "real", init=0.25)
    event = w.register_var("top", "tick", "event")
    pair = w.register_var("top", "pair", "wire", size=(4, 8), init=("z", 0))
    unknown = w.register_var("top", "unknown", "tri", size=5)
    w.register_alias("top.other", "same", count)
    many = [w.register_var("top.many", f"bit{i}", "reg", size=1, init=i % 2) for i in range(200)]
    for t in range(1, 40):
        w.change(count, t, t * t)
        w.change(text, t, ["idle", "", "a_b", "run\\n"][t % 4])
        w.change(real, t, -t / 3)
        w.change(event, t, True)
        w.change(pair, t, (t % 16, "x" if t % 3 else t))
        w.change(unknown, t, ["x1", "z", "1", "10x0z"][t % 4])
        w.change(many[t * 7 % 200], t, t % 2)
        if t == 20:
            w.dump_off(t)
        if t == 25:
            w.dump_on(t)
