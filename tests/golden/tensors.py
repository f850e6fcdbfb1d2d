"""The Python side of tests/train/safetensors_test.cpp; needs the PyPI packages safetensors and numpy.

  python tests/golden/tensors.py write tests/golden/python.safetensors    made the committed file
  python tests/golden/tensors.py check FILE                               reads what the test wrote
"""

import sys

import numpy
from safetensors import deserialize, safe_open
from safetensors.numpy import load_file, save_file


def write(path):
    tensors = {
        "double": numpy.array([0.1, -2.5], numpy.float64),
        "single": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
        "half": numpy.array([1, -0.5, 65504], numpy.float16),
        "long": numpy.array([-(2**40)], numpy.int64),
        "int": numpy.array([7, -7], numpy.int32),
        "byte": numpy.array([0, 128, 255], numpy.uint8),
        "truth": numpy.array([True, False, True]),
        "none": numpy.zeros((0, 4), numpy.float32),
        "scalar": numpy.array(42, numpy.float32),
    }
    save_file(tensors, path, {"made by": "Python", "text": 'ä "quoted"\n'})


def check(path):
    tensors = load_file(path)
    assert sorted(tensors) == ["blocks.0.weight", "byte", "half", "none", "step", "truth"], sorted(tensors)
    weight = tensors["blocks.0.weight"]
    assert weight.dtype == numpy.float32 and weight.shape == (2, 3), weight
    assert (weight == numpy.arange(6, dtype=numpy.float32).reshape(3, 2).T / 4).all(), weight
    assert tensors["step"].dtype == numpy.int64 and tensors["step"].shape == () and tensors["step"] == -5
    assert (tensors["byte"] == numpy.array([1, 2, 255], numpy.uint8)).all()
    assert (tensors["half"] == numpy.array([0.5, -2], numpy.float16)).all()
    assert tensors["truth"].dtype == bool and tensors["truth"].tolist() == [True, False]
    assert tensors["none"].shape == (0, 4)
    with safe_open(path, "numpy") as file:
        assert file.metadata()["settings"] == '{"data": "ä\n"}', file.metadata()


def check_bf16(path):  # which numpy does not have
    with open(path, "rb") as file:
        ((name, tensor),) = deserialize(file.read())
    assert name == "brain" and tensor["dtype"] == "BF16" and tensor["shape"] == [2], tensor
    assert bytes(tensor["data"]) == bytes([0x80, 0x3F, 0x00, 0xC0]), tensor


{"write": write, "check": check, "check_bf16": check_bf16}[sys.argv[1]](sys.argv[2])
