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
from rondogen import recorded_names
from rondogen.rows import REQUIRED  # noqa: E402

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

    def test_requires_what_only_hidden_extensions_leave_out(self):
        tables = model().tables
        for owner, member in (("VkDeviceCreateInfo", "ppEnabledLayerNames"), ("VkComputePipelineCreateInfo", "layout"),
                              ("VkRayTracingPipelineCreateInfoKHR", "layout"), ("vkCmdSetSampleMaskEXT", "pSampleMask")):
            rows = (tables.args.get(owner) or tables.tables[owner]).rows
            required = next(row for row in rows if row.name == member).flags & REQUIRED
            self.assertTrue(required, f"{owner}.{member}")

    def test_leaves_out_values_by_which_only_a_hidden_extension_selects_a_member(self):
        selection = 'selection="VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT,'
        last = "    </extensions>"
        extension = """<extension name="VK_EXT_of_tomorrow" number="9999" type="device" supported="vulkan"><require>
            <enum value="77" extends="VkIndirectCommandsTokenTypeEXT" name="VK_TOKEN_OF_TOMORROW_EXT"/>
            </require></extension>"""

        def change(text):
            self.assertIn(last, text)
            return text.replace(last, extension + last).replace(selection, selection + "VK_TOKEN_OF_TOMORROW_EXT,")
        before, changed = model(), model(change)
        name = "VkIndirectCommandsTokenDataEXT"
        if name not in before.tables.tables:
            self.skipTest("the registry does not have VK_EXT_device_generated_commands")
        self.assertEqual(changed.registry.constants["VK_TOKEN_OF_TOMORROW_EXT"], 77)
        self.assertEqual(before.tables.tables[name].hash, changed.tables.tables[name].hash)
        self.assertNotIn(77, [row.selection for row in changed.tables.tables[name].rows])

    def test_hides_what_only_a_version_that_is_not_recorded_brings(self):
        first = "    <feature "
        version = """    <feature api="vulkan" name="VK_VERSION_1_9" number="1.9"><require>
            <type name="VkOfTomorrow"/></require></feature>
"""
        structure = """<type category="struct" name="VkOfTomorrow"><member><type>uint32_t</type> <name>count</name></member></type>"""

        def change(text):
            at = text.index(first)
            text = text[:at] + version + text[at:]
            return text.replace('<types comment="Vulkan type definitions">',
                                '<types comment="Vulkan type definitions">' + structure, 1)
        changed = model(change)
        self.assertIn("VkOfTomorrow", changed.registry.structures)
        self.assertFalse(changed.tables.can_be_recorded("VkOfTomorrow"))
        self.assertNotIn("VkOfTomorrow", recorded_names.of(changed))

    def test_gives_no_size_to_a_structure_that_it_does_not_understand(self):
        changed = model(lambda t: t.replace('altlen="codeSize / 4"', 'altlen="codeSize ^ 4"'))
        self.assertEqual(0, changed.tables.tables["VkShaderModuleCreateInfo"].size)
        self.assertGreater(model().tables.tables["VkShaderModuleCreateInfo"].size, 0)

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


class Programs(unittest.TestCase):
    """What programs need before they take a device is shown to them."""
    # DXVK: required in the table of src/dxvk/dxvk_device_info.cpp, as of 2026. vkd3d-proton: its README and release notes
    # name some as required and some as recommended; all are here. llama.cpp: what its faster kernels need.
    NEEDED = {
        "DXVK": ((1, 3), """
            VK_EXT_depth_clip_enable VK_EXT_robustness2 VK_KHR_load_store_op_none VK_KHR_maintenance5
            VK_KHR_maintenance6 VK_KHR_swapchain"""),
        "vkd3d-proton": ((1, 3), """
            VK_EXT_custom_border_color VK_EXT_depth_clip_enable VK_EXT_descriptor_buffer VK_EXT_descriptor_indexing
            VK_EXT_extended_dynamic_state VK_EXT_extended_dynamic_state2 VK_EXT_mutable_descriptor_type
            VK_EXT_robustness2 VK_EXT_transform_feedback VK_EXT_vertex_attribute_divisor VK_KHR_buffer_device_address
            VK_KHR_create_renderpass2 VK_KHR_dynamic_rendering VK_KHR_maintenance4 VK_KHR_maintenance5
            VK_KHR_push_descriptor VK_KHR_swapchain VK_KHR_timeline_semaphore"""),
        "llama.cpp": ((1, 3), """
            VK_EXT_subgroup_size_control VK_KHR_16bit_storage VK_KHR_cooperative_matrix VK_KHR_shader_bfloat16
            VK_KHR_shader_float16_int8 VK_KHR_shader_integer_dot_product VK_NV_cooperative_matrix2"""),
    }

    def test_see_what_they_need(self):
        for program, (version, extensions) in self.NEEDED.items():
            self.assertLessEqual(version, generate.classification.NEWEST_VERSION, program)
            hidden = set(extensions.split()) - generate.classification.SUPPORTED
            self.assertEqual(set(), hidden, program)


class RecordedNames(unittest.TestCase):
    """The registry of this build against scripts/recorded_names.txt."""
    @classmethod
    def setUpClass(cls):
        cls.model = generate.Model(REGISTRY, RONDO)
        cls.listed = recorded_names.read()
        cls.hashes = {**cls.model.tables.tables, **cls.model.tables.args}

    def test_what_captures_can_hold_keeps_its_name_and_its_encoding(self):
        older = self.model.registry.header_version < recorded_names.newest_registry()
        for name, encoding in self.listed.items():
            if older and name not in self.hashes:
                continue
            self.assertIn(name, self.hashes, f"{name} has another name in this registry: it is no first name")
            self.assertEqual(f"{self.hashes[name].hash:016x}", encoding, name)

    def test_no_listed_name_is_an_alias_here(self):
        aliases = {**self.model.registry.aliases,
                   **{n: c.alias for n, c in self.model.registry.commands.items() if c.alias}}
        self.assertGreater(len(aliases), 300)
        self.assertEqual([], sorted(set(aliases) & set(self.listed)))

    def test_what_captures_can_hold_is_listed(self):
        if self.model.registry.header_version > recorded_names.newest_registry():
            self.skipTest("the registry is newer than the list")
        self.assertEqual([], sorted(set(recorded_names.of(self.model)) - set(self.listed)),
                         "scripts/rondogen/recorded_names.py --registry VK_XML adds them")


if __name__ == "__main__":
    unittest.main()
