"""Builds the optional C extension; everything else is declared in pyproject.toml.

The extension is optional: where no compiler is found the build goes on, and the
numpy and scipy fallbacks give the same bytes, more slowly.
"""

import sys

from setuptools import Extension, setup

# No fused multiply-add and no reordering of sums: the compiled loops must give
# the same bits as the fallbacks.
FLAGS = (
    []
    if sys.platform == "win32"
    else ["-O3", "-std=c11", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden"]
)

setup(
    ext_modules=[
        Extension(
            "hakari.native._native",
            sources=[
                f"src/hakari/native/{part}.c"
                for part in (
                    *("module", "scan", "bm25", "measures", "dense"),
                    *(
                        "audit_wide",
                        "audit_fold",
                        "audit_text",
                        "audit_code",
                        "audit_compare",
                        "audit_probe",
                        "audit_scan",
                        "audit_python",
                    ),
                )
            ],
            depends=["src/hakari/native/native.h", "src/hakari/native/audit.h"],
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)
