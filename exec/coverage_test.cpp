// The record of executed rows: what lands in the file of BZ_COVERAGE, when, and how often.
#include "exec/coverage.hpp"
#include "isa/decode.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace bz;

namespace {

class Coverage : public testing::Test {
protected:
  void SetUp() override {
    file_ = testing::TempDir() + "bz-coverage-" + std::to_string(getpid());
    unlink(file_.c_str());
    setenv("BZ_COVERAGE", file_.c_str(), 1);
    for (isa::RowId r = 0; r < isa::row_count(); ++r)
      if (isa::row_meta(r).name == std::string("v_add_f32")) row_ = r;
    counts_.resize(isa::row_count());
  }
  void TearDown() override { unlink(file_.c_str()), unsetenv("BZ_COVERAGE"); }
  std::string content() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string file_;
  isa::RowId row_ = 0;
  std::vector<uint64_t> counts_;
};

TEST_F(Coverage, WorkersOfThePastAndThePresentCount) {
  {
    exec::RowRecord record(isa::Target::gfx942);
    std::vector<uint64_t> gone(isa::row_count());
    record.begin(gone);
    gone[row_] = 5;
    record.end(gone);
    record.begin(counts_);
    counts_[row_] = 2;
  }
  EXPECT_EQ(content(), "gfx942 v_add_f32 7\n");
}

TEST_F(Coverage, ARecordIsWrittenOnce) {
  exec::RowRecord record(isa::Target::gfx906);
  record.begin(counts_);
  counts_[row_] = 1;
  record.write();
  record.write();
  record.end(counts_);
  EXPECT_EQ(content(), "gfx906 v_add_f32 1\n");
}

TEST_F(Coverage, EnginesThatNobodyDestroysAreWrittenAtTheEnd) {
  EXPECT_EXIT(
      {
        auto* record = new exec::RowRecord(isa::Target::gfx90a);
        record->begin(counts_);
        counts_[row_] = 3;
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(content(), "gfx90a v_add_f32 3\n");
}

TEST_F(Coverage, AForkedChildDoesNotWriteItsParentsCounts) {
  {
    exec::RowRecord record(isa::Target::gfx942);
    record.begin(counts_);
    counts_[row_] = 4;
    EXPECT_EXIT(std::exit(0), testing::ExitedWithCode(0), "");   // a process of its own that ends as programs end
    EXPECT_EQ(content(), "");
    record.end(counts_);
  }
  EXPECT_EQ(content(), "gfx942 v_add_f32 4\n");
}

TEST_F(Coverage, NothingIsWrittenUnasked) {
  unsetenv("BZ_COVERAGE");
  {
    exec::RowRecord record(isa::Target::gfx942);
    record.begin(counts_);
    counts_[row_] = 1;
    record.end(counts_);
  }
  EXPECT_EQ(content(), "");
}

} // namespace
