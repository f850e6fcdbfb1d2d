// Registry: what is known by name and puts itself on a list, so that adding one is adding a file. Optimisers, say:
//
//   struct OptimiserMaker { std::string name; ... };                   // anything that has a name
//   inline constinit Registry<OptimiserMaker> all_optimisers{"optimiser", "optimiser"};
//   using RegisteredOptimiser = Registration<all_optimisers>;
//
//   const RegisteredOptimiser sgd{{.name = "sgd", ...}};               // in sgd.cpp
//
//   all_optimisers.find("sgdd")     throws "optimiser: there is no optimiser 'sgdd'; there are ... Did you mean sgd?"
//
// Two of the same name are an error when somebody asks, not when they register: that is before main, where nobody could
// catch it.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "system/nearest.h"

namespace heed {

// A line of the source, by default that of the caller: std::source_location, which clang knows from version 15 on only.
struct SourceLine {
  const char* file;
  unsigned line;
  static SourceLine current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

[[noreturn]] void fail_registered_twice(const char* op, const char* what, const std::string& name,
                                        const SourceLine& first, const SourceLine& second);

template <class Entry> class Registry {
 public:
  using value_type = Entry;
  struct Node {  // a list of these in the order of names, and of registration where names are equal
    const Entry entry;
    const SourceLine where;
    Node* next = nullptr;
  };

  // For errors: who speaks, and what an entry is. constexpr, and no destructor: it is there before the first static
  // object and outlives the last.
  constexpr Registry(const char* op, const char* what) : op_(op), what_(what) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // In the order of names. Throws if two have the same name, and so do the next three.
  std::vector<const Entry*> all() const {
    std::vector<const Entry*> entries;
    for (const Node* node = first_; node; node = node->next) {
      if (node->next && node->entry.name == node->next->entry.name)
        fail_registered_twice(op_, what_, node->entry.name, node->where, node->next->where);
      entries.push_back(&node->entry);
    }
    return entries;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry* entry : all()) names.push_back(entry->name);
    return names;
  }

  const Entry* find_or_null(const std::string& name) const {
    for (const Entry* entry : all())
      if (entry->name == name) return entry;
    return nullptr;
  }

  // An unknown name is an Error that lists the known ones and suggests the nearest.
  const Entry& find(const std::string& name) const {
    if (const Entry* entry = find_or_null(name)) return *entry;
    fail_unknown(op_, what_, name, names());
  }

  void insert(Node& node) {
    Node** place = &first_;
    while (*place && (*place)->entry.name <= node.entry.name) place = &(*place)->next;
    node.next = *place;
    *place = &node;
  }

  void remove(Node& node) {
    Node** place = &first_;
    while (*place != &node) place = &(*place)->next;
    *place = node.next;
  }

 private:
  const char *op_, *what_;
  Node* first_ = nullptr;
};

// A static object of this type puts an entry into the registry, for as long as it lives.
template <auto& registry> class Registration {
  using Members = std::remove_reference_t<decltype(registry)>;

 public:
  explicit Registration(typename Members::value_type entry, SourceLine where = SourceLine::current())
      : node_{std::move(entry), where} {
    registry.insert(node_);
  }
  ~Registration() { registry.remove(node_); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  typename Members::Node node_;
};

}  // namespace heed
