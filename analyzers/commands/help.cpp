// SPDX-License-Identifier: Apache-2.0
// rondo help agents: a playbook whose command blocks run as printed, in order,
// in an empty directory (a test does that).
#include "analyzers/analysis/row_fields/row_fields.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr const char* kAgents = R"(Rondo for scripts and coding agents

Rondo records what a program asks of Vulkan into one .rondo file and replays it without the
program and without a display. Results are in exit statuses and JSON; errors are one line on
standard error that begins with "rondo:" or "player:" and names the remedy.

The blocks below run with sh -e, in this order, in an empty directory. They assume: rondo and
player in PATH, a Vulkan driver (Debian's mesa-vulkan-drivers works on any machine), and as the
program to capture vkcube (Debian: vulkan-tools) under xvfb-run (xvfb, xauth).
Put your own program in its place; programs that open no window need no xvfb-run.

1. Is everything there? Status 1 means that a line begins with "bad"; it names the remedy.

```sh
rondo doctor
```

2. Capture. The program's exit status is passed through; 125 is an error of rondo's own.
   Checkpoints are digests of what the program saw: needed for --verify, and slower.
   Without --output the name is PROGRAM-PID.rondo. The last lines on standard error name
   the files that were written.

```sh
xvfb-run -a rondo capture --checkpoints present --output cube.rondo -- vkcube --c 60 --suppress_popups
```

   Only some frames: --frames A:B stops recording behind frame B-1 (presents, from 0) while the
   program runs on, and cuts the capture at the end. RONDO_FRAMES=A:B records and asks, without
   the cut. A program that runs already is asked by "rondo trigger PID --frames N" for the next N.

3. Prove that the capture replays: status 0 and "60 of 60 ... equal"; 5 is a difference.
   With rondo capture --verify the capture is proven as soon as the program has ended.

```sh
player --verify cube.rondo
```

4. What is in it? Text for people, --json for scripts. No device is touched.

```sh
rondo info cube.rondo
rondo info --json cube.rondo > info.json
rondo info --submits --times cube.rondo > submits.txt
rondo info --frames --times --json cube.rondo > frames.json
```

5. Every call, with parameters by name and objects by number (VkBuffer#12 is the same object
   everywhere). One JSON object a line: row "file", row "summary", then row "record" for each.
   Spans are zero-based and half-open. Dumps of large captures are large: narrow them.

```sh
rondo dump --format=jsonl --frames 10:11 cube.rondo > frame10.jsonl
rondo dump --submits 0:1 cube.rondo > first-submit.txt
rondo dump --grep 'vkCreate(Graphics|Compute)Pipelines' cube.rondo > pipelines.txt
```

   What must come after what, and does the program say so? No device is touched: graph has what each
   item of work needs of those before it (--both: and what orders it), who all that touches a resource,
   sync the races and the barriers that nothing needs (--fail-on race: status 5 where there is one).
   waves says what could execute together, and which barriers make the order of the program longer than that
   (--profile takes the rows of rondo profile, and then it is about time).
   "rondo why FILE 95@20 288" says why one item of graph comes after another. memory has the bytes over
   time, the class of each resource, advice (--fail-on dead), and how little memory would do.

```sh
rondo graph --format=jsonl --frames 10 cube.rondo > graph.jsonl
rondo graph --both --frames 10 cube.rondo > needs.txt
rondo who cube.rondo VkImage#0 > who.txt
rondo memory --format=jsonl --classes --pack cube.rondo > memory.jsonl
rondo sync --format=jsonl cube.rondo > sync.jsonl
rondo waves --format=jsonl --partition cube.rondo > waves.jsonl
```

   For other tools: a timeline (--perfetto, --chrome), execution traces of Chakra, and tables for SQL. Times of
   the device come from rondo profile --format jsonl (--profile FILE).

```sh
rondo export --perfetto cube.pftrace --chakra cube --sqlite cube.db cube.rondo
```

6. What did an image or a buffer hold behind a frame or submit? PNG, KTX2 and raw files, and an
   index of them. The capture is played for that. Objects may be named (VkImage#3); else all.

```sh
rondo extract --images --buffers --at frame:10 cube.rondo -o frame10
rondo extract --images cube.rondo -o end
```

7. Measure: run from the first submit to the last wait ten times.

```sh
player --loop 10 --report report.json cube.rondo
```

   Which of two captures, devices or shaders is slower? Status 5: the second one is. Both are played in turns;
   "unclear" means that this machine cannot tell, and more --turns can.

```sh
rondo measure --turns 4 --loop 3 cube.rondo -- cube.rondo || test $? -eq 5
```

8. The program crashed or was killed: under rondo capture its file is finished and plays. If
   rondo was killed too, the file is "cut": player refuses it with status 3, --salvage plays
   it up to its last whole submit, and rondo finish closes it.

```sh
xvfb-run -a timeout --signal=KILL 4 rondo capture --checkpoints present --output cut.rondo -- vkcube --suppress_popups || test -s cut.rondo
player cut.rondo || test $? -eq 3
player --salvage --verify cut.rondo
rondo finish cut.rondo
player --verify cut.rondo
```

9. What can be captured? Commands and extensions, with the reason where not. What is not
   supported is hidden from the program, so a capture is complete or says why not.

```sh
rondo info --coverage > coverage.txt
rondo info --coverage cube.rondo > used.txt
```

10. In Python, `import rondo` gives items, needs, races and times as objects: rondo.open("cube.rondo").races().
    Rows of JSON have capture_digest, device, build and job (--job NAME): rows of many captures are one table.

Exit status of rondo and player
  0 done                               4 this device cannot run it (all shortfalls are listed)
  1 failed                             5 different from the capture, or found (--fail-on)
  2 wrong usage                        6 an external file is not as it was
  3 not a readable capture, or cut     7 timeout
  rondo capture: the program's own; 125 own errors, 126 cannot execute it, 127 no such program.
  A program ended by a signal ends rondo by the same: 128 + its number in a shell.

No capture was written? rondo capture says so. The program made no Vulkan instance (OpenGL, CPU,
an error before), or it starts one that is static or set-user-id. --log=info tells what the layer does.
)";

}  // namespace

namespace {

std::string rows_text() {
  std::string out =
      "The rows of rondo info --draws --json, and of profile, graph, who, why, sync, waves, memory, gaps and export\n"
      "with --format=jsonl: a JSON object on each line, \"row\" first. What each row has stands at its end.\n"
      "The first row is \"analysis\", the last one \"summary\". Fields that do not apply are absent.\n";
  std::string_view row;
  for (const RowField& field : row_fields()) {
    if (field.row != row) append(out, "\n{}\n", field.row);
    row = field.row;
    append(out, "  {:<18} {}\n", field.name, field.meaning);
  }
  return out;
}

}  // namespace

// main() has shown what there is about a subcommand.
Result<int> run_help(Arguments args) {
  std::string topic;
  Cli cli("rondo help", "Says what a subcommand does and which options it has.");
  cli.positional("SUBCOMMAND|agents|rows",
                 "a subcommand; agents: a playbook for scripts and agents; rows: fields of JSON lines", topic, false);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (topic != "agents" && topic != "rows")
    return fail(Status::usage, text("'{}' is no help topic (see rondo --help)", printable(topic)));
  Output out;
  out.write(topic == "agents" ? kAgents : rows_text());
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
