#!/usr/bin/env python3
"""clang++-22 for device code, with one of its known faults mended: tells which of them a failing kernel met (README.md).

usage: MEND=REASON mended_clang.py <what clang++-22 is called with for one device target>
  none           the same steps, nothing mended: a kernel must still fail with it, else the steps are no evidence
  mask-spills    the VGPRs whose lanes hold spilled SGPRs are defined once, in the entry block (-O0)
  lost-value     control flow is structurized as for an unknown target, for which no instruction is free to hoist (-O1 on)
  scaled-index   before the load-store-vectorizer all addresses count bytes: equal indices are equal distances (-O1 on)
Compiles to IR, stops llc at the pass, changes what it printed, goes on. llc-22, opt-22 and ld.lld-22 are needed.
"""
import os
import re
import subprocess
import sys
import tempfile

TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n'
NATIVE = "-n32:64-"


def run(*command):
    if subprocess.run(command).returncode:
        sys.exit(1)


def change(path, to, edit):
    with open(path) as f:
        text = f.read()
    with open(to, "w") as f:
        f.write(edit(text))


def define_lanes_at_entry(mir):
    """Moves the IMPLICIT_DEFs of VGPRs with spilled lanes to the entry block of their function."""

    def function(body):
        lanes = set(re.findall(r"(%\d+):vgpr_32 = SI_SPILL_S32_TO_VGPR", body))
        definition = re.compile(r"\s+(?:renamable )?(%\d+):vgpr_32 = IMPLICIT_DEF")
        moved, kept = [], []
        for line in body.split("\n"):
            m = definition.match(line)
            (moved if m and m[1] in lanes else kept).append(line)
        entry = next((n for n, line in enumerate(kept) if re.match(r"\s+bb\.0\b.*:", line)), None)
        if entry is None:
            return body
        entry += 1
        while re.match(r"\s+(successors|liveins):|\s*$|\s*;", kept[entry]):
            entry += 1
        return "\n".join(kept[:entry] + moved + kept[entry:])

    return "".join(function(part) for part in re.split(r"(?m)^(?=---$)", mir))


def count_bytes(ir):
    """Turns getelementptr with an index in elements into one in bytes."""
    sizes = {"i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8, "i128": 16}

    def scaled(m):
        space, result, flags, element, pointer, kind, index = m.groups()
        number = re.sub(r"\W", "_", result)
        return (f"{space}%bytes{number} = mul {kind} {index}, {sizes[element]}\n"
                f"{space}{result} = getelementptr {flags}i8, {pointer}, {kind} %bytes{number}")

    return re.sub(r"(?m)^(\s+)(%\S+) = getelementptr ((?:inbounds |nuw |nusw )*)(" + "|".join(sizes) +
                  r"), (ptr[^,]* %[^,\s]+), (i32|i64) (%[^,\s]+)", scaled, ir)


def ir_of(mir):
    lines = mir.split("\n")
    first = lines.index("--- |") + 1
    return "\n".join(line[2:] for line in lines[first:lines.index("...", first)]) + "\n"


def without_target(ir):
    ir = re.sub(r"(?m)^target triple = .*\n", "", ir)
    return ir.replace(NATIVE, "-", 1)  # truncation to a native integer is free too


def with_target(ir):
    return TRIPLE + re.sub(r'(?m)^(target datalayout = ".*)-S32-', lambda m: m[1] + NATIVE + "S32-", ir, count=1)


def main():
    mend = os.environ.get("MEND", "none")
    if mend not in ("none", "mask-spills", "lost-value", "scaled-index"):
        sys.exit(f"mended_clang.py: MEND={mend} is not known\n" + __doc__)
    arguments, out, cpu, level = [], None, None, "-O0"
    given = iter(sys.argv[1:])
    for a in given:
        if a == "-o":
            out = next(given)
            continue
        if a.startswith("--offload-arch="):
            cpu = a.split("=")[1]
        if re.fullmatch("-O[0-3]", a):
            level = a
        arguments.append(a)
    if not out or not cpu:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        ir, printed, changed, done = (folder + "/" + n for n in ("a.ll", "b.mir", "c.ll", "d.o"))
        run("clang++-22", *arguments, "-emit-llvm", "-S", "-o", ir)
        llc = ["llc-22", level, "-mcpu=" + cpu]
        if level == "-O0":
            at, changed = "si-lower-sgpr-spills", folder + "/c.mir"
            run(*llc, ir, "-stop-after=" + at, "-o", printed)
            change(printed, changed, define_lanes_at_entry if mend == "mask-spills" else lambda text: text)
            after = at
        elif mend == "scaled-index":
            at, after = "load-store-vectorizer", ""
            run(*llc, ir, "-stop-before=" + at, "-o", printed)
            change(printed, changed, lambda mir: count_bytes(ir_of(mir)))
        else:
            at = after = "structurizecfg"
            run(*llc, ir, "-stop-before=" + at, "-o", printed)
            change(printed, ir, lambda mir: without_target(ir_of(mir)) if mend == "lost-value" else ir_of(mir))
            run("opt-22", "-S", "-passes=" + at, ir, "-o", changed)
            if mend == "lost-value":
                change(changed, changed, with_target)
        run(*llc, changed, "-start-after=" + after if after else "-start-before=" + at, "-filetype=obj", "-o", done)
        run("ld.lld-22", "-shared", "--no-undefined", done, "-o", out)


main()
