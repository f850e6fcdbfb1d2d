#include "nn/module.h"

#include <algorithm>
#include <utility>

#include "nn/given_weights.h"
#include "system/nearest.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"

namespace heed {
namespace {

constexpr const char* kWeightsHint = "These are weights, which a smaller batch does not change: use a smaller model";

bool lies_below(const std::string& path, const std::string& above) {
  return above.empty() || path == above || path.starts_with(above + ".");
}

// What all paths begin with, cut to as many names as the given one has: "stack.layer_0", "stack.norm_0", ...
std::vector<std::string> paths_of_depth(const std::vector<Parameter*>& parameters, const std::string& given) {
  std::vector<std::string> all;
  const auto dots = std::count(given.begin(), given.end(), '.');
  for (const Parameter* p : parameters) {
    size_t end = p->path.find('.');
    for (long i = 0; i < dots && end != std::string::npos; i++) end = p->path.find('.', end + 1);
    const std::string cut = p->path.substr(0, end);
    if (std::find(all.begin(), all.end(), cut) == all.end()) all.push_back(cut);
  }
  return all;
}

// Drawn, or what is given for this model.
Tensor first_value(const Module* root, const std::string& path, const Shape& shape, const Init& init) {
  const MemoryHint hint(kWeightsHint);
  const GivenWeights* given = GivenWeights::of(root);
  return given ? given->at(path, shape) : init(shape, {.site = site_hash(path)});
}

}  // namespace

void check_not_packed(const char* op, const Parameter& parameter) {
  HEED_CHECK(!parameter.packed, op, "'", parameter.path,
             "' is part of a ParameterArena already; freeze and cast parameters before they are packed, and pack once");
}

Module::Making*& Module::making() {
  thread_local Making* current = nullptr;
  return current;
}

Module::Making::Making(Module& parent, const std::string& name)
    : parent_(parent), path_(parent.joined(name)), outer_(std::exchange(making(), this)) {}
Module::Making::Making(Module& parent) : parent_(parent), path_(parent.path_), outer_(std::exchange(making(), this)) {}

Module::Making::~Making() {
  making() = outer_;
  if (finished_ || path_ == parent_.path_) return;  // a wrapper's names are freed with the wrapper's
  std::erase_if(parent_.root_->claimed_,
                [&](const auto& claim) { return claim.second == path_ || claim.second.starts_with(path_ + "."); });
}

Module::Module() : root_(this) {
  Making* scope = std::exchange(making(), nullptr);  // taken by this module: a member of it is not the same child
  if (!scope) {
    GivenWeights::begin(this);
    return;
  }
  path_ = scope->path_;
  root_ = scope->parent_.root_;
  if (path_ != scope->parent_.path_) root_->claim(path_);
}

std::string Module::joined(const std::string& name) const {
  HEED_CHECK(!name.empty() && name.find_first_of(" .\t\n") == std::string::npos, "module", "the name '", name, "' in '",
             path_, "' is not allowed; a name has no dots or blanks and is not empty");
  return path_.empty() ? name : path_ + "." + name;
}

void Module::claim(const std::string& path) {
  auto [slot, fresh] = claimed_.try_emplace(site_hash(path), path);
  HEED_CHECK(fresh || slot->second != path, "module", "'", path, "' exists already; a name in a module is used once");
  HEED_CHECK(fresh, "module", "'", path, "' and '", slot->second,
             "' have the same random site (a hash collision); give one of them another name");
}

Variable& Module::parameter(const std::string& name, const Shape& shape, const Init& init) {
  return parameter(name, shape, init, shape.dims() >= 2);
}

Variable& Module::parameter(const std::string& name, const Shape& shape, const Init& init, bool decay) {
  std::string path = joined(name);
  Variable value = Variable::leaf(first_value(root_, path, shape, init));
  root_->claim(path);
  own_.push_back(std::make_unique<Parameter>(Parameter{path, value, init, decay}));
  return own_.back()->value;
}

Variable& Module::buffer(const std::string& name, const Shape& shape, const Init& init) {
  const std::string path = joined(name);
  const Variable value(first_value(root_, path, shape, init));
  root_->claim(path);
  buffers_.push_back(std::make_unique<Buffer>(Buffer{path, value, init}));
  return buffers_.back()->value;
}

std::vector<Buffer*> Module::buffers() {
  std::vector<Buffer*> all;
  for (auto& buffer : buffers_) all.push_back(buffer.get());
  for (auto& child : children_)
    for (Buffer* buffer : child->buffers()) all.push_back(buffer);
  return all;
}

std::vector<Parameter*> Module::parameters() {
  std::vector<Parameter*> all;
  for (auto& parameter : own_) all.push_back(parameter.get());
  for (auto& child : children_)
    for (Parameter* parameter : child->parameters()) all.push_back(parameter);
  return all;
}

long Module::parameter_count() {
  long count = 0;
  for (Parameter* parameter : parameters()) count += parameter->value.numel();
  return count;
}

void Module::initialise(uint32_t seed) {
  const MemoryHint hint(kWeightsHint);
  const auto draw = [&](const auto& each) {
    const Tensor& to_fill = each.value.value();
    copy_into(to_fill, to(each.init(to_fill.shape(), {.seed = seed, .site = site_hash(each.path)}), to_fill.device()));
  };
  for (const Parameter* p : parameters()) draw(*p);
  for (const Buffer* b : buffers()) draw(*b);
}

void Module::move_to(Device device) {
  const MemoryHint hint(kWeightsHint);
  const auto elsewhere = [&](const Parameter* p) { return p->value.value().device() != device; };
  for (const Parameter* p : parameters())
    if (elsewhere(p)) check_not_packed("move_to", *p);  // all, before anything is moved
  for (Parameter* p : parameters())
    if (elsewhere(p)) p->value.set_value(to(p->value.value(), device));
  for (Buffer* b : buffers()) b->value = Variable(to(b->value.value(), device));
}

void Module::cast_parameters(DType dtype) {
  for (Parameter* p : parameters()) {
    check_not_packed("cast_parameters", *p);
    p->value.set_value(cast(p->value.value(), dtype));
  }
  for (Buffer* b : buffers()) b->value = Variable(cast(b->value.value(), dtype));
}

void Module::zero_grad() {
  for (Parameter* parameter : parameters()) parameter->value.zero_grad();
}

int Module::freeze(const std::string& path) {
  int frozen = 0;
  for (Parameter* parameter : parameters())
    if (lies_below(parameter->path, path)) {
      check_not_packed("freeze", *parameter);
      parameter->value.set_requires_grad(false);
      frozen++;
    }
  if (frozen == 0) fail_unknown("freeze", "part of the model", path, paths_of_depth(parameters(), path));
  return frozen;
}

}  // namespace heed
