#!/usr/bin/env python3
"""Writes builtins.tsv: which __builtin_amdgcn_* clang has, their types, and which targets can compile them.

Everything is asked of the compiler itself: names are strings of its library, types come out of its messages about wrong
calls, targets out of what it compiles. Needs clang++-22 and its libclang-cpp; a few minutes of CPU time.
usage: probe.py > builtins.tsv
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

TARGETS = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]
SCALARS = {"int": "i32", "unsigned int": "u32", "short": "i16", "unsigned short": "u16", "char": "i8", "signed char": "i8",
           "unsigned char": "u8", "bool": "bool", "long": "i64", "unsigned long": "u64", "float": "f32", "double": "f64",
           "__fp16": "fp16", "_Float16": "f16", "__bf16": "bf16", "void": "void", "const char *": "text",
           "__amdgpu_buffer_rsrc_t": "rsrc", "__amdgpu_texture_t": "texture"}
# Constants for which 0 is not allowed or says nothing. The rest are 0.
CONSTANTS = {
    "update_dpp": {2: 0x111, 3: 15, 4: 15, 5: 0}, "mov_dpp": {1: 0x111, 2: 15, 3: 15, 4: 1}, "ds_swizzle": {1: 0x041f},
    "s_sleep": {0: 1}, "s_setprio": {0: 1}, "s_getreg": {0: 1 | (31 << 11)}, "s_setreg": {0: 1 | (3 << 6) | (0 << 11)},
    "s_waitcnt": {0: 0xf70}, "wave_barrier": {}, "fence": {0: 5}, "global_load_lds": {2: 4}, "raw_ptr_buffer_load_lds": {2: 4},
    "load_to_lds": {2: 4}, "struct_ptr_buffer_load_lds": {2: 4}, "cvt_pk_fp8_f32": {3: 1}, "cvt_pk_bf8_f32": {3: 1}, "cvt_sr_fp8_f32": {3: 2}, "cvt_sr_bf8_f32": {3: 2},
    "cvt_f32_fp8": {1: 1}, "cvt_f32_bf8": {1: 1}, "cvt_pk_f32_fp8": {1: 1}, "cvt_pk_f32_bf8": {1: 1}, "iglp_opt": {0: 1},
    "sched_group_barrier": {0: 1, 1: 1}, "ds_bvh_stack_rtn": {},
}
# Types that depend on the arguments can't be asked for.
EXTRA = {"update_dpp": ("i32", ["i32", "i32", "i32", "i32", "i32", "bool"]), "mov_dpp": ("i32", ["i32", "i32", "i32", "i32", "bool"])}
PRELUDE = """
#define D __attribute__((device))
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
#define CONSTANT __attribute__((address_space(4)))
typedef int i32; typedef unsigned u32; typedef short i16; typedef unsigned short u16; typedef char i8; typedef unsigned char u8;
typedef long i64; typedef unsigned long u64; typedef float f32; typedef double f64; typedef _Float16 f16; typedef __fp16 fp16; typedef __bf16 bf16;
typedef __amdgpu_buffer_rsrc_t rsrc; typedef __amdgpu_texture_t texture;
template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));
struct Nothing {};
template <class T> struct Shown;
"""


def names():
    library = glob.glob("/usr/lib/llvm-22/lib/libclang-cpp.so.22*")[0]
    return sorted({n.decode() for n in re.findall(rb"__builtin_amdgcn_[a-z0-9_]+", open(library, "rb").read())})


def short(t):
    """A type as clang spells it, in the table's spelling."""
    t = t.replace("volatile ", "").strip()
    if t in SCALARS:
        return SCALARS[t]
    if t.endswith("*"):
        to, space = t[:-1].strip(), ""
        for word, name in (("__device__", "global "), ("__shared__", "lds "), ("__constant__", "constant ")):
            if word in to:
                to, space = to.replace(word, "").strip(), name
        to = re.sub(r"\s+", " ", to.replace("const ", "")).strip()
        return "%s%s*" % (space, short(to))
    if m := re.match(r"__attribute__\(\(__vector_size__\((\d+) \* sizeof\([^)]*\)\)\)\) (.*)$", t):
        return "%sx%s" % (SCALARS[m[2]], m[1])
    if m := re.match(r"(.*) __attribute__\(\(ext_vector_type\((\d+)\)\)\)$", t):
        return "%sx%s" % (SCALARS[m[1]], m[2])
    raise ValueError(t)


def cxx(t):
    if t.endswith("*"):
        space = ""
        for word, name in (("global ", "GLOBAL "), ("lds ", "LDS "), ("constant ", "CONSTANT ")):
            if t.startswith(word):
                t, space = t[len(word):], name
        return space + cxx(t[:-1]) + "*"
    if m := re.match(r"(\w+)x(\d+)$", t):
        return "vec<%s, %s>" % (m[1], m[2])
    return t


def clang(lines, target, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.cpp")
        with open(path, "w") as f:
            f.write(PRELUDE + "\n".join(lines) + "\n")
        run = subprocess.run(["clang++-22", "-x", "hip", "--offload-arch=" + target, "--offload-device-only", "-nogpuinc", "-nogpulib",
                              "-std=c++20", "-ferror-limit=0", "-w", "-fno-caret-diagnostics", "-o", os.devnull, path, *flags],
                             capture_output=True, text=True, timeout=120)
        messages, first = {}, PRELUDE.count("\n") + 1
        for m in re.finditer(r"probe\.cpp:(\d+):\d+: (?:error|note): (.*)", run.stderr):
            messages.setdefault(int(m[1]) - first, []).append(m[2])
        return messages, run


class Builtin:
    def __init__(self, name):
        self.name, self.types, self.constants, self.result, self.count, self.why = name, [], {}, None, 0, ""
        self.targets = []

    def argument(self, i):
        if i in self.constants:
            return str(self.constants[i])
        if i < len(self.types):
            return '""' if self.types[i] == "text" else "*p%d" % i if "fp16" in self.types[i] else "p%d" % i
        return "Nothing{}"

    def function(self, i, shown):
        # Nothing of type __fp16 may be a parameter.
        parameters = ", ".join("%s%s p%d" % (cxx(t), "*" if "fp16" in t else "", k) for k, t in enumerate(self.types) if t != "text")
        call = "%s(%s)" % (self.name, ", ".join(self.argument(k) for k in range(self.count)))
        if shown:
            return "D void f%d(%s) { (void)sizeof(Shown<decltype(%s)>); (void)%s; }" % (i, parameters, call, call)
        if self.result == "void":
            return "extern \"C\" D __attribute__((used)) void f%d(%s) { %s; }" % (i, parameters, call)
        return "D %s r%d; extern \"C\" D __attribute__((used)) void f%d(%s) { r%d = %s; }" % (cxx(self.result), i, i, parameters, i, call)

    def learn(self, said):
        """From the messages about a wrong call; whether more is to learn."""
        text = "\n".join(said)
        if m := re.search(r"too few arguments to function call, (?:expected |at least |expected at least )*(\d+), have", text):
            self.count = int(m[1])
        elif "too few arguments to function call, single argument" in text:
            self.count = 1
        elif m := (re.search(r"cannot initialize a parameter of type '([^']+)'(?: \(aka '([^']+)'\))?.*of type 'Nothing'", text) or
                   re.search(r"no viable conversion from 'Nothing' to '([^']+)'(?: \(aka '([^']+)'\))?", text)):
            self.types.append(short(m[2] or m[1]))
        elif re.search(r"must be a constant|not an integral constant|is required", text):
            # The message doesn't say which: constants come last.
            for k in reversed(range(len(self.types))):
                t = self.types[k]
                if k not in self.constants and re.fullmatch(r"[iu](8|16|32|64)|bool", t):
                    wanted = CONSTANTS.get(self.name[len("__builtin_amdgcn_"):], {})
                    self.constants[k] = wanted.get(k, 0)
                    return True
            self.why = said[0]
            return False
        elif m := re.search(r"Shown<(.*)>'", text):
            self.result = short(m[1])
            return False
        else:
            self.why = (said or ["no message"])[0]
            return False
        return True


def learn_types(builtins, target):
    left = builtins
    for _ in range(40):
        messages, _run = clang([b.function(i, True) for i, b in enumerate(left)], target, "-fsyntax-only")
        more = []
        for i, b in enumerate(left):
            try:
                if b.learn(messages.get(i, [])):
                    more.append(b)
            except (ValueError, KeyError) as e:
                b.why = "a type that this script doesn't know: %s" % e
        left = more


def compiled(builtins, target):
    """Those for which there is code: all at once, then halves of what fails."""
    if not builtins:
        return []
    try:
        _, run = clang([b.function(i, False) for i, b in enumerate(builtins)], target, "-O1", "-c", "--no-gpu-bundle-output")
        if run.returncode == 0:
            return builtins
    except subprocess.TimeoutExpired:
        pass
    half = len(builtins) // 2
    return compiled(builtins[:half], target) + compiled(builtins[half:], target) if half else []


if __name__ == "__main__":
    builtins = [Builtin(n) for n in names()]
    # Some are declared for some targets only: the last that knows a name wins.
    for target in ("gfx942", "gfx90a", "gfx1250"):
        unknown = [b for b in builtins if b.result is None]
        for b in unknown:
            b.__init__(b.name)
        learn_types(unknown, target)
    for b in builtins:
        if b.name[len("__builtin_amdgcn_"):] in EXTRA:
            b.result, b.types = EXTRA[b.name[len("__builtin_amdgcn_"):]]
            b.count, b.constants = len(b.types), CONSTANTS[b.name[len("__builtin_amdgcn_"):]]
    known = [b for b in builtins if b.result is not None]
    for b in builtins:
        if b.result is None:
            print("no type found:", b.name, b.why, file=sys.stderr)
    for target in TARGETS:
        # Features first, then code.
        messages, _ = clang([b.function(i, False) for i, b in enumerate(known)], target, "-emit-llvm", "-c")
        for b in compiled([b for i, b in enumerate(known) if i not in messages], target):
            b.targets.append(target)
    print("# Written by probe.py. Name without __builtin_amdgcn_, result, parameters (=N: must be a constant, here N), targets.")
    for b in known:
        if b.targets:
            parameters = ["%s=%s" % (t, b.constants[i]) if i in b.constants else t for i, t in enumerate(b.types)]
            print(b.name[len("__builtin_amdgcn_"):], b.result, ",".join(parameters) or "-", ",".join(b.targets), sep="\t")
