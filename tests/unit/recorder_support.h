// SPDX-License-Identifier: Apache-2.0
// A recorder is one for its process, from its first instance to its end: each
// test records in a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "format/codec/decoder.h"
#include "format/reader.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer::testing {

class RecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/rondo-recorder-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name) const { return directory_ / name; }

  // Runs `work` in a child that ends by exit(), as a program that records.
  void in_process(const std::string& output, const std::function<void()>& work) const {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("RONDO_OUTPUT", output.c_str(), 1);
      ::setenv("RONDO_LOG", "error", 1);
      work();
      std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }

  static void start() {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "unit test";
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    start_recording(&info);
  }

  std::filesystem::path directory_;
};

struct Capture {
  std::unique_ptr<Reader> reader;
  codec::IdMap ids;

  explicit Capture(const std::string& path) {
    auto opened = Reader::open(path);
    if (!opened) {
      ADD_FAILURE() << opened.error().message;
      return;
    }
    reader = std::move(*opened);
    ids = codec::IdMap::match(reader->dictionary());
  }
  std::optional<Record> next() const {
    auto record = reader->next();
    if (!record) {
      ADD_FAILURE() << record.error().message;
      return std::nullopt;
    }
    return *record;
  }
};

}  // namespace rondo::layer::testing
