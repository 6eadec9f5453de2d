#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make man pages and shell completion of the tables that parse the options.

    help_pages.py RONDO PLAYER FOLDER

FOLDER gets man1/ (a page for rondo, for each of its subcommands, and for player) and completion for bash, zsh and fish.
The tables are what RONDO, RONDO SUBCOMMAND and PLAYER print with --help-table (player/help_table.h). meson runs this
while building; it needs nothing but Python.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

# How --help writes a value that is one of some words (player::add_choice).
CHOICES = re.compile(r"[a-z0-9-]+(\|[a-z0-9-]+)+")
# Placeholders of values that name a file or a directory.
FILES = re.compile(r"FILE|DIR|OUT|PATH|PAGE|OLD")


def printed(*command):
    # A sanitizer's build counts leaks at exit: not of interest here.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def table(*command):
    return json.loads(printed(*command, "--help-table"))


def choices(option):
    return option["value"].split("|") if CHOICES.fullmatch(option["value"]) else []


def takes_file(option):
    return bool(FILES.search(option["value"]))


class Tables:
    def __init__(self, rondo, player):
        self.rondo = table(rondo)
        self.player = table(player)
        self.version = printed(player, "--version").split()[1].rstrip(",")
        self.subcommands = {}
        for one in self.rondo["subcommands"]:
            name, entry = one["name"], table(rondo, one["name"])
            usage = re.sub(r"^player\b", f"rondo {name}", entry["usage"])  # some start the player
            self.subcommands[name] = {**entry, "usage": usage, "about": one["summary"]}

    def words_of(self, subcommand):
        """Words that a subcommand takes instead of files: those of `rondo help`."""
        words = []
        for one in self.subcommands[subcommand]["positionals"]:
            for word in one["name"].split("|") if "|" in one["name"] else []:
                words += list(self.subcommands) if word == "SUBCOMMAND" else [word]
        return words


# --- man pages ---

def roff(text):
    """Text for a man page: no word of it is a request, a hyphen stays one."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("→", "->")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def page(name, version, about, parts):
    lines = [f'.TH "{name.upper()}" "1" "" "rondo {version}" "Rondo"', ".SH NAME", f"{roff(name)} \\- {roff(about)}"]
    for title, body in parts:
        if body:
            lines += [f".SH {title}", *body]
    return "\n".join(lines) + "\n"


def synopsis(usage):
    words = usage.split(" [OPTIONS]", 1)
    return [f"\\fB{roff(words[0])}\\fR" + (f" [OPTIONS]{roff(words[1])}" if len(words) == 2 else "")]


def items(pairs):
    lines = []
    for term, text in pairs:
        lines += [".TP", term, roff(text) or "\\&"]
    return lines


def option_items(entry):
    def term(option):
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
        return names + (f" {roff(option['value'])}" if option["value"] else "")

    return items((term(option), option["help"]) for option in entry["options"])


def arguments(entry):
    return items((f"\\fI{roff(one['name'])}\\fR", one["help"]) for one in entry["positionals"])


def see_also(names):
    return [", ".join(f"\\fB{roff(name)}\\fR(1)" for name in sorted(names))]


def command_page(name, entry, about, version, related):
    return page(name, version, about, [
        ("SYNOPSIS", synopsis(entry["usage"])), ("DESCRIPTION", [roff(entry["summary"])]),
        ("ARGUMENTS", arguments(entry)), ("OPTIONS", option_items(entry)), ("NOTES", [roff(entry["footer"])] if entry["footer"] else []),
        ("SEE ALSO", see_also(related))])


def man_pages(tables):
    about = {name: entry["about"] for name, entry in tables.subcommands.items()}
    footer, commands = tables.rondo["footer"], items((f"\\fB{roff(name)}\\fR", text) for name, text in about.items())
    first, rest = tables.player["summary"].split("\n", 1)
    pages = {
        "rondo": page("rondo", tables.version, "record what a program asks of Vulkan, and play it again", [
            ("SYNOPSIS", [roff(tables.rondo["usage"])]), ("DESCRIPTION", [roff(tables.rondo["summary"])]),
            ("SUBCOMMANDS", commands),
            ("NOTES", [roff(footer)]), ("SEE ALSO", see_also([f"rondo-{name}" for name in about] + ["rondo-player"]))]),
    }
    player = {**tables.player, "footer": rest}
    for name in ("player", "rondo-player"):
        pages[name] = command_page(name, {**player, "summary": first}, "replay a capture of rondo", tables.version,
                                   ["rondo", "rondo-info"])
    for name, entry in tables.subcommands.items():
        pages[f"rondo-{name}"] = command_page(f"rondo-{name}", entry, about[name], tables.version,
                                              ["rondo", "rondo-player"])
    return pages


# --- completion ---

def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


def value_words(entry):
    """(names of an option, how its value is completed): words, "files" or "nothing"."""
    for option in entry["options"]:
        if option["takes_value"]:
            yield option["names"], choices(option) or ("files" if takes_file(option) else "nothing")


def bash_cases(entry):
    lines = []
    for names, how in value_words(entry):
        if how == "files":
            action = "_rondo_files"
        else:
            action = ":" if how == "nothing" else f"_rondo_words {quoted(' '.join(how))}"
        lines.append(f"      {'|'.join(names)}) {action}; return ;;")
    return lines


def bash_function(function, entry, words):
    names = " ".join(name for option in entry["options"] for name in option["names"])
    others = f"_rondo_words {quoted(' '.join(words))}" if words else "_rondo_files"
    if "PROGRAM" in entry["usage"]:
        others = "_rondo_programs"
    case = bash_cases(entry)
    return [f"{function}() {{", *(['    case "$option" in', *case, "    esac"] if case else []),
            f'    if [[ $cur == -* ]]; then _rondo_words {quoted(names)}; else {others}; fi', "}", ""]


MADE = "# Made by scripts/help_pages.py, from the tables that parse the options."

BASH_START = MADE + r"""
# Sets COMPREPLY. `cur` is the word so far; `option` the one before it, also in --option=WORD.
_rondo_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_rondo_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
_rondo_programs() {
  _rondo_files
  COMPREPLY+=($(compgen -c -- "$cur"))
}
_rondo_start() {
  COMPREPLY=()
  cur=${COMP_WORDS[COMP_CWORD]} option=
  [ "$COMP_CWORD" -lt 1 ] || option=${COMP_WORDS[COMP_CWORD - 1]}
  # The shell takes --option=WORD apart at the sign.
  if [ "$cur" = = ]; then cur=
  elif [ "$option" = = ] && [ "$COMP_CWORD" -ge 2 ]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi
}
"""


def bash(tables):
    lines = BASH_START.split("\n")
    functions = {}
    for name, entry in tables.subcommands.items():
        functions[name] = "_rondo_of_" + name.replace("-", "_")
        lines += bash_function(functions[name], entry, tables.words_of(name))
    lines += bash_function("_rondo_of_player", tables.player, [])
    first = quoted(" ".join([*tables.subcommands, "--help", "--version"]))
    lines += ["_rondo() {", "  local cur option", "  _rondo_start",
              f'  if [ "$COMP_CWORD" -le 1 ]; then _rondo_words {first}; return; fi',
              '  case "${COMP_WORDS[1]}" in']
    lines += [f"    {name}) {function} ;;" for name, function in functions.items()]
    lines += ["  esac", "}", "_rondo_player() {", "  local cur option", "  _rondo_start", "  _rondo_of_player", "}",
              "complete -F _rondo rondo", "complete -F _rondo_player player rondo-player", ""]
    return "\n".join(lines)


def zsh_escaped(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text.replace("\n", " "))


def zsh_specs(entry, words):
    for option in entry["options"]:
        action = ""
        if option["takes_value"]:
            how = choices(option)
            completer = f"({' '.join(how)})" if how else "_files" if takes_file(option) else " "
            action = f":{zsh_escaped(option['value']) or 'value'}:{completer}"
        for name in option["names"]:
            sign = "=" if option["takes_value"] and name.startswith("--") else ""
            yield quoted(f"*{name}{sign}[{zsh_escaped(option['help'])}]{action}")
    yield quoted(f"*:word:({' '.join(words)})" if words else "*:file:_files")


def zsh(tables):
    lines = ["#compdef rondo", MADE, "local -a subcommands", "subcommands=("]
    lines += ["  " + quoted(f"{name}:{zsh_escaped(entry['about'])}") for name, entry in tables.subcommands.items()]
    lines += [")", "if (( CURRENT == 2 )); then", "  _describe subcommand subcommands", "  return", "fi",
              "local subcommand=$words[2]", "shift words", "(( CURRENT-- ))", "case $subcommand in"]
    for name, entry in tables.subcommands.items():
        specs = (f"    {spec} \\" for spec in zsh_specs(entry, tables.words_of(name)))
        lines += [f"  {name}) _arguments \\", *specs, "    ;;"]
    return "\n".join([*lines, "esac", ""])


def zsh_player(tables):
    return "\n".join(["#compdef player rondo-player", MADE, "_arguments \\",
                      *(f"  {spec} \\" for spec in zsh_specs(tables.player, [])), ""])


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ") + "'"


def fish_options(command, condition, entry):
    for option in entry["options"]:
        words = ["complete", "-c", command, *condition]
        for name in option["names"]:
            words += ["-l", name[2:]] if name.startswith("--") else ["-s", name[1:]]
        if option["takes_value"]:
            how = choices(option)
            words += ["-x", "-a", fish_quoted(" ".join(how))] if how else ["-r"] if takes_file(option) else ["-x"]
        yield " ".join([*words, "-d", fish_quoted(option["help"])])


def fish(tables):
    lines = [MADE]
    for name, entry in tables.subcommands.items():
        lines.append(f"complete -c rondo -f -n __fish_use_subcommand -a {name} -d {fish_quoted(entry['about'])}")
        condition = ["-n", fish_quoted(f"__fish_seen_subcommand_from {name}")]
        lines += fish_options("rondo", condition, entry)
        if words := tables.words_of(name):
            lines.append(f"complete -c rondo -f {' '.join(condition)} -a {fish_quoted(' '.join(words))}")
    return "\n".join([*lines, ""])


def fish_player(tables, command):
    return "\n".join([MADE,
                      *fish_options(command, [], tables.player), ""])


def main():
    rondo, player, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    tables = Tables(rondo, player)
    manual = folder / "man1"
    shutil.rmtree(manual, ignore_errors=True)
    manual.mkdir(parents=True)
    for name, text in man_pages(tables).items():
        (manual / f"{name}.1").write_text(text, encoding="utf-8")
    files = {"_rondo": zsh(tables), "_rondo_player": zsh_player(tables), "rondo.fish": fish(tables)}
    for command in ("rondo", "player", "rondo-player"):
        files[f"{command}.bash"] = bash(tables)
        if command != "rondo":
            files[f"{command}.fish"] = fish_player(tables, command)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
