// SPDX-License-Identifier: Apache-2.0
// What is said of a comparison. No name in it is markup or steers a terminal. Any thread.
#pragma once

#include <string>

#include "analyzers/measure/comparison.h"

namespace rondo::analyzers {

std::string comparison_as_text(const Comparison& comparison, const ComparisonRules& rules);
std::string comparison_as_github(const Comparison& comparison, const ComparisonRules& rules);  // Markdown
std::string comparison_as_json(const Comparison& comparison, const ComparisonRules& rules, const Side& before,
                               const Side& after);
// A test for each row and for what NEW lacks or failed in. Rows that only inform never fail. Where no row has
// a verdict, that is a test, too. `suite`: "rondo compare-runs".
std::string comparison_as_junit(const Comparison& comparison, const ComparisonRules& rules, const std::string& suite);
// The XML where there is no comparison.
std::string error_as_junit(const std::string& suite, const std::string& subject, const Error& error);

// One sentence that names the rows that gate and are not clear, and what would make them so; empty: all are
// clear.
std::string sentence_of_not_clear(const Comparison& comparison, const ComparisonRules& rules);

}  // namespace rondo::analyzers
