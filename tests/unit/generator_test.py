#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator against small changes of the registry: encoding hashes stay
where only names of types change, and change where the bytes would."""

import copy
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as etree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))

import generate  # noqa: E402

REGISTRY = os.environ.get("RONDO_VK_XML", "/usr/share/vulkan/registry/vk.xml")
RONDO = os.path.join(os.path.dirname(generate.__file__), "rondo.xml")


def model(change=lambda text: text):
    with open(REGISTRY, encoding="utf-8") as source:
        text = change(source.read())
    with tempfile.TemporaryDirectory() as folder:
        # reg.py is found beside the registry: it has been imported already.
        path = os.path.join(folder, "vk.xml")
        with open(path, "w", encoding="utf-8") as changed:
            changed.write(text)
        return generate.Model(path, RONDO)


class EncodingHash(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = generate.Model(REGISTRY, RONDO)

    def structure(self, name, m=None):
        return (m or self.model).tables.tables[name].hash

    def command(self, name, m=None):
        return (m or self.model).tables.args[name].hash

    def replaced(self, old, new):
        def change(text):
            self.assertTrue(old in text, f"the registry lacks {old}")
            return text.replace(old, new)
        return model(change)

    def test_is_the_same_in_every_run(self):
        again = generate.Model(REGISTRY, RONDO)
        for name, table in self.model.tables.tables.items():
            self.assertEqual(table.hash, again.tables.tables[name].hash, name)

    def test_ignores_the_names_of_types(self):
        # What happens when an extension's structure is promoted.
        changed = model(lambda t: re.sub(r"\bVkImageSubresourceRange\b", "VkImageSubresourceRangeNew", t))
        self.assertEqual(self.structure("VkImageMemoryBarrier"), self.structure("VkImageMemoryBarrier", changed))

    def test_ignores_new_enumerants_and_structures(self):
        changed = model(lambda t: re.sub(r'(<enum [^>]*name="VK_FORMAT_R4G4_UNORM_PACK8"[^>]*>)',
                                         r'\1<enum value="999" name="VK_FORMAT_OF_TOMORROW"/>', t, count=1))
        self.assertIn((999, "VK_FORMAT_OF_TOMORROW"), changed.registry.enums["VkFormat"].values)
        self.assertEqual(self.structure("VkImageCreateInfo"), self.structure("VkImageCreateInfo", changed))

    def test_changes_with_a_member_of_a_structure_inside(self):
        changed = self.replaced("<name>baseMipLevel</name>", "<name>firstMipLevel</name>")
        self.assertNotEqual(self.structure("VkImageMemoryBarrier"), self.structure("VkImageMemoryBarrier", changed))
        self.assertNotEqual(self.command("vkCmdPipelineBarrier"), self.command("vkCmdPipelineBarrier", changed))
        self.assertEqual(self.command("vkCmdDraw"), self.command("vkCmdDraw", changed))

    def test_changes_with_the_size_of_a_member(self):
        old = "<param><type>uint32_t</type> <name>firstInstance</name></param>"
        changed = self.replaced(old, old.replace("uint32_t", "uint64_t"))
        self.assertNotEqual(self.command("vkCmdDraw"), self.command("vkCmdDraw", changed))

    def test_changes_with_the_order_of_members(self):
        self.assertNotEqual(self.command("vkCmdDraw"), self.command("vkCmdDrawIndexed"))
        table = copy.deepcopy(self.model.tables.args["vkCmdDraw"])
        table.name = "reversed"
        before = self.model.tables.wire_text(self.model.tables.args["vkCmdDraw"])
        table.rows.reverse()
        self.assertNotEqual(before, self.model.tables.wire_text(table))


class Registry(unittest.TestCase):
    def test_refuses_a_length_that_it_does_not_understand_by_name(self):
        changed = model(lambda t: t.replace('altlen="codeSize / 4"', 'altlen="codeSize ^ 4"'))
        facts = changed.facts["vkCreateShaderModule"]
        self.assertEqual(facts.kind, "unsupported")
        self.assertIn("codeSize ^ 4", facts.reason)

    def test_keeps_every_generated_file_small(self):
        m = generate.Model(REGISTRY, RONDO)
        for name, emit in generate.OUTPUTS.items():
            self.assertLess(emit(m).count("\n"), 20000, name)


class Reasons(unittest.TestCase):
    """Why an extension is hidden: what its name and what it builds on say is what the reason says."""

    KINDS = {
        "direct mode and control of displays": r"VK_KHR_display|VK_EXT_direct_mode_display|_display_",
        "another process's memory": r"external_memory|drm_format_modifier",
        "video coding": r"_video_",
        "vendors' ray tracing": r"VK_NV_ray_tracing|acceleration_structure",
        "opacity micromaps": r"opacity_micromap",
        "asks or says of presentation": r"display_timing|present_|low_latency|anti_lag|hdr_",
    }
    NEWEST = "VK_KHR_opacity_micromap"

    @classmethod
    def setUpClass(cls):
        root = etree.parse(REGISTRY).getroot()
        cls.builds_on = {e.get("name"): " ".join([e.get("name"), e.get("depends") or "", e.get("requires") or ""])
                         for e in root.find("extensions") if "disabled" != e.get("supported")}
        cls.reasons = generate.classification.UNSUPPORTED

    def test_are_of_the_kind_that_they_say(self):
        for kind, pattern in self.KINDS.items():
            named = [name for name, reason in self.reasons.items() if kind in reason]
            self.assertTrue(named, kind)
            for name in named:
                text = self.builds_on.get(name, name)
                self.assertTrue(re.search(pattern, text), f"{name}: {kind}: {text}")

    def test_name_memory_of_other_processes_and_not_displays(self):
        # A pattern that was meant for VK_EXT_acquire_xlib_display once took this one, too.
        self.assertIn("another process's memory", self.reasons["VK_EXT_external_memory_acquire_unmodified"])
        for name, reason in self.reasons.items():
            if "external_memory" in name:
                self.assertIn("another process's memory", reason, name)

    def test_are_of_hidden_extensions_alone(self):
        self.assertEqual(set(), set(self.reasons) & generate.classification.SUPPORTED)

    def test_name_extensions_that_there_are(self):
        if self.NEWEST not in self.builds_on:
            self.skipTest(f"this registry has no {self.NEWEST}, and is older than the table")
        self.assertEqual(set(), set(self.reasons) - set(self.builds_on))


if __name__ == "__main__":
    unittest.main()
