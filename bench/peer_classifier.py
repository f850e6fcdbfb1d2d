"""The classifier of bench/classifier.cpp in PyTorch, eager, with attention as papers write it: an explicit n x n softmax.

Long Range Arena's text model: pre-norm, learned positions, GELU by erf, the mean of all tokens, a linear layer to the
classes; no dropout. Nothing is compiled or fused: this is what a variant is measured against when one asks what it saves.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

V, CLASSES = 256, 2


class Block(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def attend(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))  # (B, H, n, n)
        return (F.softmax(scores, -1) @ v).transpose(1, 2).flatten(2)

    def forward(self, x):
        x = x + self.out(self.attend(self.norm1(x)))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Classifier(nn.Module):
    def __init__(self, layers, width, heads, hidden, longest):
        super().__init__()
        self.tokens, self.places = nn.Embedding(V, width), nn.Embedding(longest, width)
        self.blocks = nn.Sequential(*(Block(width, heads, hidden) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, ids):
        x = self.blocks(self.tokens(ids) + self.places.weight[: ids.size(1)])
        return self.head(self.norm(x).mean(1))


def training_step(layers, width, heads, hidden, n):
    model = Classifier(layers, width, heads, hidden, n)
    ids, label = torch.randint(V, (1, n)), torch.zeros(1, dtype=torch.long)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def run():
        optimiser.zero_grad(set_to_none=True)
        F.cross_entropy(model(ids), label).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return run
