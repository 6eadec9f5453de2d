// SPDX-License-Identifier: Apache-2.0
// The rows of rondo graph, who and why.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kGraphFields[] = {
    {"item", "item", "graph: number of the item, from 0, in the order of execution"},
    {"item", "kind",
     "work (a command), pass (a whole render pass), transition (a barrier that changes a layout or an owner), host (a "
     "call that touches memory), acquire, present, lifetime (a call that ends, resets, records again, updates or "
     "submits again "
     "what work has used)"},
    {"item", "name", "RECORD@SUBMIT, as --around takes it; RECORD: a call"},
    {"item", "(as of draw)", "the fields of the row draw, without bytes; submit is null where no submit executes it"},
    {"item", "render_pass", "of a pass: VkRenderPass; empty: dynamic rendering"},
    {"item", "draws", "of a pass: draws in it"},
    {"item", "end_record", "of a pass: sequence number of its end"},
    {"item", "commands", "of a pass: commands in it, with its begin and end"},
    {"item", "touches",
     "array: object; of buffers, memories and query pools begin and end in bytes or queries; of images parts (aspects, "
     "mip, mips, layer, layers); on: what lies on the bytes, where that is not one resource; reads, writes"},
    {"item", "needs",
     "array: item and name of what must come before, or join; kinds (RAW, WAR, WAW, layout, query, LIFETIME, "
     "payload); grade: certain or possible; and where, as of touches: without a range nobody knows it"},
    {"item", "needs/order",
     "with --both: ordered; race: nothing orders it; not-visible: a race, ordered, but what was written is not made "
     "visible; specification: Vulkan itself orders it; unknown: not ordered, but nobody knows what both touch"},
    {"item", "needs/by", "with --both: array: record and text of what orders it, the first ones"},
    {"item", "after",
     "with --has, instead of touches and needs: array: operation that it comes after, in these stages"},

    {"operation", "operation", "graph --has: number of the operation"},
    {"operation", "kind",
     "barrier, event, dependency, implicit dependency, semaphore, host wait, submit; signal: where "
     "the first scope of a later one ends"},
    {"operation", "record", "the command or call"},
    {"operation", "submit", "that executes the command; null: unknown, or a call"},
    {"operation", "labels", "array: labels of the command"},
    {"operation", "text", "what it is, with its scopes"},
    {"operation", "items",
     "array: items of its first scope since the operations in `operations` that are linked as first"},
    {"operation", "names", "array: the names of these items"},
    {"operation", "operations",
     "array: earlier operation, link and stages. first: in these stages its first scope is part of this one's; chain: "
     "what it orders in these stages comes before this one; second: what comes after this one in these stages comes "
     "after it, too"},

    {"join", "join", "graph: number of the join: several items that others need together"},
    {"join", "items", "array: numbers of items that it stands for"},
    {"join", "joins", "array: numbers of earlier joins that are part of it"},

    {"use", "(as of item)", "the fields of the row item, without needs"},
    {"use", "grade", "certain; possible: it touches what shares the memory of the image"},
    {"use", "reads_versions", "array: the versions of the resource that the item reads; absent: it does not read"},
    {"use", "writes_version", "the version that it makes, counted from 1; absent: it does not write"},
    {"use", "touches", "array, as of item: parts of the resource"},

    {"reason", "reason", "why: data, or synchronization"},
    {"reason", "item", "of data: the item, in the order of rondo graph, that needs …"},
    {"reason", "needs", "… this one, which is a step nearer to the first"},
    {"reason", "kinds", "of data: array: RAW, WAR, WAW, layout, query, LIFETIME, payload"},
    {"reason", "grade", "of data: certain, or possible"},
    {"reason", "places", "of data: what both touch, as text, at most 4"},
    {"reason", "record", "of synchronization: the command, submit or call"},
    {"reason", "text", "of synchronization: what it is"},

    {"summary", "needs", "graph: needs of all items"},
    {"summary", "operations", "graph --has: operations; sync: synchronization commands"},
    {"summary", "races", "graph --both: needs of all items that nothing orders"},
    {"summary", "resource", "who: the resource"},
    {"summary", "versions", "who: how many versions of it there are"},
    {"summary", "data", "why: true: the second needs the first"},
    {"summary", "synchronization",
     "why: whether the program orders all accesses of the first before those of the second: "
     "all, some, none"},
    {"summary", "unordered", "why: one that it does not order"},
    {"summary", "visibility",
     "why: of what the second must see of the first, and the program orders: whether it makes it visible: all, some, "
     "none; absent: there is nothing of that"},
    {"summary", "invisible", "why: a place and two accesses to it, of which the second does not see the first"},
    {"summary", "lacks", "why: array: record and text of a command on the way that names too little for that"},
    {"summary", "never_began", "graph, who, why, sync: submits that wait for a signal that the capture does not have"},
};

}  // namespace

std::span<const RowField> graph_row_fields() { return kGraphFields; }

}  // namespace rondo::analyzers
