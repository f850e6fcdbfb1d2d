"""Writes gpt.safetensors and gpt_rotary.safetensors: what PyTorch makes of a small language model, for tests/train/golden_test.cpp.

A GPT of 2 layers (pre-norm, exact GELU, tied head) is trained for 20 steps of AdamW with clipping and a schedule, once with
learned positions and once with rotary ones (and charlm's betas). Written: the first weights (f32, under heed's names), the batches, the loss of every step, and the norm
of every tensor's gradient in the first and in the last step, before clipping. PyTorch computes in f64.

    python3 tests/golden/gpt.py         # needs torch, numpy and safetensors
"""

import math
import os

import numpy
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file

V, C, H, T, B, LAYERS, STEPS = 64, 32, 2, 16, 4, 2, 20
RATE, WARMUP, FLOOR, DECAY, CLIP = 1e-2, 5, 0.1, 0.1, 0.5


def first_weights(rotary):
    draw = torch.Generator().manual_seed(20)
    shapes = {"input.tokens.weight": (V, C)}
    if not rotary:
        shapes |= {"input.positions.weight": (T, C)}
    for i in range(LAYERS):
        s, f = 2 * i, 2 * i + 1
        shapes |= {f"stack.norm_{s}.weight": (C,), f"stack.norm_{s}.bias": (C,)}
        shapes |= {f"stack.layer_{s}.in.weight": (3 * C, C), f"stack.layer_{s}.in.bias": (3 * C,)}
        shapes |= {f"stack.layer_{s}.out.weight": (C, C), f"stack.layer_{s}.out.bias": (C,)}
        shapes |= {f"stack.norm_{f}.weight": (C,), f"stack.norm_{f}.bias": (C,)}
        shapes |= {f"stack.layer_{f}.in.weight": (4 * C, C), f"stack.layer_{f}.in.bias": (4 * C,)}
        shapes |= {f"stack.layer_{f}.out.weight": (C, 4 * C), f"stack.layer_{f}.out.bias": (C,)}
    shapes |= {"stack.norm.weight": (C,), "stack.norm.bias": (C,)}
    weights = {}
    for name, shape in shapes.items():
        centre = 1.0 if "norm" in name and name.endswith("weight") else 0.0
        weights[name] = centre + 0.1 * torch.randn(shape, generator=draw)
    return weights


def turned(x):
    """x (B, H, T, D): channels i and i + D/2 of the row at t are turned by t / 10000^(2i/D)."""
    half = x.size(-1) // 2
    angles = torch.arange(T).double()[:, None] * 10000.0 ** (-torch.arange(half).double() / half)
    c, s, a, b = angles.cos(), angles.sin(), x[..., :half], x[..., half:]
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def logits(w, ids, rotary):
    def norm(x, name):
        return F.layer_norm(x, (C,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def linear(x, name):
        return F.linear(x, w[name + ".weight"], w[name + ".bias"])

    def heads(x):
        return x.view(B, T, H, C // H).transpose(1, 2)

    x = w["input.tokens.weight"][ids]
    if not rotary:
        x = x + w["input.positions.weight"]
    for i in range(LAYERS):
        s, f = 2 * i, 2 * i + 1
        q, k, v = linear(norm(x, f"stack.norm_{s}"), f"stack.layer_{s}.in").split(C, dim=2)
        q, k, v = heads(q), heads(k), heads(v)
        if rotary:
            q, k = turned(q), turned(k)
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(o.transpose(1, 2).reshape(B, T, C), f"stack.layer_{s}.out")
        x = x + linear(F.gelu(linear(norm(x, f"stack.norm_{f}"), f"stack.layer_{f}.in")), f"stack.layer_{f}.out")
    return F.linear(norm(x, "stack.norm"), w["input.tokens.weight"])


def rate(t):
    if t < WARMUP:
        return RATE * t / WARMUP
    progress = (t - WARMUP) / (STEPS - WARMUP)
    return RATE * (FLOOR + (1 - FLOOR) * (1 + math.cos(math.pi * progress)) / 2)


def batches():  # what follows is a rule of what was, so that there is something to learn
    draw = torch.Generator().manual_seed(21)
    ids = torch.zeros(STEPS, B, T + 1, dtype=torch.long)
    ids[:, :, 0] = torch.randint(0, V, (STEPS, B), generator=draw)
    for t in range(T):
        ids[:, :, t + 1] = (5 * ids[:, :, t] + torch.randint(0, 3, (STEPS, B), generator=draw)) % V
    return ids


def write(path, rotary, beta2):
    first, ids = first_weights(rotary), batches()
    w = {name: x.double().requires_grad_() for name, x in first.items()}
    decays = [x for x in w.values() if x.dim() > 1]
    others = [x for x in w.values() if x.dim() == 1]
    groups = [{"params": decays, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, beta2), eps=1e-8)
    losses, norms = [], {name: [] for name in w}
    for step in range(STEPS):
        optimiser.zero_grad()
        batch = ids[step]
        loss = F.cross_entropy(logits(w, batch[:, :-1], rotary).reshape(-1, V), batch[:, 1:].reshape(-1))
        loss.backward()
        losses.append(loss.item())
        if step in (0, STEPS - 1):
            for name, x in w.items():
                norms[name].append(x.grad.norm().item())
        whole = math.sqrt(sum(x.grad.square().sum().item() for x in w.values()))
        for x in w.values():
            x.grad *= min(1.0, CLIP / whole)
        for group in optimiser.param_groups:
            group["lr"] = rate(step + 1)
        optimiser.step()
    out = {"weight/" + name: x.numpy() for name, x in first.items()}
    out |= {"norm/" + name: numpy.array(x) for name, x in norms.items()}
    out |= {"batches": ids.int().numpy(), "losses": numpy.array(losses)}
    save_file(out, os.path.join(os.path.dirname(os.path.abspath(__file__)), path))
    print(f"{path}: losses {losses[0]:.6f} .. {losses[-1]:.6f}")


torch.set_num_threads(1)
write("gpt.safetensors", rotary=False, beta2=0.999)
write("gpt_rotary.safetensors", rotary=True, beta2=0.98)
