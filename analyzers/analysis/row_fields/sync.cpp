// SPDX-License-Identifier: Apache-2.0
// The rows of rondo sync.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kSyncFields[] = {
    {"sync", "rule",
     "race, ineffective, superfluous, too-wide; with --all also replaceable, needed, unknown and ambiguous (a race "
     "with "
     "a host write that may be the device's own)"},
    {"sync", "id", "the same for the same cause, in another capture of the program too"},
    {"sync", "grade",
     "certain; proven: by --prove; possible: of a race that shaders may not run into, or of resources that may not "
     "meet; of a superfluous "
     "one that has others like it"},
    {"sync", "occurrences", "findings of this cause; the row has the first one"},
    {"sync", "other_records", "records of the next ones, at most 8"},
    {"sync", "record",
     "the synchronization command; of a dependency of subpasses where its pass begins; of a semaphore the submit that "
     "waits for it; of a wait of the host the call"},
    {"sync", "at", "the record that executes it first"},
    {"sync", "submit", "likewise, counted from 0; null: a wait of the host"},
    {"sync", "command", "its Vulkan command"},
    {"sync", "kind", "barrier, event, dependency, semaphore, or host wait"},
    {"sync", "semaphore", "of a semaphore"},
    {"sync", "signalled_by", "of a semaphore: the record of the submit that signals it"},
    {"sync", "render_pass", "of a dependency of subpasses"},
    {"sync", "executed", "how many times it is executed"},
    {"sync", "labels", "of its first execution, the outermost first"},
    {"sync", "barriers",
     "its barriers: object where it has one, src_stages, src_access, dst_stages, dst_access; of a too wide one unused, "
     "or enough: the scopes that are enough"},
    {"sync", "needed_like", "of a superfluous one: other commands with the same scopes and resources that are needed"},
    {"sync", "needed_for", "what only it orders, at most 4 pairs: from, to, as RECORD@SUBMIT"},
    {"sync", "hazards",
     "of a race: RAW, WAR, WAW; LIFETIME: the host ends or changes what the first may still use; OWNER: another queue "
     "family owns what the second reads"},
    {"sync", "from",
     "the earlier one of its commands: record, at, submit (null: a call), command, labels, stages, access; transition: "
     "its layout transition"},
    {"sync", "to", "likewise the later one"},
    {"sync", "places",
     "ranges of it, at most 8: object, and parts or begin and end, as of needs in rondo graph; of LIFETIME: the "
     "objects"},
    {"sync", "more_places", "ranges that are not in places"},
    {"sync", "ordered", "true: the program orders both, but does not make visible what is written"},
    {"sync", "cure", "what would order it, as text"},
    {"sync", "proof",
     "of --prove: proven, text, loops that were compared, together (findings that were changed at once); of what "
     "differs "
     "first object, byte and submit"},

    {"summary", "devices", "sync --prove: what it was played on, as text"},
    {"summary", "tried", "sync --prove: findings that were tried"},
    {"summary", "proven", "sync --prove: of these"},
    {"summary", "not_tried", "sync --prove: findings beyond --tries"},
    {"summary", "together", "sync --prove: superfluous and too wide ones that were changed at once"},
    {"summary", "times", "sync --prove: the capture's time and that without these, as text"},
    {"summary", "pauses",
     "sync --prove: what differs first where the capture is played without a pause after each submit"},
    {"summary", "race", "sync: findings of the rule"},
    {"summary", "ineffective", "sync: likewise"},
    {"summary", "superfluous", "sync: likewise"},
    {"summary", "too-wide", "sync: likewise"},
    {"summary", "replaceable", "sync: likewise"},
    {"summary", "superfluous_commands", "sync: synchronization commands that are superfluous"},
    {"summary", "operations", "sync: synchronization commands, and dependencies of subpasses, of the capture"},
    {"summary", "needed", "sync: of these"},
    {"summary", "unknown", "sync: of these, those of which nobody knows what they are for"},
    {"summary", "ambiguous", "sync: races with host writes that may be the device's own, by cause: no findings"},
};

}  // namespace

std::span<const RowField> sync_row_fields() { return kSyncFields; }

}  // namespace rondo::analyzers
