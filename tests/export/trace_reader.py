#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks traces that `rondo export` wrote, and prints what is in them as a line of JSON.

  trace_reader.py --perfetto FILE     decoded by protoc and perfetto_fields.proto
  trace_reader.py --chrome FILE

Status 1, and a line on standard error: a field is not known, a number that an event names is not there, the calls of a
thread do not nest, events of a lane of Chrome's trace overlap, a flow has not both ends, …
"""
import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Refused(Exception):
    pass


def need(holds, why):
    if not holds:
        raise Refused(why)


def messages_of(text):
    """protoc's text as nested dictionaries: name -> list of values."""
    root = {}
    stack = [root]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
            continue
        opened = re.fullmatch(r"(\w+) \{", line)
        name, value = (opened.group(1), {}) if opened else line.split(": ", 1)
        need(not name.isdigit(), f"field {name} is not in perfetto_fields.proto: {line}")
        stack[-1].setdefault(name, []).append(value)
        if opened:
            stack.append(value)
        elif value.startswith('"'):
            stack[-1][name][-1] = value[1:-1]
    need(len(stack) == 1, "protoc's text does not end")
    return root


def one(message, name):
    found = message.get(name, [])
    need(len(found) == 1, f"{name} is there {len(found)} times in {message}")
    return found[0]


def perfetto(path):
    with open(path, "rb") as file:
        decoded = subprocess.run(["protoc", f"--proto_path={HERE}", "--decode=fields.Trace", "perfetto_fields.proto"],
                                 stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    need(decoded.returncode == 0, decoded.stderr.decode())
    packets = messages_of(decoded.stdout.decode()).get("packet", [])
    need(packets, "no packet")
    need(one(packets[0], "sequence_flags") == "1", "the first packet does not begin the sequence")
    tracks, specifications, contexts = {}, {}, {}
    open_calls = collections.defaultdict(list)
    flows_from, flows_to, stages, counter, calls, about = {}, {}, [], [], 0, {}
    for packet in packets:
        need(one(packet, "trusted_packet_sequence_id") == "1", "a packet is of no sequence")
        for interned in packet.get("interned_data", []):
            for specification in interned.get("gpu_specifications", []):
                number = one(specification, "iid")
                need(number != "0" and number not in specifications, f"specification {number} is there twice")
                specifications[number] = one(specification, "name")
            for context in interned.get("graphics_contexts", []):
                contexts[one(context, "iid")] = one(context, "api")
        for track in packet.get("track_descriptor", []):
            number = one(track, "uuid")
            need(number not in tracks, f"track {number} is there twice")
            need("parent_uuid" not in track or track["parent_uuid"][0] in tracks, f"track {number} has no parent")
            tracks[number] = track
        for stage in packet.get("gpu_render_stage_event", []):
            need(one(stage, "hw_queue_iid") in specifications, "a queue is not known")
            need(one(stage, "stage_iid") in specifications, "a stage is not known")
            need(one(stage, "context") in contexts, "a device is not known")
            extra = {one(pair, "name"): one(pair, "value") for pair in stage.get("extra_data", [])}
            begin = int(one(packet, "timestamp"))
            need(int(packet.get("sequence_flags", ["0"])[0]) & 2, "a stage does not say that it needs specifications")
            stages.append({"id": int(one(stage, "event_id")), "begin": begin,
                           "end": begin + int(one(stage, "duration")),
                           "queue": specifications[one(stage, "hw_queue_iid")], "name": one(stage, "name"),
                           "stage": specifications[one(stage, "stage_iid")], "extra": extra,
                           "submission": int(one(stage, "submission_id"))})
        for event in packet.get("track_event", []):
            track, kind = one(event, "track_uuid"), one(event, "type")
            need(track in tracks, f"track {track} is not there")
            at = int(one(packet, "timestamp"))
            if kind == "TYPE_SLICE_BEGIN":
                calls += 1
                open_calls[track].append((at, one(event, "name")))
            elif kind == "TYPE_SLICE_END":
                need(open_calls[track], f"nothing is open on track {track}")
                need(open_calls[track].pop()[0] <= at, "a call ends before it begins")
            elif kind == "TYPE_COUNTER":
                need("counter" in tracks[track], f"track {track} is no counter")
                counter.append(int(one(event, "counter_value")))
            for flow in event.get("flow_ids", []):
                need(flow not in flows_from, f"flow {flow} begins twice")
                flows_from[flow] = at
            for flow in event.get("terminating_flow_ids", []):
                need(flow not in flows_to, f"flow {flow} ends twice")
                flows_to[flow] = at
            if event.get("name") == ["rondo export"]:
                about = {one(pair, "name"): one(pair, "string_value") for pair in event.get("debug_annotations", [])}
    need(not any(open_calls.values()), "a call does not end")
    need(flows_from.keys() == flows_to.keys(), "a flow has not both ends")
    need(len({stage["id"] for stage in stages}) == len(stages), "two stages have one number")
    overlaps = sum(1 for a in stages for b in stages
                   if a["id"] < b["id"] and a["queue"] == b["queue"] and a["begin"] < b["end"] and b["begin"] < a["end"])
    return {"stages": stages, "calls": calls, "flows": len(flows_to), "counter": counter, "overlaps": overlaps,
            "about": about}


def chrome(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    need(trace["displayTimeUnit"] == "ns", "no unit")
    lanes, flows, names, counter = collections.defaultdict(list), collections.defaultdict(list), {}, []
    for event in trace["traceEvents"]:
        need({"ph", "pid", "tid", "name"} <= event.keys(), f"an event lacks a field: {event}")
        at = (event["pid"], event["tid"])
        if event["ph"] == "X":
            lanes[at].append((event["ts"], event["ts"] + event["dur"], event))
        elif event["ph"] in "sf":
            flows[event["id"]].append(event["ph"])
        elif event["ph"] == "M":
            names[(event["name"],) + at] = event["args"]["name"]
        elif event["ph"] == "C":
            counter.append(event["args"]["bytes"])
        else:
            raise Refused(f"phase {event['ph']}")
    for at, events in lanes.items():
        need(("thread_name",) + at in names, f"lane {at} has no name")
        if at[0] == 1:
            continue  # calls of a thread may nest
        events.sort(key=lambda one: one[:2])
        for before, after in zip(events, events[1:]):
            need(after[0] >= before[1] - 0.0005, f"events of lane {at} overlap: {before}, {after}")
    need(all(ends == ["s", "f"] for ends in flows.values()), "a flow has not both ends")
    device = [event for at, events in lanes.items() if at[0] != 1 for _, _, event in events]
    return {"device": len(device), "host": sum(len(events) for at, events in lanes.items() if at[0] == 1),
            "lanes": sum(1 for at in lanes if at[0] != 1), "flows": len(flows), "counter": counter,
            "about": trace["otherData"]}


def main(words):
    if len(words) != 2 or words[0] not in ("--perfetto", "--chrome"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(json.dumps((perfetto if words[0] == "--perfetto" else chrome)(words[1])))
    except (Refused, KeyError, ValueError) as why:
        print(f"{words[1]}: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
