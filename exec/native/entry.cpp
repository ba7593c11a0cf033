#include "exec/native/entry.hpp"

// The registers that the ABI lets a function change, below a frame at a cache line. What rbx, rbp and r12 to r15 hold is kept by
// the function called.
asm(R"(
  .text

  .macro bz_keep_general name
  .p2align 4
  .hidden \name
  .globl \name
  .type \name,@function
\name:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  .endm

  .macro bz_give_general name
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  retq
  .size \name, .-\name
  .endm

  .macro bz_keeps_512 name, function
  bz_keep_general \name
  subq $2112, %rsp
  andq $-64, %rsp
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  vmovaps %zmm\n, 64*\n(%rsp)
  .endr
  .irp n, 0,1,2,3,4,5,6,7
  kmovq %k\n, 2048+8*\n(%rsp)
  .endr
  vzeroupper
  callq \function
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  vmovaps 64*\n(%rsp), %zmm\n
  .endr
  .irp n, 0,1,2,3,4,5,6,7
  kmovq 2048+8*\n(%rsp), %k\n
  .endr
  bz_give_general \name
  .endm

  .macro bz_keeps_256 name, function
  bz_keep_general \name
  subq $512, %rsp
  andq $-64, %rsp
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  vmovaps %ymm\n, 32*\n(%rsp)
  .endr
  vzeroupper
  callq \function
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  vmovaps 32*\n(%rsp), %ymm\n
  .endr
  bz_give_general \name
  .endm

  bz_keeps_512 bz_native_outcall_512, bz_native_outcall
  bz_keeps_256 bz_native_outcall_256, bz_native_outcall
  bz_keeps_512 bz_native_turn_512, bz_native_turn
  bz_keeps_256 bz_native_turn_256, bz_native_turn
)");
