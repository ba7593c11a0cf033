// A kernel whose descriptor and metadata are stated number by number, so that the tests can state them too.
        .amdgcn_target TARGET
        .text
        .globl facts
        .p2align 8
        .type facts,@function
facts:
        s_endpgm
        .size facts, .-facts

        .rodata
        .p2align 6
        .amdhsa_kernel facts
          .amdhsa_group_segment_fixed_size 1536
          .amdhsa_private_segment_fixed_size 48
          .amdhsa_kernarg_size 96
          .amdhsa_next_free_vgpr 45
          .amdhsa_next_free_sgpr 50
          .amdhsa_reserve_vcc 1
#ifdef ACCUM_OFFSET
          .amdhsa_accum_offset 28
          .amdhsa_tg_split 1
#endif
#ifndef ARCHITECTED_FLAT_SCRATCH
          .amdhsa_user_sgpr_private_segment_buffer 1
          .amdhsa_user_sgpr_flat_scratch_init 1
          .amdhsa_system_sgpr_private_segment_wavefront_offset 1
#else
          .amdhsa_enable_private_segment 1
#endif
          .amdhsa_user_sgpr_dispatch_ptr 1
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_user_sgpr_dispatch_id 1
          .amdhsa_user_sgpr_private_segment_size 1
#ifdef PRELOAD
          .amdhsa_user_sgpr_kernarg_preload_length 3
          .amdhsa_user_sgpr_kernarg_preload_offset 2
#endif
          .amdhsa_system_sgpr_workgroup_id_x 1
          .amdhsa_system_sgpr_workgroup_id_y 0
          .amdhsa_system_sgpr_workgroup_id_z 1
          .amdhsa_system_vgpr_workitem_id 2
          .amdhsa_float_round_mode_32 1
          .amdhsa_float_round_mode_16_64 3
          .amdhsa_float_denorm_mode_32 2
          .amdhsa_float_denorm_mode_16_64 3
          .amdhsa_dx10_clamp 0
          .amdhsa_ieee_mode 1
          .amdhsa_fp16_overflow 1
          .amdhsa_exception_fp_ieee_div_zero 1
          .amdhsa_exception_int_div_zero 1
          .amdhsa_uses_dynamic_stack 1
        .end_amdhsa_kernel

        .data
        .globl counter
        .type counter,@object
        .p2align 3
counter:
        .quad 5
        .size counter, 8
// External symbols: what the loader's resolver has to find.
        .globl pointers
        .type pointers,@object
pointers:
        .quad outside + 16           // R_AMDGPU_ABS64
        .quad maybe                  // weak: 0 when nobody defines it
        .quad counter                // R_AMDGPU_ABS64 against an own symbol
        .quad 0x1122334455667788     // patched by nobody
        .size pointers, 32
        .weak maybe

        .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: TARGET
amdhsa.printf:
  - '1:2:4:8:x = %d, y = %f\n'
  - '7:0:plain: text'
amdhsa.kernels:
  - .name: facts
    .symbol: facts.kd
    .kind: init
    .language: OpenCL C
    .language_version: [ 2, 0 ]
    .reqd_workgroup_size: [ 64, 2, 1 ]
    .workgroup_size_hint: [ 32, 4, 2 ]
    .vec_type_hint: float4
    .device_enqueue_symbol: facts.enqueue
    .kernarg_segment_size: 96
    .kernarg_segment_align: 16
    .group_segment_fixed_size: 1536
    .private_segment_fixed_size: 48
    .wavefront_size: 64
    .sgpr_count: 56
    .vgpr_count: 45
    .agpr_count: 17
    .sgpr_spill_count: 3
    .vgpr_spill_count: 4
    .max_flat_workgroup_size: 512
    .max_num_work_groups_x: 11
    .uses_dynamic_stack: true
    .uniform_work_group_size: 1
    .args:
      - .name: value
        .type_name: int4
        .offset: 0
        .size: 16
        .value_kind: by_value
      - .name: data
        .offset: 16
        .size: 8
        .value_kind: global_buffer
        .address_space: global
        .access: read_only
        .actual_access: read_write
        .is_const: true
        .is_restrict: true
        .is_volatile: true
      - .offset: 24
        .size: 4
        .value_kind: dynamic_shared_pointer
        .address_space: local
        .pointee_align: 16
      - .offset: 32
        .size: 8
        .value_kind: image
        .access: write_only
      - .offset: 40
        .size: 8
        .value_kind: sampler
      - .offset: 48
        .size: 8
        .value_kind: pipe
        .is_pipe: true
      - .offset: 56
        .size: 8
        .value_kind: queue
      - .offset: 64
        .size: 4
        .value_kind: hidden_block_count_x
      - .offset: 68
        .size: 2
        .value_kind: hidden_group_size_x
      - .offset: 72
        .size: 8
        .value_kind: hidden_hostcall_buffer
      - .offset: 80
        .size: 8
        .value_kind: hidden_queue_ptr
...
        .end_amdgpu_metadata
