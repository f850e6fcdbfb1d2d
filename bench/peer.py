"""The other side of build/bench: PyTorch, told what to do on stdin, line by line.

    work linear 4096 256 1024     prepares a piece of work and warms it up; answers `ok`, or `no` and a reason
    time 20                       runs it 20 times in a row; answers the seconds it took
    memory                        runs it once; answers the bytes it took at most, above those taken before
    learn train 60 600            trains until 60 of its 600 seconds are used; answers `ok`
    learn validate 65536          answers bits per byte of the first bytes of the validation, and the steps it has done
    probe                         answers PyTorch's version, its threads and its vector width

Work is the same as in bench/kernels_*.cpp, bench/attention.cpp, bench/classifier.cpp and bench/packages.cpp, written the
way a PyTorch user writes it.
"""
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import peer_classifier
import peer_gpt
import peer_igpt
import peer_packages

torch.manual_seed(1)
WORK = {}


def work(function):
    WORK[function.__name__] = function
    return function


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def both(forward, *leaves):
    """Forward and backward with a gradient that is there already; gradients are made anew each time."""
    dy = torch.randn_like(forward())

    def run():
        for x in leaves:
            x.grad = None
        forward().backward(dy)

    return run


def without_grad(forward):
    def run():
        with torch.inference_mode():
            forward()

    return run


@work
def copy(rows, cols):
    x = torch.randn(rows, cols)
    y = torch.empty_like(x)
    return lambda: y.copy_(x)


@work
def matmul(m, n, k):
    a, b = torch.randn(m, k), torch.randn(k, n)
    return without_grad(lambda: a @ b)


@work
def linear(rows, width, out):
    x, w, b = leaf(rows, width), leaf(out, width), leaf(out)
    return both(lambda: F.linear(x, w, b), x, w, b)


@work
def batched(batch, m, k, n):
    a, b = leaf(batch, m, k), leaf(batch, k, n)
    return both(lambda: a @ b, a, b)


@work
def bias_gelu(rows, cols):
    x, b = leaf(rows, cols), leaf(cols)
    return both(lambda: F.gelu(x + b), x, b)


@work
def bias_gelu_tanh(rows, cols):
    x, b = leaf(rows, cols), leaf(cols)
    return both(lambda: F.gelu(x + b, approximate="tanh"), x, b)


@work
def layer_norm(rows, cols):
    x, w, b = leaf(rows, cols), leaf(cols), leaf(cols)
    return both(lambda: F.layer_norm(x, (cols,), w, b), x, w, b)


@work
def residual_norm(rows, cols):
    x, r, w, b = leaf(rows, cols), leaf(rows, cols), leaf(cols), leaf(cols)
    ds, dy = torch.randn(rows, cols), torch.randn(rows, cols)

    def run():
        for v in (x, r, w, b):
            v.grad = None
        s = x + r
        torch.autograd.backward([s, F.layer_norm(s, (cols,), w, b)], [ds, dy])

    return run


@work
def softmax(rows, cols):
    x = leaf(rows, cols)
    return both(lambda: F.softmax(x, -1), x)


@work
def cross_entropy(rows, classes):
    x, targets = leaf(rows, classes), torch.randint(classes, (rows,))
    return both(lambda: F.cross_entropy(x, targets), x)


@work
def dropout(rows, cols):
    x = leaf(rows, cols)
    return both(lambda: F.dropout(x, 0.1), x)


@work
def embedding(rows, vocabulary, cols):
    table, ids = leaf(vocabulary, cols), torch.randint(vocabulary, (rows,))
    return both(lambda: F.embedding(ids, table), table)


@work
def adamw(parameters, clip):
    """All parameters in one tensor and with the fused kernel: the best case for PyTorch."""
    w = leaf(parameters)
    w.grad = torch.randn(parameters) * 1e-3
    optimiser = torch.optim.AdamW([w], lr=1e-6, weight_decay=0.1, fused=True)

    def run():
        if clip:
            torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimiser.step()

    return run


@work
def sdpa(batch, heads, n, width, causal, backward):
    """q, k and v as a model has them: (B, n, H, D) in memory, seen as (B, H, n, D)."""
    q, k, v = (leaf(batch, n, heads, width) for _ in range(3))

    def forward():
        heads_first = (x.transpose(1, 2) for x in (q, k, v))
        return F.scaled_dot_product_attention(*heads_first, is_causal=bool(causal)).transpose(1, 2)

    return both(forward, q, k, v) if backward else without_grad(forward)


@work
def sdpa_window(batch, heads, n, width, left):
    """A causal window: PyTorch has no other word for it than a mask of n x n pairs."""
    q, k, v = (leaf(batch, n, heads, width) for _ in range(3))
    mask = torch.ones(n, n, dtype=torch.bool).tril().triu(-left)

    def forward():
        heads_first = (x.transpose(1, 2) for x in (q, k, v))
        return F.scaled_dot_product_attention(*heads_first, attn_mask=mask).transpose(1, 2)

    return both(forward, q, k, v)


@work
def flex_window(batch, heads, n, width, left):
    """A causal window by FlexAttention, compiled, with its mask by blocks: forward, all that it can on a CPU."""
    q, k, v = (torch.randn(batch, n, heads, width).transpose(1, 2) for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: (i >= j) & (i - j <= left), None, None, n, n, device="cpu")
    attend = torch.compile(flex_attention)
    return without_grad(lambda: attend(q, k, v, block_mask=mask))


@work
def decode(rows, width):
    """What one token does between two attentions: linear, norm, GELU."""
    x, w, b = torch.randn(rows, width), torch.randn(width, width) / width**0.5, torch.randn(width)
    g, c = torch.ones(width), torch.zeros(width)
    return without_grad(lambda: F.gelu(F.layer_norm(F.linear(x, w, b), (width,), g, c)))


@work
def training_step(layers, width, heads, context, batch, compiled):
    return peer_gpt.training_step(layers, width, heads, context, batch, compiled)


@work
def classifier_step(layers, width, heads, hidden, n):
    return peer_classifier.training_step(layers, width, heads, hidden, n)


@work
def sampling(layers, width, heads, context, prompt, length):
    return peer_gpt.sampling(layers, width, heads, context, prompt, length)


@work
def package(layer, batch, n, width, heads, causal, backward):
    """A whole self-attention layer, projections included, as a package has it; x (B, n, C) gets a gradient, too."""
    module = peer_packages.make(layer, batch, n, width, heads, bool(causal)).train(bool(backward))
    x = leaf(batch, n, width)
    return both(lambda: module(x), x, *module.parameters()) if backward else without_grad(lambda: module(x))


@work
def learning(layers, width, heads, context, batch, seed, train_bytes, valid_bytes):
    return peer_gpt.Learning(layers, width, heads, context, batch, seed, train_bytes, valid_bytes)


@work
def learning_pictures(layers, width, heads, pixels, colours, batch, seed, train, valid):
    return peer_igpt.Learning(layers, width, heads, pixels, colours, batch, seed, train, valid)


def forward(name, function):
    def make(rows, cols):
        x = torch.randn(rows, cols)
        return without_grad(lambda: function(x))

    WORK[name] = make


forward("add", lambda x: x + x)
forward("exp", torch.exp)
forward("tanh", torch.tanh)
forward("gelu", F.gelu)
forward("sum_rows", lambda x: x.sum(1))
forward("sum_columns", lambda x: x.sum(0))
forward("transposed_copy", lambda x: x.t().contiguous())
forward("normal", torch.randn_like)


def status_bytes(field):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(field))


def memory():
    """Growth of the resident set; see bench/memory.cpp."""
    with open("/proc/self/clear_refs", "w") as highest:
        highest.write("5")
    before = status_bytes("VmRSS:")
    run()
    return status_bytes("VmHWM:") - before


def prepare(name, arguments):
    global run
    if name not in WORK:
        return f"no {name} is not written in bench/peer.py"
    try:
        run = WORK[name](*arguments)
        for _ in range(3):
            run()
        return "ok"
    except Exception as error:  # whatever a package throws: this case cannot be measured, the next one may
        run = None
        return "no " + " ".join(f"{type(error).__name__}: {error}".split())[:200]


def answer(line):
    global run
    words = line.split()
    if words[0] == "probe":
        vectors = torch.backends.cpu.get_cpu_capability()
        return f"PyTorch {torch.__version__.split('+')[0]}, {torch.get_num_threads()} threads, {vectors}"
    if words[0] == "work":
        run = None  # frees the tensors of the work before
        return prepare(words[1], [int(word) if word.isdigit() else word for word in words[2:]])
    if words[0] == "learn":
        return getattr(run, words[1])(*map(float, words[2:]))
    if words[0] == "memory":
        return repr(memory())
    begin = time.perf_counter()
    for _ in range(int(words[1])):
        run()
    return repr(time.perf_counter() - begin)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    run = None
    answers, sys.stdout = sys.stdout, sys.stderr  # packages may print what they like
    for request in sys.stdin:
        print(answer(request), file=answers, flush=True)
