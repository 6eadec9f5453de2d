// SPDX-License-Identifier: Apache-2.0
#include "extracts.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>

#include "json.h"

namespace scenario {

Outcome extract(const Words& words, const std::string& driver) {
  Command command;
  use_driver_for_player(command.environment, driver, "");
  command.arguments = {build_root() + "/analyzers/rondo", "extract"};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return run_on(driver, command);
}

std::string json_text(const std::string& text) {
  return text.size() < 2 || text.front() != '"' ? text : text.substr(1, text.size() - 2);
}

std::string hex64(const std::string& number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", std::stoull(number));
  return text;
}

const char* aspect_of(const std::string& bit) {
  if (bit.find("DEPTH") != std::string::npos) return "depth";
  if (bit.find("STENCIL") != std::string::npos) return "stencil";
  if (bit.find("PLANE_0") != std::string::npos) return "plane0";
  if (bit.find("PLANE_1") != std::string::npos) return "plane1";
  if (bit.find("PLANE_2") != std::string::npos) return "plane2";
  return "color";
}

ContentDigests extracted(const std::string& directory) {
  ContentDigests all;
  const auto index = [&](const std::string& name) {
    const bool is_there = std::filesystem::exists(directory + "/" + name);
    const Json all_rows = Json::parse(is_there ? read_file(directory + "/" + name) : "{}");
    REQUIRE(all_rows.valid());
    return all_rows;
  };
  const Json images = index("images.json"), buffers = index("buffers.json");
  for (std::size_t i = 0; i < images.size("/images"); ++i) {
    const std::string image = "/images/" + std::to_string(i);
    for (std::size_t k = 0; k < images.size(image + "/parts"); ++k) {
      const std::string part = image + "/parts/" + std::to_string(k);
      const std::string digest = json_text(images.at(part + "/digest"));
      if (digest.empty()) continue;
      CHECK(std::filesystem::exists(directory + "/" + json_text(images.at(part + "/file"))));
      all[json_text(images.at(image + "/name")) + " " + images.at(part + "/mip") + " " + images.at(part + "/layer") +
          " " + json_text(images.at(part + "/aspect"))] = digest;
    }
  }
  for (std::size_t i = 0; i < buffers.size("/buffers"); ++i) {
    const std::string buffer = "/buffers/" + std::to_string(i), digest = json_text(buffers.at(buffer + "/digest"));
    const std::string file = directory + "/" + json_text(buffers.at(buffer + "/file"));
    if (digest.empty()) continue;
    CHECK(std::to_string(std::filesystem::file_size(file)) == buffers.at(buffer + "/bytes"));
    all[json_text(buffers.at(buffer + "/name")) + " " + buffers.at(buffer + "/bytes")] = digest;
  }
  return all;
}

}  // namespace scenario
