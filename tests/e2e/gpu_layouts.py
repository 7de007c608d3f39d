"""Where the fields of records of GPU drivers lie, written down for kernels 6.1
(6.1.192) and 7.3 (7.3.4) on x86-64.

"KERNEL SYSTEM EVENT..." begins events that are laid out alike. FIELD@OFFSET:TYPE
follow, and /SIZE of what is fixed. Types: I 32 bits, Q 64, H 16, B 8, i and q
signed, c a letter, ? 0 or 1, s a text and v a list of 64-bit numbers whose place
is told by 32 bits at the offset; a number before the type: so many of it, one
after another."""

KERNELS = {'6.1.192': '6.1', '7.3.4': '7.3'}
TEXT = '''
both amdgpu amdgpu_bo_create
    bo@8:Q pages@16:I type@20:I prefer@24:I allow@28:I visible@32:I /40
both amdgpu amdgpu_bo_list_set
    list@8:Q bo@16:Q bo_size@24:Q /32
both amdgpu amdgpu_bo_move
    bo@8:Q bo_size@16:Q new_placement@24:I old_placement@28:I /32
7.3 amdgpu amdgpu_cleaner_shader
    ring@8:s seqno@16:Q /24
both amdgpu amdgpu_cs
    bo_list@8:Q ring@16:I dw@20:I fences@24:I /32
both amdgpu amdgpu_cs_bo_status
    total_bo@8:Q total_size@16:Q /24
6.1 amdgpu amdgpu_cs_ioctl
    sched_job_id@8:Q timeline@16:s context@20:I seqno@24:I fence@32:Q
    ring@40:s num_ibs@44:I /48
7.3 amdgpu amdgpu_cs_ioctl
    timeline@8:s context@16:Q seqno@24:Q fence@32:Q ring@40:s num_ibs@44:I /48
both amdgpu amdgpu_device_rreg amdgpu_device_wreg
    did@8:I reg@12:I value@16:I /20
6.1 amdgpu amdgpu_ib_pipe_sync
    ring@8:s id@16:Q fence@24:Q ctx@32:Q seqno@40:I /48
7.3 amdgpu amdgpu_ib_pipe_sync
    ring@8:s fence@16:Q ctx@24:Q seqno@32:Q /40
7.3 amdgpu amdgpu_isolation
    prev@8:Q next@16:Q /24
both amdgpu amdgpu_iv
    ih@8:I client_id@12:I src_id@16:I ring_id@20:I vmid@24:I vmid_src@28:I
    timestamp@32:Q timestamp_src@40:I pasid@44:I src_data@48:4I /64
both amdgpu amdgpu_pasid_allocated amdgpu_pasid_freed
    pasid@8:I /12
both amdgpu amdgpu_reset_reg_dumps
    address@8:I value@12:I /16
6.1 amdgpu amdgpu_sched_run_job
    sched_job_id@8:Q timeline@16:s context@20:I seqno@24:I ring@28:s
    num_ibs@32:I /40
7.3 amdgpu amdgpu_sched_run_job
    timeline@8:s context@16:Q seqno@24:Q ring@32:s num_ibs@36:I /40
7.3 amdgpu amdgpu_userq_create_end amdgpu_userq_destroy_end
    queue@8:Q doorbell_index@16:Q queue_type@24:i state@28:i xcp_id@32:I
    result@36:i /40
7.3 amdgpu amdgpu_userq_create_start amdgpu_userq_destroy_start
    queue@8:Q doorbell_index@16:Q queue_type@24:i state@28:i xcp_id@32:I /40
7.3 amdgpu amdgpu_userq_emit_fence
    fence_context@8:Q fence_seqno@16:Q dev@24:s doorbell_index@32:Q
    client_id@40:Q queue_type@48:I /56
7.3 amdgpu amdgpu_userq_state_changed
    doorbell_index@8:Q client_id@16:Q queue_type@24:I to@28:I /32
7.3 amdgpu amdgpu_userq_state_start
    doorbell_index@8:Q client_id@16:Q queue_type@24:I from@28:I /32
7.3 amdgpu amdgpu_userq_wait_deps
    context@8:Q dep_context@16:Q dep_seqno@24:Q dev@32:s doorbell_index@40:Q
    client_id@48:Q queue_type@56:I /64
both amdgpu amdgpu_vm_bo_cs amdgpu_vm_bo_mapping amdgpu_vm_bo_update
    soffset@8:Q eoffset@16:Q flags@24:Q /32
both amdgpu amdgpu_vm_bo_map amdgpu_vm_bo_unmap
    bo@8:Q start@16:q last@24:q offset@32:Q flags@40:Q /48
both amdgpu amdgpu_vm_copy_ptes
    pe@8:Q src@16:Q count@24:I immediate@28:? /32
both amdgpu amdgpu_vm_flush
    ring@8:s vmid@12:I vm_hub@16:I pd_addr@24:Q /32
both amdgpu amdgpu_vm_grab_id
    pasid@8:I ring@12:s ring@16:I vmid@20:I vm_hub@24:I pd_addr@32:Q
    needs_flush@40:I /48
both amdgpu amdgpu_vm_set_ptes
    pe@8:Q addr@16:Q count@24:I incr@28:I flags@32:Q immediate@40:? /48
both amdgpu amdgpu_vm_update_ptes
    start@8:Q end@16:Q flags@24:Q nptes@32:I incr@40:Q pid@48:i vm_ctx@56:Q
    dst@64:v /72
both amdgpu_dm amdgpu_dm_atomic_check_begin amdgpu_dm_atomic_commit_tail_begin
  amdgpu_dm_atomic_commit_tail_finish amdgpu_dm_atomic_state_template
    state@8:Q allow_modeset@16:? legacy_cursor_update@17:? async_update@18:?
    duplicated@19:? num_connector@20:i num_private_objs@24:i /32
both amdgpu_dm amdgpu_dm_atomic_check_finish
    state@8:Q res@16:i async_update@20:? allow_modeset@21:? /24
both amdgpu_dm amdgpu_dm_atomic_update_cursor amdgpu_dm_plane_atomic_check
    plane_id@8:I plane_type@12:I plane_state@16:Q state@24:Q crtc_id@32:I
    fb_id@36:I fb_format@40:I fb_planes@44:B fb_modifier@48:Q fence@56:Q
    crtc_x@64:i crtc_y@68:i crtc_w@72:I crtc_h@76:I src_x@80:I src_y@84:I
    src_w@88:I src_h@92:I alpha@96:I pixel_blend_mode@100:I rotation@104:I
    zpos@108:I normalized_zpos@112:I color_encoding@116:I color_range@120:I
    visible@124:? /128
7.3 amdgpu_dm amdgpu_dm_brightness
    function@8:Q user_brightness@16:I converted_brightness@20:I aux@24:?
    ac@25:? /32
both amdgpu_dm amdgpu_dm_connector_atomic_check
    conn_id@8:I conn_state@16:Q state@24:Q commit@32:Q crtc_id@40:I
    best_encoder_id@44:I link_status@48:I self_refresh_aware@52:?
    picture_aspect_ratio@56:I content_type@60:I hdcp_content_type@64:I
    content_protection@68:I scaling_mode@72:I colorspace@76:I
    max_requested_bpc@80:B max_bpc@81:B /88
both amdgpu_dm amdgpu_dm_crtc_atomic_check
    state@8:Q crtc_state@16:Q commit@24:Q crtc_id@32:I enable@36:? active@37:?
    planes_changed@38:? mode_changed@39:? active_changed@40:?
    connectors_changed@41:? zpos_changed@42:? color_mgmt_changed@43:?
    no_vblank@44:? async_flip@45:? vrr_enabled@46:? self_refresh_active@47:?
    plane_mask@48:I connector_mask@52:I encoder_mask@56:I /64
both amdgpu_dm amdgpu_dm_dc_clocks_state
    dispclk_khz@8:i dppclk_khz@12:i disp_dpp_voltage_level_khz@16:i
    dcfclk_khz@20:i socclk_khz@24:i dcfclk_deep_sleep_khz@28:i fclk_khz@32:i
    phyclk_khz@36:i dramclk_khz@40:i p_state_change_support@44:i
    prev_p_state_change_support@48:i pwr_state@52:i dtm_level@56:i
    max_supported_dppclk_khz@60:i max_supported_dispclk_khz@64:i
    bw_dppclk_khz@68:i bw_dispclk_khz@72:i /76
both amdgpu_dm amdgpu_dm_dc_pipe_state
    pipe_idx@8:i stream@16:Q stream_w@24:i stream_h@28:i dst_x@32:i dst_y@36:i
    dst_w@40:i dst_h@44:i src_x@48:i src_y@52:i src_w@56:i src_h@60:i
    clip_x@64:i clip_y@68:i clip_w@72:i clip_h@76:i recout_x@80:i
    recout_y@84:i recout_w@88:i recout_h@92:i viewport_x@96:i viewport_y@100:i
    viewport_w@104:i viewport_h@108:i flip_immediate@112:i surface_pitch@116:i
    format@120:i swizzle@124:i update_flags@128:I /136
both amdgpu_dm amdgpu_dm_dce_clocks_state
    cpuc_state_change_enable@8:? cpup_state_change_enable@9:?
    stutter_mode_enable@10:? nbp_state_change_enable@11:?
    all_displays_in_sync@12:? sclk_khz@16:i sclk_deep_sleep_khz@20:i
    yclk_khz@24:i dispclk_khz@28:i blackout_recovery_time_us@32:i /36
7.3 amdgpu_dm amdgpu_dm_ism_commit
    active_vblank_irq_count@8:i vblank_enabled@12:? allow_panel_sso@13:? /16
7.3 amdgpu_dm amdgpu_dm_ism_event
    crtc_id@8:i prev_state@12:s curr_state@16:s event@20:s /24
both amdgpu_dm amdgpu_refresh_rate_track
    crtc_index@8:i refresh_rate_ns@16:q refresh_rate_hz@24:I /32
both dma_fence dma_fence_destroy dma_fence_emit dma_fence_enable_signal
  dma_fence_init dma_fence_signaled dma_fence_wait_end dma_fence_wait_start
    driver@8:s timeline@12:s context@16:I seqno@20:I /24
both drm drm_vblank_event
    crtc@8:i seq@12:I time@16:q high_prec@24:? /32
both drm drm_vblank_event_delivered drm_vblank_event_queued
    file@8:Q crtc@16:i seq@20:I /24
6.1 gpu_scheduler drm_run_job drm_sched_job
    entity@8:Q fence@16:Q name@24:s id@32:Q job_count@40:I hw_job_count@44:i
    /48
7.3 gpu_scheduler drm_sched_job_add_dep drm_sched_job_unschedulable
    fence_context@8:Q fence_seqno@16:Q ctx@24:Q seqno@32:Q /40
7.3 gpu_scheduler drm_sched_job_done
    fence_context@8:Q fence_seqno@16:Q /24
7.3 gpu_scheduler drm_sched_job_queue drm_sched_job_run
    name@8:s job_count@12:I hw_job_count@16:i dev@20:s fence_context@24:Q
    fence_seqno@32:Q client_id@40:Q /48
6.1 gpu_scheduler drm_sched_job_wait_dep
    name@8:s id@16:Q fence@24:Q ctx@32:Q seqno@40:I /48
6.1 gpu_scheduler drm_sched_process_job
    fence@8:Q /16
6.1 i915 g4x_wm
    pipe@8:i frame@12:I scanline@16:I primary@20:H sprite@22:H cursor@24:H
    sr_plane@26:H sr_cursor@28:H sr_fbc@30:H hpll_plane@32:H hpll_cursor@34:H
    hpll_fbc@36:H cxsr@38:? hpll@39:? fbc@40:? /44
7.3 i915 g4x_wm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I primary@24:H sprite@26:H
    cursor@28:H sr_plane@30:H sr_cursor@32:H sr_fbc@34:H hpll_plane@36:H
    hpll_cursor@38:H hpll_fbc@40:H cxsr@42:? hpll@43:? fbc@44:? /48
both i915 i915_context_create i915_context_free
    dev@8:I ctx@16:Q vm@24:Q /32
both i915 i915_gem_evict
    dev@8:I vm@16:Q size@24:Q align@32:Q flags@40:I /48
both i915 i915_gem_evict_node
    dev@8:I vm@16:Q start@24:Q size@32:Q color@40:Q flags@48:I /56
both i915 i915_gem_evict_vm
    dev@8:I vm@16:Q /24
both i915 i915_gem_object_clflush i915_gem_object_destroy
    obj@8:Q /16
both i915 i915_gem_object_create
    obj@8:Q size@16:Q /24
both i915 i915_gem_object_fault
    obj@8:Q index@16:Q gtt@24:? write@25:? /32
both i915 i915_gem_object_pread i915_gem_object_pwrite
    obj@8:Q offset@16:Q len@24:Q /32
both i915 i915_gem_shrink
    dev@8:i target@16:Q flags@24:I /32
both i915 i915_ppgtt_create i915_ppgtt_release
    vm@8:Q dev@16:I /24
both i915 i915_reg_rw
    val@8:Q reg@16:I write@20:H len@22:H /24
both i915 i915_request_add i915_request_retire i915_request_wait_end
    dev@8:I ctx@16:Q class@24:H instance@26:H seqno@28:I tail@32:I /40
both i915 i915_request_queue i915_request_wait_begin
    dev@8:I ctx@16:Q class@24:H instance@26:H seqno@28:I flags@32:I /40
both i915 i915_vma_bind
    obj@8:Q vm@16:Q offset@24:Q size@32:Q flags@40:I /48
both i915 i915_vma_unbind
    obj@8:Q vm@16:Q offset@24:Q size@32:Q /40
6.1 i915 intel_cpu_fifo_underrun intel_crtc_vblank_work_end
  intel_crtc_vblank_work_start intel_fbc_activate intel_fbc_deactivate
  intel_fbc_nuke intel_pch_fifo_underrun intel_pipe_update_end
    pipe@8:i frame@12:I scanline@16:I /20
7.3 i915 intel_cpu_fifo_underrun intel_crtc_flip_done
  intel_crtc_vblank_work_end intel_crtc_vblank_work_start
  intel_pch_fifo_underrun intel_pipe_update_end
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I /24
7.3 i915 intel_fbc_activate intel_fbc_deactivate intel_fbc_nuke
    dev@8:s name@12:s pipe_name@16:c frame@20:I scanline@24:I /28
6.1 i915 intel_frontbuffer_flush intel_frontbuffer_invalidate
    frontbuffer_bits@8:I origin@12:I /16
7.3 i915 intel_frontbuffer_flush intel_frontbuffer_invalidate
    dev@8:s frontbuffer_bits@12:I origin@16:I /20
6.1 i915 intel_gpu_freq_change
    freq@8:I /12
6.1 i915 intel_memory_cxsr
    frame@8:3I scanline@20:3I old@32:? new@33:? /36
7.3 i915 intel_memory_cxsr
    dev@8:s frame@12:4I scanline@28:4I old@44:? new@45:? /48
6.1 i915 intel_pipe_crc
    pipe@8:i frame@12:I scanline@16:I crcs@20:5I /40
7.3 i915 intel_pipe_crc
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I crcs@24:5I /44
6.1 i915 intel_pipe_disable intel_pipe_enable
    frame@8:3I scanline@20:3I pipe@32:i /36
7.3 i915 intel_pipe_disable intel_pipe_enable
    dev@8:s frame@12:4I scanline@28:4I pipe_name@44:c /48
7.3 i915 intel_pipe_scaler_update_arm
    dev@8:s pipe_name@12:c scaler_id@16:i frame@20:I scanline@24:I x@28:i
    y@32:i w@36:i h@40:i /44
6.1 i915 intel_pipe_update_start intel_pipe_update_vblank_evaded
    pipe@8:i frame@12:I scanline@16:I min@20:I max@24:I /28
7.3 i915 intel_pipe_update_start intel_pipe_update_vblank_evaded
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I min@24:I max@28:I /32
7.3 i915 intel_plane_async_flip
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I async_flip@24:? name@28:s
    /32
6.1 i915 intel_plane_disable_arm
    pipe@8:i frame@12:I scanline@16:I name@20:s /24
7.3 i915 intel_plane_disable_arm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I name@24:s /28
7.3 i915 intel_plane_scaler_update_arm
    dev@8:s pipe_name@12:c scaler_id@16:i frame@20:I scanline@24:I x@28:i
    y@32:i w@36:i h@40:i name@44:s /48
6.1 i915 intel_plane_update_arm intel_plane_update_noarm
    pipe@8:i frame@12:I scanline@16:I src@20:4i dst@36:4i name@52:s /56
7.3 i915 intel_plane_update_arm intel_plane_update_noarm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I format@24:I src@28:4i
    dst@44:4i name@60:s /64
7.3 i915 intel_scaler_disable_arm
    dev@8:s pipe_name@12:c scaler_id@16:i frame@20:I scanline@24:I /28
6.1 i915 vlv_fifo_size
    pipe@8:i frame@12:I scanline@16:I sprite0_start@20:I sprite1_start@24:I
    fifo_size@28:I /32
7.3 i915 vlv_fifo_size
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I sprite0_start@24:I
    sprite1_start@28:I fifo_size@32:I /36
6.1 i915 vlv_wm
    pipe@8:i frame@12:I scanline@16:I level@20:I cxsr@24:I primary@28:I
    sprite0@32:I sprite1@36:I cursor@40:I sr_plane@44:I sr_cursor@48:I /52
7.3 i915 vlv_wm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I level@24:I cxsr@28:I
    primary@32:I sprite0@36:I sprite1@40:I cursor@44:I sr_plane@48:I
    sr_cursor@52:I /56
both radeon radeon_bo_create
    bo@8:Q pages@16:I /24
both radeon radeon_cs
    ring@8:I dw@12:I fences@16:I /20
both radeon radeon_fence_emit radeon_fence_wait_begin radeon_fence_wait_end
    dev@8:I ring@12:i seqno@16:I /20
both radeon radeon_semaphore_signale radeon_semaphore_wait
    ring@8:i waiters@12:i gpu_addr@16:Q /24
both radeon radeon_vm_bo_update
    soffset@8:Q eoffset@16:Q flags@24:I /32
both radeon radeon_vm_flush
    pd_addr@8:Q ring@16:I id@20:I /24
both radeon radeon_vm_grab_id
    vmid@8:I ring@12:I /16
both radeon radeon_vm_set_page
    pe@8:Q addr@16:Q count@24:I incr@28:I flags@32:I /40
6.1 virtio_gpu virtio_gpu_cmd_queue virtio_gpu_cmd_response
    dev@8:i vq@12:I name@16:Q type@24:I flags@28:I fence_id@32:Q ctx_id@40:I
    /48
7.3 virtio_gpu virtio_gpu_cmd_queue virtio_gpu_cmd_response
    dev@8:i vq@12:I name@16:s type@20:I flags@24:I fence_id@32:Q ctx_id@40:I
    num_free@44:I seqno@48:I /56
7.3 xe g4x_wm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I primary@24:H sprite@26:H
    cursor@28:H sr_plane@30:H sr_cursor@32:H sr_fbc@34:H hpll_plane@36:H
    hpll_cursor@38:H hpll_fbc@40:H cxsr@42:? hpll@43:? fbc@44:? /48
7.3 xe intel_cpu_fifo_underrun intel_crtc_flip_done intel_crtc_vblank_work_end
  intel_crtc_vblank_work_start intel_pch_fifo_underrun intel_pipe_update_end
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I /24
7.3 xe intel_fbc_activate intel_fbc_deactivate intel_fbc_nuke
    dev@8:s name@12:s pipe_name@16:c frame@20:I scanline@24:I /28
7.3 xe intel_frontbuffer_flush intel_frontbuffer_invalidate
    dev@8:s frontbuffer_bits@12:I origin@16:I /20
7.3 xe intel_memory_cxsr
    dev@8:s frame@12:4I scanline@28:4I old@44:? new@45:? /48
7.3 xe intel_pipe_crc
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I crcs@24:5I /44
7.3 xe intel_pipe_disable intel_pipe_enable
    dev@8:s frame@12:4I scanline@28:4I pipe_name@44:c /48
7.3 xe intel_pipe_scaler_update_arm
    dev@8:s pipe_name@12:c scaler_id@16:i frame@20:I scanline@24:I x@28:i
    y@32:i w@36:i h@40:i /44
7.3 xe intel_pipe_update_start intel_pipe_update_vblank_evaded
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I min@24:I max@28:I /32
7.3 xe intel_plane_async_flip
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I async_flip@24:? name@28:s
    /32
7.3 xe intel_plane_disable_arm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I name@24:s /28
7.3 xe intel_plane_scaler_update_arm
    dev@8:s pipe_name@12:c scaler_id@16:i frame@20:I scanline@24:I x@28:i
    y@32:i w@36:i h@40:i name@44:s /48
7.3 xe intel_plane_update_arm intel_plane_update_noarm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I format@24:I src@28:4i
    dst@44:4i name@60:s /64
7.3 xe intel_scaler_disable_arm
    dev@8:s pipe_name@12:c scaler_id@16:i frame@20:I scanline@24:I /28
7.3 xe vlv_fifo_size
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I sprite0_start@24:I
    sprite1_start@28:I fifo_size@32:I /36
7.3 xe vlv_wm
    dev@8:s pipe_name@12:c frame@16:I scanline@20:I level@24:I cxsr@28:I
    primary@32:I sprite0@36:I sprite1@40:I cursor@44:I sr_plane@48:I
    sr_cursor@52:I /56
7.3 xe xe_bo_cpu_fault xe_bo_create xe_bo_validate
    dev@8:s size@16:Q flags@24:I vm@32:Q /40
7.3 xe xe_bo_move
    bo@8:Q size@16:Q new_placement_name@24:s old_placement_name@28:s
    device_id@32:s move_lacks_source@36:? /40
7.3 xe xe_eu_stall_data_read
    slice@8:B subslice@9:B read_ptr@12:I write_ptr@16:I read_size@24:Q
    total_size@32:Q /40
7.3 xe xe_exec_queue_cgp_context_error xe_exec_queue_cleanup_entity
  xe_exec_queue_close xe_exec_queue_create xe_exec_queue_deregister
  xe_exec_queue_deregister_done xe_exec_queue_destroy xe_exec_queue_kill
  xe_exec_queue_memory_cat_error xe_exec_queue_register xe_exec_queue_reset
  xe_exec_queue_resubmit xe_exec_queue_scheduling_disable
  xe_exec_queue_scheduling_done xe_exec_queue_scheduling_enable
  xe_exec_queue_stop xe_exec_queue_submit xe_exec_queue_supress_resume
  xe_guc_uncorrectable_error
    dev@8:s class@12:I logical_mask@16:I gt_id@20:B width@22:H guc_id@24:H
    guc_state@28:I flags@32:I /36
7.3 xe xe_exec_queue_create_multi_queue
    dev@8:s class@12:I logical_mask@16:I gt_id@20:B width@22:H guc_id@24:I
    guc_state@28:I flags@32:I primary@36:I /40
7.3 xe xe_exec_queue_reach_max_job_count
    dev@8:s class@12:I logical_mask@16:I guc_id@20:H max_cnt@24:i /28
7.3 xe xe_guc_ct_g2h_flow_control xe_guc_ct_h2g_flow_control
    dev@8:s _head@12:I _tail@16:I size@20:I space@24:I len@28:I /32
7.3 xe xe_guc_ctb_g2h xe_guc_ctb_h2g
    dev@8:s gt_id@12:B action@16:I len@20:I tail@24:I _head@28:I /32
7.3 xe xe_guc_engine_activity
    dev@8:s name@12:s global_change_num@16:I guc_tsc_frequency_hz@20:I
    lag_latency_usec@24:I instance@28:H change_num@30:H quanta_ratio@32:H
    last_update_tick@36:I active_ticks@40:Q active@48:Q total@56:Q quanta@64:Q
    last_cpu_ts@72:Q /80
7.3 xe xe_hw_fence_create xe_hw_fence_signal xe_hw_fence_try_signal
    dev@8:s ctx@16:Q seqno@24:I fence@32:Q /40
7.3 xe xe_lrc_update_queue_timestamp
    lrc@8:Q primary_lrc@16:Q old@24:Q new@32:Q name@40:s device_id@44:s /48
7.3 xe xe_lrc_update_timestamp
    lrc@8:Q old@16:Q new@24:Q name@32:s device_id@36:s /40
7.3 xe xe_pm_resume xe_pm_runtime_get xe_pm_runtime_get_ioctl
  xe_pm_runtime_put xe_pm_runtime_resume xe_pm_runtime_suspend xe_pm_suspend
    dev@8:s caller@16:Q /24
7.3 xe xe_reg_rw
    dev@8:s val@16:Q reg@24:I write@28:H len@30:H /32
7.3 xe xe_sched_job_ban xe_sched_job_create xe_sched_job_exec
  xe_sched_job_free xe_sched_job_run xe_sched_job_set_error
  xe_sched_job_timedout
    dev@8:s seqno@12:I lrc_seqno@16:I gt_id@20:B guc_id@22:H guc_state@24:I
    flags@28:I error@32:i fence@40:Q batch_addr@48:Q /56
7.3 xe xe_sched_msg_add xe_sched_msg_recv
    dev@8:s opcode@12:I guc_id@16:H gt_id@18:B /20
7.3 xe xe_tlb_inval_fence_recv xe_tlb_inval_fence_send
  xe_tlb_inval_fence_signal xe_tlb_inval_fence_timeout
    dev@8:s fence@16:Q seqno@24:i /32
7.3 xe xe_vm_cpu_bind xe_vm_create xe_vm_free xe_vm_kill xe_vm_ops_fail
  xe_vm_rebind_worker_enter xe_vm_rebind_worker_exit xe_vm_rebind_worker_retry
  xe_vm_restart
    dev@8:s vm@16:Q asid@24:I flags@28:I /32
7.3 xe xe_vma_acc xe_vma_bind xe_vma_evict xe_vma_flush xe_vma_invalidate
  xe_vma_pagefault xe_vma_pf_bind xe_vma_rebind_exec xe_vma_rebind_worker
  xe_vma_unbind xe_vma_userptr_invalidate xe_vma_userptr_invalidate_complete
  xe_vma_userptr_rebind_exec xe_vma_userptr_rebind_worker
    dev@8:s vma@16:Q vm@24:Q asid@32:I start@40:Q end@48:Q ptr@56:Q /64
'''


def field(word):
    name, rest = word.split('@')
    offset, kind = rest.split(':')
    return name, int(offset), kind


def layouts_of(kernel):
    """By "SYSTEM:EVENT": a list of (field, offset, type), and the size."""
    found, head, fields = {}, [], []
    for word in TEXT.split():
        if '@' in word:
            fields.append(field(word))
        elif word[0] != '/':
            head.append(word)
        else:
            if head[0] in ('both', KERNELS[kernel]):
                for event in head[2:]:
                    found[f'{head[1]}:{event}'] = fields, int(word[1:])
            head, fields = [], []
    return found
