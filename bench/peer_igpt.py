"""The picture model of models/igpt.h in PyTorch: the same layers, parameters and optimiser.

Pre-norm with a gain alone, no biases, x sigmoid(1.702 x), learned positions, a start vector, an output table of its own
that begins at zero.
"""
import torch
import torch.nn.functional as F
from torch import nn

import peer_gpt


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width, eps=1e-6), nn.RMSNorm(width, eps=1e-5)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        h = self.up(self.norm2(x))
        return x + self.down(h * torch.sigmoid(1.702 * h))


class Igpt(nn.Module):
    def __init__(self, layers, width, heads, pixels, colours):
        super().__init__()
        self.tokens, self.places = nn.Embedding(colours, width), nn.Embedding(pixels, width)
        self.start = nn.Parameter(torch.zeros(1, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps=1e-6)
        self.head = nn.Linear(width, colours, bias=False)

    def loss(self, pixels):
        """pixels (B, n): each is predicted from those before it."""
        start = self.start.expand(pixels.size(0), 1, -1)
        x = torch.cat([start, self.tokens(pixels[:, :-1])], 1) + self.places.weight
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1), pixels.flatten())


class Learning(peer_gpt.Learning):
    """Trains on pictures for a while: see bench/learning_pictures.cpp, which has the same numbers."""

    def __init__(self, layers, width, heads, pixels, colours, batch, seed, train, valid):
        self.pixels, self.batch = pixels, batch
        self.prepare(Igpt(layers, width, heads, pixels, colours), layers, seed, train * pixels, valid * pixels)
        nn.init.normal_(self.model.places.weight, std=0.01)
        nn.init.zeros_(self.model.head.weight)

    def draw(self):
        return (self.text.view(-1, self.pixels)[torch.randint(len(self.text) // self.pixels, (self.batch,))],)

    def validate(self, limit):
        pictures = self.valid.view(-1, self.pixels)[: int(limit)]
        nats = 0.0
        with torch.no_grad():
            for rows in pictures.split(self.batch):
                nats += self.model.loss(rows).item() * len(rows)
        return f"{nats / len(pictures)} {self.steps}"
