// The folder of an OrderingSet: FOLDER/orderings.json says what the set is, and its runs are folders beside that file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tasks/language/ordering_set.h"
#include "train/run_folder.h"

namespace heed {

// What all runs of the set have in common.
struct SavedOrderings {
  OrderingSet set = {};
  LmSettings settings = {};
  std::string fingerprint = {};  // of the data
};

class OrderingFolder {
 public:
  // option_name: as of RunOptions (train/run.h), for hints.
  explicit OrderingFolder(const std::string& path,
                          const std::function<std::string(const std::string&)>& option_name = {});

  const std::string& path() const { return path_; }
  RunFolder run(const OrderingRun& run) const { return RunFolder(path_ + "/" + run.folder()); }
  bool is_begun(const OrderingRun& run) const;  // has it a config or a checkpoint?
  bool is_finished(const OrderingRun& run, long last_step) const;

  std::optional<SavedOrderings> saved() const;  // nothing if there is no set
  void save(const SavedOrderings& orderings) const;
  void check_writable() const;  // throws what save would; makes the folder

  // Throws a sentence if there is something already and it is not to be resumed, and if something began with other
  // settings or other data: its runs could not be compared.
  void check(const SavedOrderings& now, const std::vector<OrderingRun>& runs, bool resume) const;

 private:
  void check_unused(const std::vector<OrderingRun>& runs) const;
  void refuse_changes(const std::string& where, const LmSettings& before, const LmSettings& now) const;

  std::string path_;
  std::function<std::string(const std::string&)> option_;
};

}  // namespace heed
