// Module: a part of a model that owns parameters and other modules, each under a name.
//
//   class Mlp : public Module {
//    public:
//     explicit Mlp(long width) : hidden(child<Linear>("hidden", 2, width)), out(child<Linear>("out", width, 2)) {}
//     Variable forward(const Variable& x, Context& ctx) { return out.forward(tanh(hidden.forward(x, ctx)), ctx); }
//    private:
//     Linear &hidden, &out;
//   };
//
// Names make paths such as "blocks.3.out.weight": they are used in checkpoints, and to seed parameters and dropout.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "nn/init.h"

namespace heed {

struct Parameter {
  std::string path;  // "hidden.weight"
  Variable value;    // a leaf
  Init init;
  bool decay;           // does weight decay apply to it?
  bool packed = false;  // is it part of a ParameterArena?
};

// Numbers that belong to a model and are not trained: random features, a codebook, a running mean.
struct Buffer {
  std::string path;
  Variable value;  // never has a gradient
  Init init;
};

void check_not_packed(const char* op, const Parameter& parameter);  // throws if it is

class Module {
 public:
  Module();
  virtual ~Module() = default;
  Module(const Module&) = delete;  // references into a module must stay true
  Module& operator=(const Module&) = delete;

  const std::string& path() const { return path_; }  // "" for the outermost

  // All parameters of this module and of its children: its own first, then each child's, in the order in which they
  // were made. A tied parameter is one Variable and appears once, under its first name.
  std::vector<Parameter*> parameters();
  long parameter_count();          // numbers in all of them
  std::vector<Buffer*> buffers();  // of this module and of its children, in the same order

  void initialise(uint32_t seed);     // draws all parameters and buffers anew; they were made with seed 0
  void cast_parameters(DType dtype);  // f64 for sharp gradient checks, buffers too; drops gradients
  // To where it is to compute, parameters and buffers; drops gradients. They are drawn on the host, so that every
  // device begins with the same bits. Throws if they are in a ParameterArena already.
  void move_to(Device device);
  void zero_grad();
  // Excludes the parameter of this path, and all below it, from training: freeze("stack.layer_0"); "" is the whole
  // model. Returns how many. Throws if there is none, or if they are in a ParameterArena already.
  int freeze(const std::string& path);

 protected:
  // A parameter of this module. Decay applies to matrices unless said otherwise.
  Variable& parameter(const std::string& name, const Shape& shape, const Init& init);
  Variable& parameter(const std::string& name, const Shape& shape, const Init& init, bool decay);

  // Numbers of this module that are drawn like a parameter, by the model's seed and the path, saved with the weights
  // and the same in training, evaluation and sampling, but never trained, packed or counted. What changes them does so
  // in place, at the end of a step (Context::at_step_end).
  Variable& buffer(const std::string& name, const Shape& shape, const Init& init);

  // Makes a module inside of this one: Linear& out = child<Linear>("out", 64, 2). A module that is held by value
  // instead is a root of its own: its parameters are not among this module's.
  template <class M, class... Args> M& child(const std::string& name, Args&&... args) {
    Making scope(*this, name);
    children_.push_back(std::make_unique<M>(std::forward<Args>(args)...));
    scope.finished();
    return static_cast<M&>(*children_.back());
  }
  // The same for a module whose type is decided later: make() returns a unique_ptr to a module that it has just made.
  template <class Make> auto& child_from(const std::string& name, Make&& make) {
    Making scope(*this, name);
    return adopt(scope, make());
  }
  // The same for a module that this one wraps: it has no name of its own but the path of this one, so that paths, and
  // with them checkpoints and seeds, are those of the module alone.
  template <class Make> auto& wrapped_from(Make&& make) {
    Making scope(*this);
    return adopt(scope, make());
  }

 private:
  // While one lives, the next Module constructed in this thread is this child: it knows its path from the start.
  class Making {
   public:
    Making(Module& parent, const std::string& name);
    explicit Making(Module& parent);  // of a child with the parent's path
    ~Making();                        // if the child's constructor threw, its names are free again
    void finished() { finished_ = true; }

   private:
    friend class Module;
    Module& parent_;
    std::string path_;
    Making* outer_;
    bool finished_ = false;
  };
  static Making*& making();
  template <class M> M& adopt(Making& scope, std::unique_ptr<M> made) {
    M& module = *made;
    children_.push_back(std::move(made));
    scope.finished();
    return module;
  }

  std::string joined(const std::string& name) const;
  void claim(const std::string& path);  // throws if the path, or its hash, is taken

  std::string path_;
  Module* root_;
  std::vector<std::unique_ptr<Parameter>> own_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<Module>> children_;
  std::map<uint32_t, std::string> claimed_;  // in the root: hashes of all paths below it
};

}  // namespace heed
