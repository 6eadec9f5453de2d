// SPDX-License-Identifier: Apache-2.0
// The rows of rondo waves.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kWavesFields[] = {
    {"frame", "frame", "waves: number of the frame; a capture with work in one frame alone has no row"},
    {"frame", "items", "dispatches, copies, other commands that work, and whole render passes, in it"},
    {"frame", "waves", "items of the longest chain in which each item needs the one before; possible needs count"},
    {"frame", "regions", "likewise of what the program orders"},
    {"frame", "unit", "of the lengths: ns with --profile; else items, as each item counts 1"},
    {"frame", "work", "T1: the sum of the lengths of all items"},
    {"frame", "data", "T-infinity: the longest path that the data forces"},
    {"frame", "program", "the longest path that the program orders"},
    {"frame", "parallelism", "work / data"},
    {"frame", "program_parallelism", "work / program"},
    {"frame", "timed", "with --profile: items that have a time; others count 0"},
    {"frame", "below_timer", "with --profile: items shorter than the clock of the device can tell"},
    {"frame", "measured_ns",
     "with --profile: from the begin of the first item to the end of the last one, in nanoseconds"},

    {"wave", "wave", "number, from 1; its items need none of one another, and one of the wave before"},
    {"wave", "count", "items in it"},
    {"wave", "sum", "of the lengths of its items"},
    {"wave", "longest", "the greatest of these"},
    {"wave", "regions", "array: the regions of the program, from 1, that have these items"},
    {"wave", "items", "array: numbers of the items, as of rondo graph"},
    {"wave", "names", "array: their names"},

    {"path", "of", "data: the longest path that the data forces; program: that the program orders"},
    {"path", "step", "number, from 0"},
    {"path", "(as of item)", "the fields of the row item, without touches and needs"},
    {"path", "length", "of the item; 0: a call of the host, a transition, or it has no time"},
    {"path", "end", "of the path until the end of the item"},
    {"path", "needs", "of data: array: why it needs the item of the step before: kinds, grade, and where"},
    {"path", "operations",
     "of program: array: operation and text of what orders the item after that of the step before, in this order; "
     "operation: as of graph --has"},
    {"path", "needed",
     "of program: true: the data needs that order, too; false: synchronization alone makes it; null: not found out"},

    {"cost", "operation", "waves: a command or call of synchronization, executed once: as of graph --has"},
    {"cost", "record", "the command or call"},
    {"cost", "submit", "that executes the command; null: unknown, or a call"},
    {"cost", "text", "what it is, with its scopes"},
    {"cost", "saves", "so much shorter is the longest path that the program orders without it alone"},
    {"cost", "verdict", "of rondo sync: needed, superfluous, ineffective, unknown"},

    {"partition", "partition", "waves --partition: number, from 1, of a run of device work without the host"},
    {"partition", "items", "in it"},
    {"partition", "submits", "that it has items of"},
    {"partition", "first", "name of its first item"},
    {"partition", "last", "name of its last item"},
    {"partition", "first_item", "number of the first"},
    {"partition", "last_item", "number of the last"},
    {"partition", "end",
     "why the next run cannot follow at once: host write: the host writes what that needs, and must wait for this run "
     "before; host read-back: the host could read what this run wrote; present: an image comes back; end: of the "
     "capture"},
    {"partition", "by", "the record of that write, wait or present; null: the end"},
    {"partition", "grade", "possible: nobody knows that the host reads; certain"},

    {"wait", "record", "waves --partition: a wait of the host after which it used nothing that work had written"},
    {"wait", "command", "the call"},

    {"summary", "(as of frame)", "waves: the fields of the row frame, of the whole span"},
    {"summary", "certain_waves", "waves: waves if no possible need were one"},
    {"summary", "data_steps", "waves: steps of the longest path that the data forces"},
    {"summary", "program_steps", "waves: likewise that the program orders"},
    {"summary", "needed_steps", "waves: of these: the data needs their order, too"},
    {"summary", "unneeded_steps", "waves: of these: synchronization alone orders them"},
    {"summary", "candidates", "waves: commands and calls of synchronization on that path that could be left out"},
};

}  // namespace

std::span<const RowField> waves_row_fields() { return kWavesFields; }

}  // namespace rondo::analyzers
