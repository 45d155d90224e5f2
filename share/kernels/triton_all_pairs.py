#!/usr/bin/env python3
"""All pairs in Triton, compiled to PTX for sm_90 on a machine that needs no GPU.

    pip install triton && TRITON_DISABLE_LINE_INFO=1 python3 triton_all_pairs.py
    pairmark check --variant-file triton_all_pairs.ptx

What the kernel takes is declared beside the PTX, in triton_all_pairs.ptx.header. The number of warps and the shared memory that
this prints are the block and the shared memory of its @pass.
"""
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def triton_all_pairs(n, position, cutoff2, force, ROWS: tl.constexpr, TILE: tl.constexpr):
    # a program has ROWS particles, four numbers each
    own = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    mine = own < n
    x = tl.load(position + 4 * own, mask=mine, other=0.0)
    y = tl.load(position + 4 * own + 1, mask=mine, other=0.0)
    z = tl.load(position + 4 * own + 2, mask=mine, other=0.0)
    fx = tl.zeros([ROWS], tl.float32)
    fy = tl.zeros([ROWS], tl.float32)
    fz = tl.zeros([ROWS], tl.float32)
    for start in range(0, n, TILE):
        # a table of ROWS x TILE pairs
        other = start + tl.arange(0, TILE)
        there = other < n
        dx = x[:, None] - tl.load(position + 4 * other, mask=there, other=0.0)[None, :]
        dy = y[:, None] - tl.load(position + 4 * other + 1, mask=there, other=0.0)[None, :]
        dz = z[:, None] - tl.load(position + 4 * other + 2, mask=there, other=0.0)[None, :]
        r2 = dx * dx + dy * dy + dz * dz
        pair = there[None, :] & (own[:, None] != other[None, :]) & (r2 <= cutoff2)
        s2 = 1.0 / tl.where(pair, r2, 1.0)
        s6 = s2 * s2 * s2
        f = tl.where(pair, 24.0 * s6 * (2.0 * s6 - 1.0) * s2, 0.0)
        fx += tl.sum(f * dx, axis=1)
        fy += tl.sum(f * dy, axis=1)
        fz += tl.sum(f * dz, axis=1)
    tl.store(force + 4 * own, fx, mask=mine)
    tl.store(force + 4 * own + 1, fy, mask=mine)
    tl.store(force + 4 * own + 2, fz, mask=mine)


source = triton.compiler.ASTSource(
    fn=triton_all_pairs,
    signature={"n": "i32", "position": "*fp32", "cutoff2": "fp32", "force": "*fp32", "ROWS": "constexpr", "TILE": "constexpr"},
    constexprs={"ROWS": 32, "TILE": 32},
)
# PTX of an older version than Triton's newest is what drivers in use take
kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2, "ptx_version": 80})
with open("triton_all_pairs.ptx", "w", encoding="ascii") as file:
    file.write(kernel.asm["ptx"])
print(f"block {32 * kernel.metadata.num_warps} shared {kernel.metadata.shared}, "
      f"global scratch of {kernel.metadata.global_scratch_size} bytes")
