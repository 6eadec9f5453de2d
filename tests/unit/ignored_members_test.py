#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/ignored.py against the newest registry at hand, the generator's rules and the player's table of values."""

import glob
import os
import re
import sys
import unittest
import xml.etree.ElementTree as etree

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))

import classification  # noqa: E402
import ignored  # noqa: E402
import irregular  # noqa: E402
from rondogen import recorded_names  # noqa: E402


def drivers():
    return os.environ.get("RONDO_DRIVERS", os.path.expanduser("~/.cache/rondo-drivers"))


def newest_registry():
    paths = [os.environ.get("RONDO_VK_XML", "/usr/share/vulkan/registry/vk.xml")]
    paths += glob.glob(os.path.join(drivers(), "registry/**/registry/vk.xml"), recursive=True)

    def version(path):
        with open(path, encoding="utf-8") as text:
            return int(re.search(r"#define <name>VK_HEADER_VERSION</name> (\d+)", text.read()).group(1))
    # Vulkan 1.4 goes on where 1.3 stopped counting.
    return max((path for path in paths if os.path.exists(path)), key=version)


def is_vulkan(text):
    return text is None or "vulkan" in text.split(",")


class Registry:
    def __init__(self, path):
        root = etree.parse(path).getroot()
        self.shown = set()  # types and commands that a captured program may see
        for feature in root.iter("feature"):
            if is_vulkan(feature.get("api")):
                self._take(feature)
        for extension in root.iter("extension"):
            if is_vulkan(extension.get("supported")) and extension.get("name") in classification.SUPPORTED:
                self._take(extension)
        self.values = {t.get("name") for t in root.iter("type") if t.get("category") in ("enum", "bitmask")}
        self.values.add("VkBool32")
        listed = recorded_names.read()
        self.first_names = {element.get("alias"): element.get("name") for kind in ("type", "command")
                            for element in root.iter(kind) if element.get("alias") and element.get("name") in listed}
        self.members = {}  # (owner, member) -> type, where it is `noautovalidity`
        for structure in root.iter("type"):
            if structure.get("category") == "struct" and structure.get("returnedonly") != "true":
                self._members(structure.get("name"), structure.iter("member"))
        for command in root.iter("command"):
            if command.find("proto") is not None:
                self._members(command.find("proto").find("name").text, command.findall("param"))

    def _take(self, group):
        for kind in ("type", "command"):
            self.shown.update(one.get("name") for one in group.iter(kind))

    def _members(self, owner, members):
        if owner not in self.shown:
            return
        first = self.first_names.get(owner, owner)
        for member in members:
            if member.get("noautovalidity") == "true" and is_vulkan(member.get("api")):
                self.members[first, member.find("name").text] = member.find("type").text


class IgnoredMembers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.registry = Registry(newest_registry())
        with open(os.path.join(ROOT, "player/legal/values.cpp"), encoding="utf-8") as source:
            cls.replaced = re.findall(r'\{StructId::(\w+), "(\w*)", ', source.read())

    def test_every_member_is_listed(self):
        self.assertGreater(len(self.registry.members), 100)
        for owner, member in self.registry.members:
            if member != "pNext":
                self.assertIn((owner, member), ignored.IGNORED)

    def test_what_is_listed_is_in_the_registry(self):
        owners = {owner for owner, _ in self.registry.members}
        for owner, member in ignored.IGNORED:
            if owner in owners:
                self.assertIn((owner, member), self.registry.members)

    def test_what_is_not_followed_has_a_rule(self):
        for key, kind in ignored.IGNORED.items():
            self.assertEqual(kind == "rule", key in irregular.RULES and kind not in ("selected", "used"), key)

    def test_what_is_replaced_is_in_the_players_table(self):
        for (owner, member), kind in ignored.IGNORED.items():
            found = any(owner == structure and member.startswith(begin) for structure, begin in self.replaced)
            self.assertEqual(kind == "value", found and kind != "rule", f"{owner}.{member}")

    def test_enumerants_and_flags_are_not_mere_numbers(self):
        for key, type_name in self.registry.members.items():
            if type_name in self.registry.values:
                self.assertNotEqual(ignored.IGNORED.get(key), "bytes", key)


if __name__ == "__main__":
    unittest.main()
