# Writes embedded.cpp: each file as bytes of the module. Usage: cmake -DOUTPUT=... -DLIST=... -P embed.cmake
# LIST is a file of lines "path below /hiprtc|file on disk"; a path that ends in / is a folder and keeps the file's name.
file(STRINGS ${LIST} lines)
set(bytes "")
set(declarations "")
set(rows "")
set(n 0)
foreach(line ${lines})
  string(REPLACE "|" ";" pair "${line}")
  list(GET pair 0 path)
  list(GET pair 1 file)
  if(path MATCHES "/$")
    get_filename_component(name ${file} NAME)
    string(APPEND path ${name})
  endif()
  # The zero byte is what clang's lexer wants behind a buffer.
  string(APPEND bytes "asm(\".balign 16\\nbz_file_${n}: .incbin \\\"${file}\\\"\\nbz_file_${n}_end: .byte 0\\n\");\n")
  string(APPEND declarations "extern const char bz_file_${n}[], bz_file_${n}_end[];\n")
  string(APPEND rows "    {\"/hiprtc/${path}\", bz_file_${n}, bz_file_${n}_end},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"hip/rtc/module/embedded.hpp\"

asm(\".pushsection .rodata\");
${bytes}asm(\".popsection\");
extern \"C\" {
${declarations}}

namespace bz::rtc {
std::span<const EmbeddedFile> embedded_files() {
  static const EmbeddedFile files[] = {
${rows}  };
  return files;
}
} // namespace bz::rtc
")
