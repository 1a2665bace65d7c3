from __future__ import annotations

import pytest

from hakari.retrievers.onnx_size import parameters_in


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def model(*tensors: bytes) -> bytes:
    graph = message(2, b"a graph") + b"".join(message(5, tensor) for tensor in tensors)
    return varint(1 << 3) + varint(9) + message(7, graph) + varint(5 << 3 | 5) + b"\0\0\0\0"


def test_the_numbers_of_all_initialisers_are_counted(tmp_path):
    packed = message(1, varint(300) + varint(4)) + varint(2 << 3) + varint(1) + message(9, b"\1" * 5000)
    one_by_one = varint(1 << 3) + varint(7) + varint(1 << 3) + varint(3)
    scalar = message(8, b"name")
    path = tmp_path / "model.onnx"
    path.write_bytes(model(packed, one_by_one, scalar))
    assert parameters_in(path) == 300 * 4 + 7 * 3 + 1


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b'{"no": "model"}' * 9, model(b"\x0a\x7f")])
def test_what_is_no_graph_has_no_count(tmp_path, content):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert parameters_in(path) is None
    assert parameters_in(tmp_path / "absent.onnx") is None
