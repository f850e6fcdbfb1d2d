"""Self-attention layers of packages from PyPI for `build/bench packages`: a function each, named in bench/packages.cpp.

A function gets Sizes and returns a module that makes (B, n, C) of (B, n, C), with no dropout. Packages are imported
inside: one that is missing or broken must not take the others along. Which versions: bench/packages.txt.
"""
from dataclasses import dataclass

import torch
from torch import nn

LAYERS = {}


@dataclass
class Sizes:
    batch: int
    n: int
    width: int
    heads: int
    causal: bool


def make(name, *sizes):
    if name not in LAYERS:
        raise ValueError(f"{name} is not written in bench/peer_packages.py")
    return LAYERS[name](Sizes(*sizes))


def layer(function):
    LAYERS[function.__name__] = function
    return function


class Called(nn.Module):
    """A module that is not called as y = module(x): it wants more, or gives more."""

    def __init__(self, module, call):
        super().__init__()
        self.module, self.call = module, call

    def forward(self, x):
        return self.call(self.module, x)


@layer
def multihead_attention(s):
    """By scaled_dot_product_attention, also without a gradient: the way PyTorch would take then is slower on a CPU. With
    is_causal the mask is never read, but it must be there."""
    torch.backends.mha.set_fastpath_enabled(False)
    mask = nn.Transformer.generate_square_subsequent_mask(s.n) if s.causal else None
    options = {"need_weights": False, "attn_mask": mask, "is_causal": s.causal}
    return Called(nn.MultiheadAttention(s.width, s.heads, batch_first=True), lambda m, x: m(x, x, x, **options)[0])


def linear_attention_transformer(s, **options):
    from linear_attention_transformer.linear_attention_transformer import SelfAttention

    return SelfAttention(s.width, s.heads, causal=s.causal, n_local_attn_heads=0, **options)


@layer
def linear_attention(s):
    """blindspot_size 1, the default: the only one with which a causal query sees all tokens up to its own."""
    return linear_attention_transformer(s)


@layer
def linear_attention_blind_64(s):
    """Sums by buckets of 64 tokens; a query does not see its own bucket."""
    return linear_attention_transformer(s, blindspot_size=64)


def local_mha(s, exact):
    """Blocks of 256 tokens and the block before, without rotary positions; exact: the last 256 tokens of these."""
    from local_attention import LocalMHA

    options = {"dim_head": s.width // s.heads, "use_rotary_pos_emb": False, "exact_windowsize": exact}
    return LocalMHA(dim=s.width, window_size=256, heads=s.heads, causal=s.causal, **options)


@layer
def local_attention_blocks(s):
    return local_mha(s, exact=False)


@layer
def local_attention_window(s):
    return local_mha(s, exact=True)
