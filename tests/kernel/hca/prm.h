/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields of the device's command structures, as STRUCTURE__FIELD: bit offset, bit width (0: only the offset is
 * used).  Bit 0 is the most significant bit of byte 0.  Numbers and names are those of mlx5_ifc.h of Linux.
 */
#ifndef PRM_H
#define PRM_H
#define query_issi_out__current_issi 0x50, 16
#define query_issi_out__supported_issi_dw0 0x360, 32
#define set_issi_in__current_issi 0x50, 16
#define query_pages_out__num_pages 0x60, 32
#define query_vuid_in__data_direct 0x61, 1
#define query_vuid_out__num_of_entries 0x1f0, 16
#define query_vuid_out__vuid 0x200, 0
#define query_adapter_param_block__ieee_vendor_id 0xc8, 24
#define query_adapter_param_block__vsd_contd_psid 0x780, 128
#define access_register_in__register_id 0x50, 16
#define access_register_in__register_data 0x80, 0
#define create_eq_in__eq_context_entry 0x80, 512
#define create_eq_in__event_bitmask 0x2c0, 256
#define create_eq_in__pas 0x880, 0
#define create_eq_out__eq_number 0x58, 8
#define destroy_eq_in__eq_number 0x58, 8
#define eqc__log_eq_size 0x63, 5
#define eqc__intr 0xb4, 12
#define eqc__log_page_size 0xc3, 5
#define create_cq_in__cq_context 0x80, 512
#define create_cq_in__cq_umem_valid 0x2e0, 1
#define create_cq_in__pas 0x880, 0
#define create_cq_out__cqn 0x48, 24
#define destroy_cq_in__cqn 0x48, 24
#define query_cq_out__cq_context 0x80, 512
#define cqc__cqe_sz 0x8, 3
#define cqc__log_cq_size 0x63, 5
#define cqc__c_eqn_or_apu_element 0xa0, 32
#define cqc__log_page_size 0xc3, 5
#define cqc__page_offset 0x54, 6
#define cqc__dbr_addr 0x1c0, 64
#define create_qp_in__qpc 0xc0, 1856
#define create_qp_in__wq_umem_valid 0x860, 1
#define create_qp_in__pas 0x880, 0
#define create_qp_out__qpn 0x48, 24
#define destroy_qp_in__qpn 0x48, 24
#define rst2init_qp_in__qpn 0x48, 24
#define rst2init_qp_in__opt_param_mask 0x80, 32
#define rst2init_qp_in__qpc 0xc0, 1856
#define page_fault_resume_in__error 0x40, 1
#define page_fault_resume_in__token 0x68, 24
#define query_qp_in__qpn 0x48, 24
#define query_qp_out__qpc 0xc0, 1856
#define qpc__state 0x0, 4
#define qpc__st 0x8, 8
#define qpc__pd 0x28, 24
#define qpc__log_page_size 0xa3, 5
#define qpc__page_offset 0x494, 6
#define qpc__log_rq_size 0x49, 4
#define qpc__log_rq_stride 0x4d, 3
#define qpc__no_sq 0x50, 1
#define qpc__log_sq_size 0x51, 4
#define qpc__user_index 0x88, 24
#define qpc__remote_qpn 0xa8, 24
#define qpc__rnr_retry 0x390, 3
#define qpc__rre 0x490, 1
#define qpc__rwe 0x491, 1
#define qpc__rae 0x492, 1
#define qpc__cqn_rcv 0x4e8, 24
#define qpc__cqn_snd 0x3e8, 24
#define qpc__dbr_addr 0x500, 64
#define qpc__rq_type 0x565, 3
#define create_mkey_in__mkey_umem_valid 0x61, 1
#define create_mkey_in__data_direct 0x62, 1
#define create_mkey_in__memory_key_mkey_entry 0x80, 512
#define create_mkey_in__translations_octword_actual_size 0x300, 32
#define create_mkey_in__klm_pas_mtt 0x880, 0
#define create_mkey_out__mkey_index 0x48, 24
#define query_mkey_in__mkey_index 0x48, 24
#define query_mkey_out__memory_key_mkey_entry 0x80, 512
#define query_mkey_out__bsf0_klm0_pas_mtt0_1 0x880, 128
#define destroy_mkey_in__mkey_index 0x48, 24
#define cmd_hca_cap__crossing_vhca_mkey 0x5b2, 1
#define cmd_hca_cap__data_direct 0x752, 1
#define cmd_hca_cap_2__query_vuid 0x92, 1
#define device_mem_cap__memic 0x0, 1
#define device_mem_cap__log_min_memic_alloc_size 0x2b, 5
#define device_mem_cap__log_max_memic_addr_alignment 0x38, 8
#define device_mem_cap__memic_bar_start_addr 0x40, 64
#define device_mem_cap__memic_bar_size 0x80, 32
#define device_mem_cap__max_memic_size 0xa0, 32
#define alloc_memic_in__log_memic_addr_alignment 0x78, 8
#define alloc_memic_in__range_start_addr 0x80, 64
#define alloc_memic_in__range_size 0xc0, 32
#define alloc_memic_in__memic_size 0xe0, 32
#define alloc_memic_out__memic_start_addr 0x40, 64
#define dealloc_memic_in__memic_start_addr 0x80, 64
#define dealloc_memic_in__memic_size 0xc0, 32
#define mkc__free 0x1, 1
#define mkc__access_mode_4_2 0x3, 3
#define mkc__relaxed_ordering_write 0xd, 1
#define mkc__umr_en 0x10, 1
#define mkc__a 0x11, 1
#define mkc__rw 0x12, 1
#define mkc__rr 0x13, 1
#define mkc__lw 0x14, 1
#define mkc__lr 0x15, 1
#define mkc__access_mode_1_0 0x16, 2
#define mkc__qpn 0x20, 24
#define mkc__mkey_7_0 0x38, 8
#define mkc__length64 0x60, 1
#define mkc__bsf_en 0x61, 1
#define mkc__en_rinval 0x67, 1
#define mkc__pd 0x68, 24
#define mkc__start_addr 0x80, 64
#define mkc__len 0xc0, 64
#define mkc__translations_octword_size 0x1a0, 32
#define mkc__relaxed_ordering_read 0x1d9, 1
#define mkc__log_page_size 0x1da, 6
#define create_umem_in__umem 0x80, 256
#define umem__ats 0x80, 1
#define umem__log_page_size 0x9b, 5
#define umem__page_offset 0xa0, 32
#define umem__num_of_mtt 0xc0, 64
#define umem__mtt 0x100, 0
#define create_umem_out__umem_id 0x48, 24
#define destroy_umem_in__umem_id 0x48, 24
#define create_uctx_in__uctx 0x80, 384
#define uctx__cap 0x0, 32
#define create_uctx_out__uid 0x50, 16
#define destroy_uctx_in__uid 0x50, 16
#define query_special_contexts_out__dump_fill_mkey 0x40, 32
#define query_special_contexts_out__resd_lkey 0x60, 32
#define query_special_contexts_out__null_mkey 0x80, 32
#define query_special_contexts_out__terminate_scatter_list_mkey 0xa0, 32
#define hca_vport_context__port_physical_state 0x110, 4
#define hca_vport_context__port_state 0x118, 4
#define hca_vport_context__vport_state 0x11c, 4
#define hca_vport_context__system_image_guid 0x140, 64
#define hca_vport_context__port_guid 0x180, 64
#define hca_vport_context__node_guid 0x1c0, 64
#define hca_vport_context__cap_mask1 0x200, 32
#define hca_vport_context__lid 0x300, 16
#define hca_vport_context__sm_lid 0x320, 16
#define hca_vport_context__subnet_timeout 0x31b, 5
#define query_hca_vport_gid_in__gid_index 0x70, 16
#define query_hca_vport_gid_out__gids_num 0x60, 16
#define query_hca_vport_gid_out__gid 0x80, 0
#define query_hca_vport_pkey_in__pkey_index 0x70, 16
#define query_hca_vport_pkey_out__pkey 0x80, 0
#define query_vport_state_out__admin_state 0x78, 4
#define query_vport_state_out__state 0x7c, 4
#define ptys_reg__ib_link_width_capability 0x80, 16
#define ptys_reg__ib_proto_capability 0x90, 16
#define ptys_reg__ib_link_width_admin 0xe0, 16
#define ptys_reg__ib_proto_admin 0xf0, 16
#define ptys_reg__ib_link_width_oper 0x140, 16
#define ptys_reg__ib_proto_oper 0x150, 16
#define pmtu_reg__max_mtu 0x20, 16
#define pmtu_reg__admin_mtu 0x40, 16
#define pmtu_reg__oper_mtu 0x60, 16
#define pvlc_reg__vl_hw_cap 0x3c, 4
#define pvlc_reg__vl_admin 0x5c, 4
#define pvlc_reg__vl_operational 0x7c, 4
#define odp_cap__transport_page_fault_scheme_cap_rc_odp_caps 0x80, 32
#define odp_cap__transport_page_fault_scheme_cap_ud_odp_caps 0xc0, 32
#define atomic_caps__atomic_req_8B_endianness_mode 0x40, 2
#define atomic_caps__supported_atomic_req_8B_endianness_mode_1 0x46, 1
#define atomic_caps__atomic_operations 0x90, 16
#define atomic_caps__atomic_size_qp 0xb0, 16
#define atomic_caps__atomic_size_dc 0xd0, 16
#define cmd_hca_cap__hca_cap_2 0x20, 1
#define cmd_hca_cap__vhca_id 0x30, 16
#define cmd_hca_cap__log_max_srq_sz 0x80, 8
#define cmd_hca_cap__log_max_qp_sz 0x88, 8
#define cmd_hca_cap__log_max_qp 0x9b, 5
#define cmd_hca_cap__log_max_srq 0xab, 5
#define cmd_hca_cap__log_max_cq_sz 0xc8, 8
#define cmd_hca_cap__relaxed_ordering_write_umr 0xd0, 1
#define cmd_hca_cap__relaxed_ordering_read_umr 0xd1, 1
#define cmd_hca_cap__log_max_cq 0xdb, 5
#define cmd_hca_cap__log_max_eq_sz 0xe0, 8
#define cmd_hca_cap__relaxed_ordering_write 0xe8, 1
#define cmd_hca_cap__log_max_mkey 0xea, 6
#define cmd_hca_cap__log_max_eq 0xfc, 4
#define cmd_hca_cap__dump_fill_mkey 0xf8, 1
#define cmd_hca_cap__max_indirection 0x100, 8
#define cmd_hca_cap__fixed_buffer_size 0x108, 1
#define cmd_hca_cap__log_max_mrw_sz 0x109, 7
#define cmd_hca_cap__log_max_bsf_list_size 0x112, 6
#define cmd_hca_cap__umr_extended_translation_offset 0x118, 1
#define cmd_hca_cap__null_mkey 0x119, 1
#define cmd_hca_cap__log_max_klm_list_size 0x11a, 6
#define cmd_hca_cap__log_max_ra_req_qp 0x14a, 6
#define cmd_hca_cap__log_max_ra_res_qp 0x15a, 6
#define cmd_hca_cap__ib_virt 0x1a2, 1
#define cmd_hca_cap__device_memory 0x1a8, 1
#define cmd_hca_cap__local_ca_ack_delay 0x1ab, 5
#define cmd_hca_cap__port_type 0x1b6, 2
#define cmd_hca_cap__num_ports 0x1b8, 8
#define cmd_hca_cap__log_max_msg 0x1c3, 5
#define cmd_hca_cap__cqe_version 0x1fc, 4
#define cmd_hca_cap__umr_modify_entity_size_disabled 0x207, 1
#define cmd_hca_cap__umr_modify_atomic_disabled 0x208, 1
#define cmd_hca_cap__umr_indirect_mkey_disabled 0x209, 1
#define cmd_hca_cap__umr_fence 0x20a, 2
#define cmd_hca_cap__atomic 0x21e, 1
#define cmd_hca_cap__cq_oi 0x220, 1
#define cmd_hca_cap__cq_moderation 0x222, 1
#define cmd_hca_cap__pg 0x227, 1
#define cmd_hca_cap__block_lb_mc 0x228, 1
#define cmd_hca_cap__imaicl 0x231, 1
#define cmd_hca_cap__qkv 0x236, 1
#define cmd_hca_cap__pkv 0x237, 1
#define cmd_hca_cap__set_deth_sqpn 0x238, 1
#define cmd_hca_cap__xrc 0x23c, 1
#define cmd_hca_cap__ud 0x23d, 1
#define cmd_hca_cap__uc 0x23e, 1
#define cmd_hca_cap__rc 0x23f, 1
#define cmd_hca_cap__uar_sz 0x24a, 6
#define cmd_hca_cap__log_pg_sz 0x258, 8
#define cmd_hca_cap__bf 0x260, 1
#define cmd_hca_cap__driver_version 0x261, 1
#define cmd_hca_cap__log_bf_reg_size 0x26b, 5
#define cmd_hca_cap__max_wqe_sz_sq 0x290, 16
#define cmd_hca_cap__max_wqe_sz_rq 0x2b0, 16
#define cmd_hca_cap__log_max_mcg 0x318, 8
#define cmd_hca_cap__max_qp_mcg 0x2e7, 25
#define cmd_hca_cap__log_max_transport_domain 0x323, 5
#define cmd_hca_cap__relaxed_ordering_read 0x32a, 1
#define cmd_hca_cap__log_max_pd 0x32b, 5
#define cmd_hca_cap__log_max_xrcd 0x33b, 5
#define cmd_hca_cap__general_obj_types 0x400, 64
#define cmd_hca_cap__log_max_uctx 0x463, 5
#define cmd_hca_cap__log_max_umem 0x46b, 5
#define cmd_hca_cap__max_num_eqs 0x470, 16
#define cmd_hca_cap__device_frequency_mhz 0x4c0, 32
#define cmd_hca_cap__device_frequency_khz 0x4e0, 32
#define cmd_hca_cap__num_of_uars_per_page 0x520, 32
#define cmd_hca_cap__uctx_cap 0x6a0, 32
#define cmd_hca_cap__native_port_num 0x608, 8
#define cmd_hca_cap__max_sgl_for_optimized_performance 0xc0, 8
#define cmd_hca_cap__vport_counters 0x181, 1
#define create_mkey_in__mkey_umem_id 0x320, 32
#define create_mkey_in__mkey_umem_offset 0x340, 64

/* command opcodes */
#define OPCODES(X) \
	X(QUERY_HCA_CAP, 0x100) \
	X(QUERY_ADAPTER, 0x101) \
	X(INIT_HCA, 0x102) \
	X(TEARDOWN_HCA, 0x103) \
	X(ENABLE_HCA, 0x104) \
	X(DISABLE_HCA, 0x105) \
	X(QUERY_PAGES, 0x107) \
	X(MANAGE_PAGES, 0x108) \
	X(SET_HCA_CAP, 0x109) \
	X(QUERY_ISSI, 0x10a) \
	X(SET_ISSI, 0x10b) \
	X(SET_DRIVER_VERSION, 0x10d) \
	X(QUERY_SF_PARTITION, 0x111) \
	X(ALLOC_SF, 0x113) \
	X(DEALLOC_SF, 0x114) \
	X(SUSPEND_VHCA, 0x115) \
	X(RESUME_VHCA, 0x116) \
	X(QUERY_VHCA_MIGRATION_STATE, 0x117) \
	X(SAVE_VHCA_STATE, 0x118) \
	X(LOAD_VHCA_STATE, 0x119) \
	X(CREATE_MKEY, 0x200) \
	X(QUERY_MKEY, 0x201) \
	X(DESTROY_MKEY, 0x202) \
	X(QUERY_SPECIAL_CONTEXTS, 0x203) \
	X(PAGE_FAULT_RESUME, 0x204) \
	X(ALLOC_MEMIC, 0x205) \
	X(DEALLOC_MEMIC, 0x206) \
	X(MODIFY_MEMIC, 0x207) \
	X(CREATE_EQ, 0x301) \
	X(DESTROY_EQ, 0x302) \
	X(QUERY_EQ, 0x303) \
	X(GEN_EQE, 0x304) \
	X(CREATE_CQ, 0x400) \
	X(DESTROY_CQ, 0x401) \
	X(QUERY_CQ, 0x402) \
	X(MODIFY_CQ, 0x403) \
	X(CREATE_QP, 0x500) \
	X(DESTROY_QP, 0x501) \
	X(RST2INIT_QP, 0x502) \
	X(INIT2RTR_QP, 0x503) \
	X(RTR2RTS_QP, 0x504) \
	X(RTS2RTS_QP, 0x505) \
	X(SQERR2RTS_QP, 0x506) \
	X(2ERR_QP, 0x507) \
	X(2RST_QP, 0x50a) \
	X(QUERY_QP, 0x50b) \
	X(SQD_RTS_QP, 0x50c) \
	X(INIT2INIT_QP, 0x50e) \
	X(CREATE_PSV, 0x600) \
	X(DESTROY_PSV, 0x601) \
	X(CREATE_SRQ, 0x700) \
	X(DESTROY_SRQ, 0x701) \
	X(QUERY_SRQ, 0x702) \
	X(ARM_RQ, 0x703) \
	X(CREATE_XRC_SRQ, 0x705) \
	X(DESTROY_XRC_SRQ, 0x706) \
	X(QUERY_XRC_SRQ, 0x707) \
	X(ARM_XRC_SRQ, 0x708) \
	X(CREATE_DCT, 0x710) \
	X(DESTROY_DCT, 0x711) \
	X(DRAIN_DCT, 0x712) \
	X(QUERY_DCT, 0x713) \
	X(ARM_DCT_FOR_KEY_VIOLATION, 0x714) \
	X(CREATE_XRQ, 0x717) \
	X(DESTROY_XRQ, 0x718) \
	X(QUERY_XRQ, 0x719) \
	X(ARM_XRQ, 0x71a) \
	X(QUERY_XRQ_DC_PARAMS_ENTRY, 0x725) \
	X(SET_XRQ_DC_PARAMS_ENTRY, 0x726) \
	X(QUERY_XRQ_ERROR_PARAMS, 0x727) \
	X(RELEASE_XRQ_ERROR, 0x729) \
	X(MODIFY_XRQ, 0x72a) \
	X(QUERY_ESW_FUNCTIONS, 0x740) \
	X(QUERY_VPORT_STATE, 0x750) \
	X(MODIFY_VPORT_STATE, 0x751) \
	X(QUERY_VUID, 0xb22) \
	X(QUERY_ESW_VPORT_CONTEXT, 0x752) \
	X(MODIFY_ESW_VPORT_CONTEXT, 0x753) \
	X(QUERY_NIC_VPORT_CONTEXT, 0x754) \
	X(MODIFY_NIC_VPORT_CONTEXT, 0x755) \
	X(QUERY_ROCE_ADDRESS, 0x760) \
	X(SET_ROCE_ADDRESS, 0x761) \
	X(QUERY_HCA_VPORT_CONTEXT, 0x762) \
	X(MODIFY_HCA_VPORT_CONTEXT, 0x763) \
	X(QUERY_HCA_VPORT_GID, 0x764) \
	X(QUERY_HCA_VPORT_PKEY, 0x765) \
	X(QUERY_VNIC_ENV, 0x76f) \
	X(QUERY_VPORT_COUNTER, 0x770) \
	X(ALLOC_Q_COUNTER, 0x771) \
	X(DEALLOC_Q_COUNTER, 0x772) \
	X(QUERY_Q_COUNTER, 0x773) \
	X(SET_MONITOR_COUNTER, 0x774) \
	X(ARM_MONITOR_COUNTER, 0x775) \
	X(SET_PP_RATE_LIMIT, 0x780) \
	X(QUERY_RATE_LIMIT, 0x781) \
	X(CREATE_SCHEDULING_ELEMENT, 0x782) \
	X(DESTROY_SCHEDULING_ELEMENT, 0x783) \
	X(QUERY_SCHEDULING_ELEMENT, 0x784) \
	X(MODIFY_SCHEDULING_ELEMENT, 0x785) \
	X(CREATE_QOS_PARA_VPORT, 0x786) \
	X(DESTROY_QOS_PARA_VPORT, 0x787) \
	X(ALLOC_PD, 0x800) \
	X(DEALLOC_PD, 0x801) \
	X(ALLOC_UAR, 0x802) \
	X(DEALLOC_UAR, 0x803) \
	X(CONFIG_INT_MODERATION, 0x804) \
	X(ACCESS_REG, 0x805) \
	X(ATTACH_TO_MCG, 0x806) \
	X(DETACH_FROM_MCG, 0x807) \
	X(GET_DROPPED_PACKET_LOG, 0x80a) \
	X(MAD_IFC, 0x50d) \
	X(QUERY_MAD_DEMUX, 0x80b) \
	X(SET_MAD_DEMUX, 0x80c) \
	X(NOP, 0x80d) \
	X(ALLOC_XRCD, 0x80e) \
	X(DEALLOC_XRCD, 0x80f) \
	X(ALLOC_TRANSPORT_DOMAIN, 0x816) \
	X(DEALLOC_TRANSPORT_DOMAIN, 0x817) \
	X(QUERY_CONG_STATUS, 0x822) \
	X(MODIFY_CONG_STATUS, 0x823) \
	X(QUERY_CONG_PARAMS, 0x824) \
	X(MODIFY_CONG_PARAMS, 0x825) \
	X(QUERY_CONG_STATISTICS, 0x826) \
	X(ADD_VXLAN_UDP_DPORT, 0x827) \
	X(DELETE_VXLAN_UDP_DPORT, 0x828) \
	X(SET_L2_TABLE_ENTRY, 0x829) \
	X(QUERY_L2_TABLE_ENTRY, 0x82a) \
	X(DELETE_L2_TABLE_ENTRY, 0x82b) \
	X(SET_WOL_ROL, 0x830) \
	X(QUERY_WOL_ROL, 0x831) \
	X(CREATE_LAG, 0x840) \
	X(MODIFY_LAG, 0x841) \
	X(QUERY_LAG, 0x842) \
	X(DESTROY_LAG, 0x843) \
	X(CREATE_VPORT_LAG, 0x844) \
	X(DESTROY_VPORT_LAG, 0x845) \
	X(CREATE_TIR, 0x900) \
	X(MODIFY_TIR, 0x901) \
	X(DESTROY_TIR, 0x902) \
	X(QUERY_TIR, 0x903) \
	X(CREATE_SQ, 0x904) \
	X(MODIFY_SQ, 0x905) \
	X(DESTROY_SQ, 0x906) \
	X(QUERY_SQ, 0x907) \
	X(CREATE_RQ, 0x908) \
	X(MODIFY_RQ, 0x909) \
	X(SET_DELAY_DROP_PARAMS, 0x910) \
	X(DESTROY_RQ, 0x90a) \
	X(QUERY_RQ, 0x90b) \
	X(CREATE_RMP, 0x90c) \
	X(MODIFY_RMP, 0x90d) \
	X(DESTROY_RMP, 0x90e) \
	X(QUERY_RMP, 0x90f) \
	X(CREATE_TIS, 0x912) \
	X(MODIFY_TIS, 0x913) \
	X(DESTROY_TIS, 0x914) \
	X(QUERY_TIS, 0x915) \
	X(CREATE_RQT, 0x916) \
	X(MODIFY_RQT, 0x917) \
	X(DESTROY_RQT, 0x918) \
	X(QUERY_RQT, 0x919) \
	X(SET_FLOW_TABLE_ROOT, 0x92f) \
	X(CREATE_FLOW_TABLE, 0x930) \
	X(DESTROY_FLOW_TABLE, 0x931) \
	X(QUERY_FLOW_TABLE, 0x932) \
	X(CREATE_FLOW_GROUP, 0x933) \
	X(DESTROY_FLOW_GROUP, 0x934) \
	X(QUERY_FLOW_GROUP, 0x935) \
	X(SET_FLOW_TABLE_ENTRY, 0x936) \
	X(QUERY_FLOW_TABLE_ENTRY, 0x937) \
	X(DELETE_FLOW_TABLE_ENTRY, 0x938) \
	X(ALLOC_FLOW_COUNTER, 0x939) \
	X(DEALLOC_FLOW_COUNTER, 0x93a) \
	X(QUERY_FLOW_COUNTER, 0x93b) \
	X(MODIFY_FLOW_TABLE, 0x93c) \
	X(ALLOC_PACKET_REFORMAT_CONTEXT, 0x93d) \
	X(DEALLOC_PACKET_REFORMAT_CONTEXT, 0x93e) \
	X(QUERY_PACKET_REFORMAT_CONTEXT, 0x93f) \
	X(ALLOC_MODIFY_HEADER_CONTEXT, 0x940) \
	X(DEALLOC_MODIFY_HEADER_CONTEXT, 0x941) \
	X(QUERY_MODIFY_HEADER_CONTEXT, 0x942) \
	X(FPGA_CREATE_QP, 0x960) \
	X(FPGA_MODIFY_QP, 0x961) \
	X(FPGA_QUERY_QP, 0x962) \
	X(FPGA_DESTROY_QP, 0x963) \
	X(FPGA_QUERY_QP_COUNTERS, 0x964) \
	X(CREATE_GENERAL_OBJECT, 0xa00) \
	X(MODIFY_GENERAL_OBJECT, 0xa01) \
	X(QUERY_GENERAL_OBJECT, 0xa02) \
	X(DESTROY_GENERAL_OBJECT, 0xa03) \
	X(CREATE_UCTX, 0xa04) \
	X(DESTROY_UCTX, 0xa06) \
	X(CREATE_UMEM, 0xa08) \
	X(DESTROY_UMEM, 0xa0a) \
	X(SYNC_STEERING, 0xb00) \
	X(PSP_GEN_SPI, 0xb10) \
	X(PSP_ROTATE_KEY, 0xb11) \
	X(QUERY_VHCA_STATE, 0xb0d) \
	X(MODIFY_VHCA_STATE, 0xb0e) \
	X(SYNC_CRYPTO, 0xb12) \
	X(ALLOW_OTHER_VHCA_ACCESS, 0xb16) \
	X(GENERATE_WQE, 0xb17)

#define OP_UMR 0xffff	/* no command, but failures can be injected into UMRs by this number */

/* command statuses */
#define STATUSES(X) \
	X(OK, 0x0) \
	X(INT_ERR, 0x1) \
	X(BAD_OP, 0x2) \
	X(BAD_PARAM, 0x3) \
	X(BAD_SYS_STATE, 0x4) \
	X(BAD_RES, 0x5) \
	X(RES_BUSY, 0x6) \
	X(LIM_ERR, 0x8) \
	X(BAD_RES_STATE, 0x9) \
	X(IX_ERR, 0xa) \
	X(NO_RES, 0xf) \
	X(BAD_QP_STATE, 0x10) \
	X(BAD_INP_LEN, 0x50) \
	X(BAD_OUTP_LEN, 0x51)

#endif
