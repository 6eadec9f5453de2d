# SPDX-License-Identifier: Apache-2.0
"""Rondo's analyses as Python objects. The program `rondo` is run, and its rows of JSON are read.

    import rondo
    capture = rondo.open("program-1234.rondo")
    for item in capture.items():
        print(item.name, item.command, [need.name for need in item.needs])
    print([finding.id for finding in capture.races()])

`rondo help rows` says what each field means; the attributes have the same names. A field that this module does not know
is in `extra`. What a row lacks is None, or an empty list. Python 3.9 or later; nothing else is needed. `to_networkx()`
needs networkx, `to_frame()` needs pandas.
"""

import dataclasses
import importlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

__all__ = ["Capture", "Draw", "Error", "Finding", "Graph", "Item", "Join", "Need", "Operation", "Part", "Profile",
           "Reason", "Record", "Row", "Span", "Sync", "Time", "Touch", "Use", "Uses", "Why", "open", "to_frame"]

Json = Dict[str, Any]
# Frames or submits: 3, range(20, 25), or as the program takes it: "20:25".
Span = Union[int, range, str]

_MISUSED = 2  # exit status of the program: an option or a name is wrong
_UNREADABLE = 3
_WITHOUT_JOB = ("dump", "accesses")  # their rows are of records
_SECONDS_TO_END = 5
_FOUND = 5  # with --fail-on: there is such a finding
_STATUS_OF_MISSING_PROGRAM = 127  # as of a shell


class Error(Exception):
    """The program could not do it. The text is the program's own; `status` is its exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


Part_ = TypeVar("Part_", bound="Part")


@dataclass
class Part:
    """A JSON object: documented fields are attributes."""

    json: Json = field(repr=False, compare=False, default_factory=dict)  # as the program printed it

    @property
    def extra(self) -> Json:
        """The fields that this class has no attribute for."""
        known = {key for _, key, _ in _members(type(self))}
        return {key: value for key, value in self.json.items() if key not in known}

    @classmethod
    def of(cls: Type[Part_], data: Json) -> Part_:
        values: Json = {"json": data}
        for name, key, part in _members(cls):
            value = data.get(key)
            if value is not None:
                values[name] = value if part is None else [part.of(element) for element in value]
        return cls(**values)


_Members = List[Tuple[str, str, Optional[Type[Part]]]]
_members_of: Dict[type, _Members] = {}


def _members(kind: Type[Part]) -> _Members:
    """Attribute, key in JSON, and of a list of objects the class of these."""
    if kind not in _members_of:
        _members_of[kind] = [(one.name, one.name.rstrip("_"), one.metadata.get("part"))
                             for one in dataclasses.fields(kind) if one.name not in ("json", "of_item")]
    return _members_of[kind]


@dataclass
class Row(Part):
    """A line of JSON. These attributes are on each row, so that rows of many captures can be joined."""

    row: str = ""  # its kind: "item", "time", ...
    capture_digest: Optional[str] = None
    device: Optional[str] = None
    build: Optional[str] = None
    job: Optional[str] = None


def _list_of(part: Type[Part]) -> Any:
    return field(default_factory=list, metadata={"part": part})


@dataclass
class Touch(Part):
    """A part of a resource that an item reads or writes. Buffers have begin and end, images have parts."""

    object: Optional[str] = None
    begin: Optional[int] = None
    end: Optional[int] = None
    parts: List[Json] = field(default_factory=list)
    reads: bool = False
    writes: bool = False


@dataclass
class Need(Part):
    """What an item needs of an earlier item, or of a join of several."""

    item: Optional[int] = None  # the earlier item, …
    join: Optional[int] = None  # … or the join
    name: Optional[str] = None  # of the earlier item
    kinds: List[str] = field(default_factory=list)  # RAW, WAR, WAW, layout, query, LIFETIME
    grade: str = ""
    object: Optional[str] = None
    begin: Optional[int] = None
    end: Optional[int] = None
    parts: List[Json] = field(default_factory=list)
    order: Optional[str] = None  # of a graph with both=True
    by: List[Json] = field(default_factory=list)
    of_item: int = -1  # the item that needs it


@dataclass
class Draw(Row):
    """A command that the device executes."""

    submit: Optional[int] = None
    draw: Optional[int] = None
    frame: int = 0
    record: int = -1
    at: int = -1
    primary: int = 0
    command: str = ""
    queue: Optional[str] = None
    pipeline: Optional[str] = None
    pipeline_name: Optional[str] = None
    shaders: List[Json] = field(default_factory=list)
    labels: List[str] = field(default_factory=list)
    pass_: Optional[int] = None  # the field `pass`, which is a word of Python
    counts: Json = field(default_factory=dict)
    views: Optional[int] = None
    item: Optional[int] = None
    name: str = ""
    bytes: Optional[int] = None
    bytes_unknown: bool = False


@dataclass
class Item(Draw):
    """An item of work: a command, a whole render pass, a layout transition, a call that touches memory, ..."""

    kind: str = ""
    item: int = -1  # its number
    render_pass: Optional[str] = None
    draws: Optional[int] = None
    end_record: Optional[int] = None
    commands: Optional[int] = None
    touches: List[Touch] = _list_of(Touch)
    needs: List[Need] = _list_of(Need)


@dataclass
class Use(Item):
    """An item that touches the resource that was asked for."""

    grade: str = ""
    reads_versions: List[int] = field(default_factory=list)
    writes_version: Optional[int] = None


@dataclass
class Join(Row):
    """Several items that others need together."""

    join: int = -1
    items: List[int] = field(default_factory=list)
    joins: List[int] = field(default_factory=list)


@dataclass
class Operation(Row):
    """What the program orders by: a barrier, an event, a semaphore, ..."""

    operation: int = -1
    kind: str = ""
    record: int = -1
    submit: Optional[int] = None
    labels: List[str] = field(default_factory=list)
    text: str = ""
    items: List[int] = field(default_factory=list)
    names: List[str] = field(default_factory=list)
    operations: List[Json] = field(default_factory=list)


@dataclass
class Time(Draw):
    """How long the device worked at an item, or at a group of items. Nanoseconds."""

    by: str = ""
    item: str = ""  # type: ignore[assignment]  # SUBMIT:DRAW, or the name of the group
    n: int = 0
    min_ns: float = 0
    median_ns: float = 0
    p95_ns: float = 0
    share: float = 0
    gb_per_s: Optional[float] = None
    below_timer: bool = False
    host: bool = False
    begin_ns: Optional[float] = None
    render_pass: Optional[str] = None
    draws: Optional[int] = None
    end_record: Optional[int] = None
    counters: Json = field(default_factory=dict)


@dataclass
class Reason(Row):
    """A step of an answer to why."""

    reason: str = ""  # data, or synchronization
    item: Optional[int] = None
    needs: Optional[int] = None
    kinds: List[str] = field(default_factory=list)
    grade: Optional[str] = None
    places: List[str] = field(default_factory=list)
    record: Optional[int] = None
    text: Optional[str] = None


@dataclass
class Finding(Row):
    """A race, or synchronization that nothing needs as it is."""

    rule: str = ""
    id: str = ""
    grade: Optional[str] = None
    occurrences: int = 0
    other_records: List[int] = field(default_factory=list)
    record: Optional[int] = None
    at: Optional[int] = None
    submit: Optional[int] = None
    command: Optional[str] = None
    kind: Optional[str] = None
    executed: Optional[int] = None
    labels: List[str] = field(default_factory=list)
    barriers: List[Json] = field(default_factory=list)
    semaphore: Optional[str] = None
    signalled_by: Optional[int] = None
    render_pass: Optional[str] = None
    needed_like: Optional[int] = None
    needed_for: List[Json] = field(default_factory=list)
    hazards: str = ""  # of a race: RAW, WAR, WAW, LIFETIME, OWNER
    from_: Optional[Json] = None  # of a race the earlier command; the field is `from`, which is a word of Python
    to: Optional[Json] = None
    places: List[Json] = field(default_factory=list)
    more_places: int = 0
    ordered: Optional[bool] = None
    cure: Optional[str] = None
    proof: Optional[Json] = None


@dataclass
class Record(Row):
    """A recorded call, as of rondo dump."""

    sequence: int = -1
    thread: int = 0
    frame: int = 0
    submit: int = 0
    command: str = ""
    result: Optional[str] = None
    start_ns: Optional[int] = None
    end_ns: Optional[int] = None
    parameters: Json = field(default_factory=dict)


_CLASSES: Mapping[str, Type[Row]] = {
    "draw": Draw, "item": Item, "use": Use, "join": Join, "operation": Operation, "time": Time, "reason": Reason,
    "sync": Finding, "record": Record}

Row_ = TypeVar("Row_", bound=Row)


def _row_of(data: Any) -> Row:
    if not isinstance(data, dict):
        raise ValueError("no object")
    made = _CLASSES.get(str(data.get("row")), Row).of(data)
    if isinstance(made, Item) and made.row == "item":
        for need in made.needs:
            need.of_item = made.item
    return made


def to_frame(rows: Iterable[Row]) -> Any:
    """A pandas.DataFrame, a column for each field. Needs pandas."""
    return _module("pandas", "to_frame()").DataFrame([one.json for one in rows])


def _module(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as why:
        raise Error(f"{what} needs the module {name}: install python3-{name} ({why})", _MISUSED) from why


@dataclass
class Rows:
    """What a command printed: its first and its last row."""

    head: Row
    summary: Row


@dataclass
class Graph(Rows):
    """What each item of work needs of those before it."""

    capture: "Capture" = field(repr=False)
    items: List[Item] = field(default_factory=list)  # in the order of execution
    joins: List[Join] = field(default_factory=list)
    draws: List[Draw] = field(default_factory=list)

    @property
    def needs(self) -> List[Need]:
        return [need for item in self.items for need in item.needs]

    def why(self, first: Union[Item, str, int], second: Union[Item, str, int]) -> "Why":
        return self.capture.why(first, second)

    def who(self, resource: str) -> "Uses":
        return self.capture.who(resource)

    def to_frame(self) -> Any:
        return to_frame(self.items)

    def to_networkx(self) -> Any:
        """A networkx.DiGraph with the edges of rondo graph --format graphml, from what comes first to what needs it.

        An item's node is its number, with `item`; a join's is "join 3", with `join`. An edge has `needs`, a list;
        `kinds`, `grade` and with both=True `order`, strings. Needs of items that are not in the graph have no edge.
        """
        graph = _module("networkx", "to_networkx()").DiGraph()
        for item in self.items:
            graph.add_node(item.item, item=item)
        for join in self.joins:
            graph.add_node(f"join {join.join}", join=join)
        for join in self.joins:
            members: List[Union[int, str]] = [one for one in join.items if one in graph]
            members += [f"join {one}" for one in join.joins]
            graph.add_edges_from(((one, f"join {join.join}") for one in members), needs=[], kinds="", grade="certain")
        for item in self.items:
            together: Dict[Union[int, str], List[Need]] = {}
            for need in item.needs:
                together.setdefault(f"join {need.join}" if need.item is None else need.item, []).append(need)
            for one, needs in together.items():
                if one not in graph:
                    continue
                kinds = sorted({kind for need in needs for kind in need.kinds})
                is_certain = any(need.grade == "certain" for need in needs)
                graph.add_edge(one, item.item, needs=needs, kinds=" ".join(kinds),
                               grade="certain" if is_certain else "possible")
                orders = sorted({need.order for need in needs if need.order is not None})
                if orders:
                    graph.edges[one, item.item]["order"] = " ".join(orders)
        return graph


@dataclass
class Why(Rows):
    """Why one item comes after another."""

    first: Item
    second: Item
    data: List[Reason]
    synchronization: List[Reason]

    @property
    def needs(self) -> bool:
        """Whether the second needs the first, through others or not."""
        return bool(self.summary.json.get("data"))

    @property
    def order(self) -> str:
        """How much of the first the program orders before the second: all, some, none."""
        return str(self.summary.json.get("synchronization"))


@dataclass
class Uses(Rows):
    """All that reads and writes a resource."""

    uses: List[Use]

    @property
    def versions(self) -> int:
        return int(self.summary.json["versions"])

    def to_frame(self) -> Any:
        return to_frame(self.uses)


@dataclass
class Profile(Rows):
    """How long the device worked at each item or group."""

    times: List[Time]

    def to_frame(self) -> Any:
        return to_frame(self.times)


@dataclass
class Sync(Rows):
    """Races, and synchronization that nothing needs as it is."""

    findings: List[Finding]

    def of_rule(self, rule: str) -> List[Finding]:
        return [one for one in self.findings if one.rule == rule]

    def races(self) -> List[Finding]:
        return self.of_rule("race")

    def superfluous(self) -> List[Finding]:
        return self.of_rule("superfluous")

    def to_frame(self) -> Any:
        return to_frame(self.findings)


def _options(**given: Any) -> List[str]:
    """Words of a command line: name=value, True for a flag, a list for several; None and False are left out."""
    words: List[str] = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, range):
            if value.step != 1 or not value:
                raise ValueError(f"{name}: {value} is no span: it needs a step of 1, and something in it")
            words += [option, f"{value.start}:{value.stop}"]
        elif name in ("frames", "submits"):  # rondo info takes these after a blank only
            words += [option, str(value)]
        elif isinstance(value, (list, tuple)):
            words += [f"{option}={one}" for one in value]
        else:
            words.append(f"{option}={value}")
    return words


def _end(program: "subprocess.Popen[bytes]") -> None:
    if program.poll() is not None:
        return
    program.terminate()
    try:
        program.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        program.kill()


class Capture:
    """A capture file. Each method runs the program anew, and nothing is kept but `info`."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, tool: str = "rondo", job: Optional[str] = None) -> None:
        self.path = os.fspath(path)
        self.job = job
        found = shutil.which(tool)
        if found is None:
            raise Error(f"there is no program {tool}: install Rondo, or name the program with tool=",
                        _STATUS_OF_MISSING_PROGRAM)
        self.tool = found
        if not os.path.exists(self.path):
            raise Error(f"{self.path}: there is no such file", _UNREADABLE)
        self._info: Optional[Json] = None

    def __repr__(self) -> str:
        return f"rondo.open({self.path!r})"

    def _lines(self, words: Sequence[str]) -> Iterator[bytes]:
        """What the program prints, line by line. The program ends with the iteration, whatever ends that."""
        with tempfile.TemporaryFile() as said:
            with subprocess.Popen([self.tool, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=said) as program:
                assert program.stdout is not None
                try:
                    yield from program.stdout
                    status = program.wait()
                finally:
                    _end(program)
            if status in (0, _FOUND):
                return
            said.seek(0)
            lines = said.read().decode("utf-8", "replace").strip().splitlines()
            line = lines[-1] if lines else f"{self.tool} {words[0]} ended with status {status}"
            raise Error(line[len("rondo: "):] if line.startswith("rondo: ") else line, status)

    def rows(self, command: str, *options: str, operands: Sequence[str] = ()) -> Iterator[Row]:
        """The rows of any subcommand that has --format jsonl (of info: with --draws), as they are printed.

        rows("who", "--frames=3", operands=["VkBuffer#7"]) runs `rondo who --format=jsonl --frames=3 FILE VkBuffer#7`.
        """
        words = [command, "--json" if command == "info" else "--format=jsonl", *options]
        if self.job is not None and command not in _WITHOUT_JOB:
            words.append(f"--job={self.job}")
        for line in self._lines([*words, "--", self.path, *operands]):
            try:
                yield _row_of(json.loads(line))
            except ValueError as why:
                raise Error(f"{self.tool} {command} printed what is no row: {why}", 1) from why

    def _all(self, command: str, *options: str, operands: Sequence[str] = ()) -> Tuple[Row, Row, List[Row]]:
        rows = list(self.rows(command, *options, operands=operands))
        if len(rows) < 2 or rows[0].row != "analysis" or rows[-1].row != "summary":
            raise Error(f"{self.tool} {command} printed no whole analysis: is it of another version?", 1)
        return rows[0], rows[-1], rows[1:-1]

    @property
    def info(self) -> Json:
        """What rondo info --json says of the capture. Read once."""
        if self._info is None:
            self._info = json.loads(b"".join(self._lines(["info", "--json", "--", self.path])))
        return self._info

    def records(self, *, frames: Optional[Span] = None, submits: Optional[Span] = None,
                grep: Optional[str] = None) -> Iterator[Record]:
        """The recorded calls, as they are read."""
        return _only(Record, self.rows("dump", *_options(frames=frames, submits=submits, grep=grep)))

    def commands(self, *, frames: Optional[Span] = None, submits: Optional[Span] = None,
                 scope: Optional[str] = None) -> Iterator[Draw]:
        """Draws, dispatches, copies and builds in the order of execution, as they are read."""
        return _only(Draw, self.rows("info", "--draws", *_options(frames=frames, submits=submits, scope=scope)))

    def items(self, *, frames: Optional[Span] = None, submits: Optional[Span] = None,
              scope: Optional[str] = None) -> Iterator[Item]:
        """The items of work with what they need, in the order of execution, as they are read."""
        return _only(Item, self.rows("graph", *_options(frames=frames, submits=submits, scope=scope)))

    def needs(self, *, frames: Optional[Span] = None, submits: Optional[Span] = None,
              scope: Optional[str] = None) -> Iterator[Need]:
        """What the items need, as it is read. `of_item` is the item that needs it."""
        for item in self.items(frames=frames, submits=submits, scope=scope):
            yield from item.needs

    def operations(self) -> Iterator[Operation]:
        """What the program orders by, as it is read."""
        return _only(Operation, self.rows("graph", "--has"))

    def graph(self, *, frames: Optional[Span] = None, submits: Optional[Span] = None, scope: Optional[str] = None,
              around: Optional[str] = None, hops: Optional[int] = None, both: bool = False,
              draws: bool = False) -> Graph:
        """The work graph. both: each need also says what orders it."""
        head, summary, rows = self._all("graph", *_options(frames=frames, submits=submits, scope=scope, around=around,
                                                           hops=hops, both=both, draws=draws))
        return Graph(head, summary, self, list(_only(Item, rows)), list(_only(Join, rows)),
                     [one for one in rows if type(one) is Draw])

    def why(self, first: Union[Item, str, int], second: Union[Item, str, int]) -> Why:
        """Why the second item comes after the first. Items, or names: "36@0", 36."""
        names = [one.name if isinstance(one, Item) else str(one) for one in (first, second)]
        head, summary, rows = self._all("why", operands=names)
        items = list(_only(Item, rows))
        reasons = list(_only(Reason, rows))
        return Why(head, summary, items[0], items[1], [one for one in reasons if one.reason == "data"],
                   [one for one in reasons if one.reason != "data"])

    def who(self, resource: str, *, frames: Optional[Span] = None, submits: Optional[Span] = None,
            scope: Optional[str] = None) -> Uses:
        """All that touches a resource: "VkBuffer#7", "VkBuffer#7[0:64]", or the name that the program gave it."""
        head, summary, rows = self._all("who", *_options(frames=frames, submits=submits, scope=scope),
                                        operands=[resource])
        return Uses(head, summary, list(_only(Use, rows)))

    def profile(self, *, loop: Optional[int] = None, mode: Optional[str] = None, device: Optional[str] = None,
                by: Optional[str] = None, frames: Optional[Span] = None, submits: Optional[Span] = None,
                scope: Optional[str] = None, draws: bool = False, statistics: bool = False,
                counters: Optional[str] = None, replace: Sequence[str] = (), trust: bool = False) -> Profile:
        """Plays the capture on a device, and measures."""
        head, summary, rows = self._all("profile", *_options(
            loop=loop, mode=mode, device=device, by=by, frames=frames, submits=submits, scope=scope, draws=draws,
            statistics=statistics, counters=counters, replace=list(replace), trust=trust))
        return Profile(head, summary, list(_only(Time, rows)))

    def sync(self, *, rules: Optional[str] = None, everything: bool = False, frames: Optional[Span] = None,
             submits: Optional[Span] = None, scope: Optional[str] = None, prove: bool = False,
             device: Optional[str] = None) -> Sync:
        """Races, and barriers that are ineffective, superfluous or too wide. everything: needed ones, too."""
        head, summary, rows = self._all("sync", *_options(rules=rules, all=everything, frames=frames, submits=submits,
                                                          scope=scope, prove=prove, device=device))
        return Sync(head, summary, list(_only(Finding, rows)))

    def findings(self) -> List[Finding]:
        return self.sync().findings

    def races(self) -> List[Finding]:
        return self.sync(rules="race").findings

    def superfluous(self) -> List[Finding]:
        return self.sync(rules="superfluous").findings


def _only(kind: Type[Row_], rows: Iterable[Row]) -> Iterator[Row_]:
    """Rows of one kind. The options are checked before the first is read."""
    return (one for one in rows if isinstance(one, kind))


def open(path: Union[str, "os.PathLike[str]"], *, tool: str = "rondo",  # noqa: A001
         job: Optional[str] = None) -> Capture:
    """A capture. tool: the program rondo, by name or path. job: a name of this run, that each row then carries."""
    return Capture(path, tool=tool, job=job)
