#!/usr/bin/env python3
# Every library function that clang's HIP headers and ours declare must exist. Reads the declarations, writes one HIP
# file that takes the address of each, compiles and links it for each target, and reads back which are undefined.
#   every_name.py CLANGXX ROCM_ROOT TARGET...
import pathlib
import re
import subprocess
import sys
import tempfile

clang, root, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
resource = subprocess.run([clang, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
text = pathlib.Path(resource, "include/__clang_hip_libdevice_declares.h").read_text()
names = set(re.findall(r"__ocml_\w+", text)) | {"__ockl_fdot2", "__ockl_dm_alloc", "__ockl_dm_dealloc"}
if len(names) < 255:
    sys.exit(f"only {len(names)} names found in clang's header: has its form changed?")

# Ours: what the device headers declare comes by inclusion; names made by macros are taken from the preprocessed text.
own = subprocess.run([clang, "-x", "hip", "--cuda-device-only", "--offload-arch=gfx942", "-nogpulib", "-E", "--rocm-path=" + root, "-isystem",
                      root + "/include", "-include", "hip/hip_runtime.h", "/dev/null"],
                     capture_output=True, text=True, check=True).stdout
names |= set(re.findall(r"\b(__(?:ocml|ockl)_\w+)\s*\(", own))
names.discard("__ockl_bool")
# What clang's printf lowering calls without any declaration.
lowered = {"__ockl_printf_begin": "unsigned long(unsigned long)",
           "__ockl_printf_append_args": "unsigned long(unsigned long, unsigned, unsigned long, unsigned long, "
           "unsigned long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned)",
           "__ockl_printf_append_string_n": "unsigned long(unsigned long, const char*, unsigned long, unsigned)"}

source = "#include <hip/hip_runtime.h>\n"
for name, kind in lowered.items():
    ret, params = kind.split("(", 1)
    source += f'extern "C" __device__ {ret} {name}({params};\n'
names = sorted(names | set(lowered))
source += f"__device__ void* const every[] = {{\n" + "".join(f"  (void*)&{n},\n" for n in names) + "};\n"
source += "__global__ void k(void** out) { out[threadIdx.x] = every[threadIdx.x]; }\n"

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "every.hip")
    file.write_text(source)
    failed = False
    for target in targets:
        run = subprocess.run([clang, "-x", "hip", "--cuda-device-only", "-Xoffload-linker", "--error-limit=0",
                              "--offload-arch=" + target, "-isystem", root + "/include", "--rocm-path=" + root, "-O1",
                              str(file), "-o", folder + "/out"], capture_output=True, text=True)
        missing = sorted(set(re.findall(r"undefined (?:hidden |protected )?symbol: (\S+)", run.stderr)))
        if run.returncode or missing:
            failed = True
            print(f"{target}: {len(missing)} of {len(names)} undefined: {' '.join(missing)}")
            if not missing:
                print(run.stderr[-3000:])
        else:
            print(f"{target}: {len(names)} functions link")
    sys.exit(1 if failed else 0)
