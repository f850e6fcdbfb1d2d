"""The language model of bench/gpt.h in PyTorch: the same layers, parameters and optimiser.

Pre-norm, one product for q, k and v, GELU by erf, learned positions, the head tied to the table of tokens, no dropout.
"""
import math
import os
import time

import torch
import torch.nn.functional as F
from torch import nn

V = 256


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)

    def forward(self, x):
        x = x + self.out(self.attend(self.norm1(x)))
        return x + self.down(F.gelu(self.up(self.norm2(x))))

    def decode(self, x, keys, values, at):
        """x (1, T, C), the tokens from place `at` on; keys and values (1, H, context, D) are made once and written here."""
        q, k, v = self.qkv(self.norm1(x)).view(1, x.size(1), 3, self.heads, -1).transpose(1, 3).unbind(2)
        end = at + x.size(1)
        keys[:, :, at:end], values[:, :, at:end] = k, v
        o = F.scaled_dot_product_attention(q, keys[:, :, :end], values[:, :, :end], is_causal=x.size(1) > 1)
        x = x + self.out(o.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, context):
        super().__init__()
        self.tokens, self.places = nn.Embedding(V, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)

    def loss(self, ids, targets):
        x = self.tokens(ids) + self.places.weight[: ids.size(1)]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.tokens.weight)
        return F.cross_entropy(logits.view(-1, V), targets.view(-1))

    def next_logits(self, ids, cache, at):
        """Of the token behind ids (1, T): (1, V)."""
        x = self.tokens(ids) + self.places.weight[at : at + ids.size(1)]
        for block, (keys, values) in zip(self.blocks, cache):
            x = block.decode(x, keys, values, at)
        return F.linear(self.norm(x[:, -1]), self.tokens.weight)


def adamw(model):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.98), fused=True)


def training_step(layers, width, heads, context, batch, compiled):
    model = Gpt(layers, width, heads, context)
    ids, targets = torch.randint(V, (batch, context)), torch.randint(V, (batch, context))
    optimiser = adamw(model)
    loss = torch.compile(model.loss) if compiled else model.loss

    def run():
        optimiser.zero_grad(set_to_none=True)
        loss(ids, targets).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return run


def sampling(layers, width, heads, context, prompt, length):
    """Reads a prompt at once, then writes byte by byte; the cache is made once."""
    model = Gpt(layers, width, heads, context).eval()
    shape = (1, heads, context, width // heads)
    cache = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(layers)]
    start = torch.randint(V, (1, prompt))

    def run():
        text = []
        with torch.inference_mode():
            ids, at = start, 0
            for _ in range(length):
                logits = model.next_logits(ids, cache, at)
                at += ids.size(1)
                ids = torch.multinomial(F.softmax(logits, -1), 1)
                text.append(ids.item())
        return bytes(text)

    return run


class Learning:
    """Trains on a text for a while: see bench/learning.cpp, which has the same numbers."""

    RATE, WARM_UP = 2e-3, 100

    def __init__(self, layers, width, heads, context, batch, seed, train_bytes, valid_bytes):
        self.context, self.batch = context, batch
        self.prepare(Gpt(layers, width, heads, context), layers, seed, train_bytes, valid_bytes)

    def prepare(self, model, layers, seed, train_bytes, valid_bytes):
        torch.manual_seed(seed)
        with open(os.environ["HEED_BENCH_DATA"], "rb") as file:
            text = torch.frombuffer(bytearray(file.read(train_bytes + valid_bytes)), dtype=torch.uint8).long()
        self.text, self.valid = text[:train_bytes], text[train_bytes:]
        self.model = model
        self.start_as_gpt2(layers)
        self.optimiser = adamw(self.model)
        self.loss = torch.compile(self.model.loss)
        self.used, self.steps = 0.0, 0

    def __call__(self):
        """Warms up, and so compiles; the weights stay as they are."""
        self.loss(*self.draw()).backward()
        self.optimiser.zero_grad(set_to_none=True)

    def start_as_gpt2(self, layers):
        for name, p in self.model.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.dim() > 1:
                last = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * layers) if last else 0.02)

    def draw(self):
        starts = torch.randint(len(self.text) - self.context, (self.batch,))
        rows = torch.stack([self.text[i : i + self.context + 1] for i in starts.tolist()])
        return rows[:, :-1], rows[:, 1:].contiguous()

    def step(self, share):
        falling = 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
        self.steps += 1
        for group in self.optimiser.param_groups:
            group["lr"] = self.RATE * falling * min(1.0, self.steps / self.WARM_UP)
        self.optimiser.zero_grad(set_to_none=True)
        self.loss(*self.draw()).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()

    def train(self, until, budget):
        while self.used < until:
            begin = time.perf_counter()
            self.step(self.used / budget)
            self.used += time.perf_counter() - begin
        return "ok"

    def validate(self, limit):
        valid = self.valid[: int(min(limit, len(self.valid)))]
        nats = 0.0
        with torch.no_grad():
            for i in range(0, len(valid) - 1, self.context):
                rows = valid[i : i + self.context + 1][None]
                nats += self.model.loss(rows[:, :-1], rows[:, 1:].contiguous()).item() * (rows.size(1) - 1)
        return f"{nats / math.log(2) / (len(valid) - 1)} {self.steps}"
