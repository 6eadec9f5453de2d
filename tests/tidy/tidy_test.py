#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py finds what breaks each rule, and says nothing of what keeps them all."""
import pathlib
import tempfile
import unittest

import tidy

RIGHT = "// SPDX-License-Identifier: Apache-2.0\nint right() { return 0; }\n"


class Rules(unittest.TestCase):
    def found(self, rule, name, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".clang-format").write_text("BasedOnStyle: Google\n")
            (root / "right.cpp").write_text(RIGHT)
            (root / "right.md").write_text("# A heading, with words\n\n[it](#a-heading-with-words) [source](right.cpp)\n")
            (root / "build-other").mkdir()
            (root / "build-other" / name).write_text(text)  # nobody wrote it here
            self.assertEqual(list(rule(root)), [])
            (root / name).write_text(text)
            return list(rule(root))

    def test_formatting(self):
        if tidy.formatter() is None:
            self.skipTest("no clang-format of the right version")
        self.assertEqual(len(self.found(tidy.is_formatted, "wrong.cpp", "int  wrong( );\n")), 1)

    def test_formatting_is_skipped_without_the_program(self):
        program, tidy.formatter = tidy.formatter, lambda: None
        try:
            with self.assertRaises(tidy.Skipped):
                list(tidy.is_formatted(pathlib.Path(".")))
        finally:
            tidy.formatter = program

    def test_columns(self):
        self.assertEqual(len(self.found(tidy.fits_columns, "wide.h", "// " + "x" * 118 + "\n")), 1)
        self.assertEqual(self.found(tidy.fits_columns, "full.h", "// " + "x" * 117 + "\n"), [])
        text = 'const char* help = R"(one\n' + "x" * 200 + '\n)";\n'
        self.assertEqual(self.found(tidy.fits_columns, "text.cpp", text), [])

    def test_lines(self):
        self.assertEqual(len(self.found(tidy.is_short, "long.cpp", "\n" * 501)), 1)
        self.assertEqual(self.found(tidy.is_short, "full.cpp", "\n" * 500), [])

    def test_links(self):
        self.assertEqual(len(self.found(tidy.leads_somewhere, "a.md", "[x](nowhere.md) [y](#none) [z](right.cpp)\n")), 2)
        self.assertEqual(self.found(tidy.leads_somewhere, "a.md", '<a name="here"></a> [x](#here) [y](https://a.b/c)\n'), [])

    def test_documents_outside(self):
        for line in ("(design §6)", "see ../shared/cases", "as model.md says"):
            self.assertEqual(len(self.found(tidy.stays_inside, "a.h", f"// {line}\n")), 1, line)
        self.assertEqual(self.found(tidy.stays_inside, "a.h", "// the design of data-model.mdx\n"), [])


if __name__ == "__main__":
    unittest.main()
