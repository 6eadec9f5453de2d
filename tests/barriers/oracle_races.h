// SPDX-License-Identifier: Apache-2.0
// The races of a capture as the brute-force oracle of the unit tests has them (tests/unit/sync_facts.h). What commands
// touch and what barriers say comes from Rondo's access model; what is ordered is the oracle's own answer.
#pragma once

#include <set>
#include <string>

#include "format/result.h"
#include "tests/barriers/found_races.h"
#include "tests/unit/sync_facts.h"

namespace rondo::barriers {

// Records are numbered as in the capture that was not edited. Status::failed: the capture uses what the oracle does not
// know, or more than it can look at; the message says what.
Result<std::set<test::OracleRace>> oracle_races(const std::string& path, const OldNumbers& numbers);

// The same races as the oracle names them: each pair of records once. Without those of lifetimes and owners, of which
// the oracle knows nothing.
std::set<test::OracleRace> as_oracle(const std::set<RacePair>& pairs);

}  // namespace rondo::barriers
