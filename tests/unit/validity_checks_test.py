#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/checks.md against player/legal: every check is listed, by the words of its refusal, with its rule and
with what relaxes that rule; and a check that something relaxes asks for it."""

import glob
import html
import json
import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))

import classification  # noqa: E402

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Words that say which member a check looks at, and no more.
MEMBER = re.compile(r'\b(?:check_\w+|needs_image_usage|starts_with)\(\s*(?:v_?,\s*)?(?:c_?,\s*)?"[^"]*"')
REFUSAL = re.compile(r"(?:\breturn\b|\bwrong_?\s*=|\bsay\()[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*;")
NO_FUNCTION = re.compile(r"\b(if|for|while|switch|else|do)\b|\[[^\]]*\]\s*\(|\bnamespace\b")
NO_RULE = ("Rondo's own record", "a bound of the player's", "passes on what another check says",
           "a VkBool32 is VK_TRUE or VK_FALSE")
NOT_ENABLED = re.compile(r"not enabled|none of the following are enabled")


def without_comments(text):
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\n]*|[^"/]+|/', text)
    text = "".join(piece for piece in pieces if not piece.startswith("//"))
    return "\n".join(line for line in text.split("\n") if not line.startswith("#"))


def functions_around(text, place):
    """The text of the function that this place is in."""
    opened, begin = [], 0
    for at, letter in enumerate(text):
        if letter == "{":
            header = text[begin:at]
            opened.append((begin, at, header))
        if letter == "}":
            start, open_at, header = opened.pop()
            is_function = "(" in header and not NO_FUNCTION.search(header)
            if is_function and open_at < place < at:
                return text[start:at]
        if letter in ";{}":
            begin = at + 1
    return text


def checks():
    """(file, words) -> the functions that refuse so."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "player/legal/*.cpp"))):
        if os.path.basename(path) == "shader_checks.cpp":  # of shaders, not of calls: docs/player.md
            continue
        with open(path, encoding="utf-8") as source:
            text = without_comments(source.read())
        for match in REFUSAL.finditer(text):
            literals = LITERAL.findall(MEMBER.sub("", match.group(0)))
            if not any(" " in words for words in literals):
                continue
            words = " … ".join(words.strip() for words in literals if words.strip())
            found.setdefault((os.path.basename(path), words), []).append(functions_around(text, match.start()))
    return found


def rows():
    with open(os.path.join(ROOT, "docs/checks.md"), encoding="utf-8") as document:
        lines = [line for line in document if line.startswith("| ")]
    cells = [[cell.strip().strip("`") for cell in line.strip().strip("|").split("|")] for line in lines[2:]]
    return [(f"{name}.cpp", *rest) for name, *rest in cells]


def valid_usage():
    texts = {}
    beside = os.path.dirname(os.environ.get("RONDO_VK_XML", "/usr/share/vulkan/registry/vk.xml"))
    paths = [os.path.join(beside, "validusage.json"), "/usr/share/vulkan/registry/validusage.json"]
    for path in filter(os.path.exists, paths):
        with open(path, encoding="utf-8") as source:
            for conditions in json.load(source)["validation"].values():
                for rules in conditions.values():
                    for rule in rules:
                        text = html.unescape(re.sub("<[^>]*>", "", rule["text"]))
                        texts[rule["vuid"].removeprefix("VUID-")] = " ".join(text.split())
    return texts


class ValidityChecks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.checks, cls.rows, cls.texts = checks(), rows(), valid_usage()

    def test_every_check_is_listed_once(self):
        self.assertGreater(len(self.checks), 300)
        self.assertEqual(sorted(self.checks), sorted((name, words) for name, words, _, _ in self.rows))

    def test_rules_are_the_specifications(self):
        # A build with the distribution's registry does not have all of them.
        newest = "VkBlitImageInfo2-maintenance8-10207" in self.texts
        for name, words, rule, _ in self.rows:
            for one in rule.split(", "):
                self.assertTrue(one in NO_RULE or not newest or one in self.texts, f"{name}: {words}: {one}")

    def test_nothing_relaxes_what_nothing_is_said_to(self):
        for name, words, rule, relaxed in self.rows:
            for one in rule.split(", "):
                if relaxed == "nothing":
                    self.assertNotRegex(self.texts.get(one, ""), NOT_ENABLED, f"{name}: {words}: {one}")

    def test_what_something_relaxes_asks_for_it(self):
        for name, words, _, relaxed in self.rows:
            if relaxed == "nothing":
                continue
            with self.subTest(name=name, words=words):
                by, asked = relaxed.split(": ") if ": " in relaxed else (relaxed, "")
                if by == "hidden":
                    self.assertFalse(asked in classification.SUPPORTED, asked)
                elif asked != "always" and by != "not replayed":
                    for function in self.checks[name, words]:
                        self.assertTrue(asked in function, asked)


if __name__ == "__main__":
    unittest.main()
