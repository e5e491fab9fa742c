#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tells what `make test` would compile again that `make run` has compiled.

    tests/support/compiled_once.py OPTION...

Cargo compiles a library again for every set of features, with all that depends on it, and tests have dependencies of their
own that ask for more. The options are those that all tests are compiled with. The dependencies of Cargo.toml that make the sets the same are kept by this. The exit code is 1 if
something is compiled twice.
"""

import json
import os
import subprocess
import sys

RUN = ["build", "--release"]


def units(command):
    """What a command compiles: names, features and what each is compiled with."""
    # The graph of units is what Cargo calls unstable, and the only thing that tells it.
    ran = subprocess.run(
        [os.environ.get("CARGO", "cargo"), *command, "--unit-graph", "-Zunstable-options"], check=True,
        env=dict(os.environ, RUSTC_BOOTSTRAP="1"), stdout=subprocess.PIPE, text=True,
    )
    graph = json.loads(ran.stdout)["units"]

    def key(unit):
        return unit["pkg_id"], unit["target"]["name"], unit["mode"], tuple(unit["features"])

    return {(*key(unit), frozenset(key(graph[other["index"]]) for other in unit["dependencies"])) for unit in graph}


def main():
    again = units(RUN) - units(["test", *sys.argv[1:]])
    for package, target, _, features, _ in sorted(again, key=str):
        print(f"{package.rsplit('/', 1)[-1]}: {target} with {', '.join(features) or 'no features'}", file=sys.stderr)
    if again:
        print("expected nothing that `make test` compiles again; add features to Cargo.toml", file=sys.stderr)
    return int(bool(again))


if __name__ == "__main__":
    sys.exit(main())
