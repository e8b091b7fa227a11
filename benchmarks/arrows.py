"""How the rooms of the package import each other, by the graph that import-linter draws.

    python -m benchmarks.arrows [--room cli] [--verbose]

Printed are the rooms that one room imports, with the number of imports (a pair of modules counts once), apart from the
ground floor (``GROUND``), which everybody may import; the arrows of the whole package; and the circles, between rooms
and, inside each room, between its modules. Imports for type checking alone do not count. A room is a folder, or a
module, directly in the package.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping

import grimp

PACKAGE = "infostream_dedup"
GROUND = {"errors", "model", "machine"}


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", default="cli", help="whose arrows are listed")
    parser.add_argument("--verbose", action="store_true", help="also list each import")
    arguments = parser.parse_args()
    imports = module_imports()
    arrows = Counter((room_of(a), room_of(b)) for a, b in imports if room_of(a) != room_of(b))
    above = {(a, b): count for (a, b), count in arrows.items() if b not in GROUND}
    listed = {b: count for (a, b), count in above.items() if a == arguments.room}
    print(f"arrows from {arguments.room} to rooms other than {', '.join(sorted(GROUND))}: {len(listed)}")
    for room, count in sorted(listed.items(), key=lambda one: (-one[1], one[0])):
        print(f"  {room}: {count} imports")
        if arguments.verbose:
            print(
                "".join(f"    {a} -> {b}\n" for a, b in imports if (room_of(a), room_of(b)) == (arguments.room, room))
            )
    rooms = {room for arrow in arrows for room in arrow}
    print(f"rooms: {len(rooms)}, arrows between them: {len(arrows)}, of these not to the ground: {len(above)}")
    show_circles("rooms", circles(arrows))
    inside = [(a, b) for a, b in imports if room_of(a) == room_of(b)]
    show_circles("modules inside a room", circles(inside))


def module_imports() -> list[tuple[str, str]]:
    """Pairs of modules, the first of which imports the second, without the name of the package; sorted.

    The package itself, whose names load on first use, is left out.
    """
    graph = grimp.build_graph(PACKAGE, exclude_type_checking_imports=True)
    short = {module: module.removeprefix(f"{PACKAGE}.") for module in graph.modules if module != PACKAGE}
    found = ((a, b) for a in short for b in graph.find_modules_directly_imported_by(a) if b in short)
    return sorted((short[a], short[b]) for a, b in found)


def room_of(module: str) -> str:
    """Name of the room of a module."""
    return module.partition(".")[0]


def circles(arrows: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of two and more that reach each other along the arrows; each sorted."""
    ahead: dict[str, set[str]] = {}
    for a, b in arrows:
        ahead.setdefault(a, set()).add(b)
    reached = {one: reach(one, ahead) for one in ahead}
    groups = {tuple(sorted({one} | {b for b in reached[one] if one in reached.get(b, ())})) for one in ahead}
    return sorted(list(group) for group in groups if len(group) > 1)


def reach(start: str, ahead: Mapping[str, set[str]]) -> set[str]:
    """All that can be reached from one by one arrow or more."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = ahead.get(waiting.pop(), set()) - seen
        seen |= new
        waiting.extend(new)
    return seen


def show_circles(of: str, found: list[list[str]]) -> None:
    """Print the circles, or that there are none."""
    print(f"circles between {of}: {len(found)}")
    for circle in found:
        print(f"  {', '.join(circle)}")


if __name__ == "__main__":
    main()
