package count

// Structure is a part of an sFlow sample or of a sampled packet that the collector skips.
type Structure uint8

// The parts of packets that have no structure of sFlow's own; the structures follow them.
const (
	MPLSPayload    Structure = iota // packets below MPLS labels that are neither of IP nor in Ethernet
	PPPPayload                      // packets in PPP, or PPPoE, that are neither of IP nor MPLS
	HeaderProtocol                  // sampled headers of other link layers than Ethernet, PPP, AAL5, IP and MPLS
	VendorRecord                    // flow records of a vendor
	UnknownRecord                   // flow records that sFlow.org does not list
	firstRecord
)

// records are the flow records that are skipped: sFlow.org's names and formats, in order.
var records = [...]struct {
	format uint32
	name   string
}{
	{1004, "extended_user"},
	{1005, "extended_url"},
	{1008, "extended_mpls_tunnel"},
	{1009, "extended_mpls_vc"},
	{1010, "extended_mpls_FTN"},
	{1011, "extended_mpls_LDP_FEC"},
	{1013, "extended_80211_payload"},
	{1014, "extended_80211_rx"},
	{1015, "extended_80211_tx"},
	{1016, "extended_80211_aggregation"},
	{1017, "extended_openflow_v1"},
	{1018, "extended_fc"},
	{1019, "extended_queue_length"},
	{1021, "extended_L2_tunnel_egress"},
	{1022, "extended_L2_tunnel_ingress"},
	{1023, "extended_ipv4_tunnel_egress"},
	{1024, "extended_ipv4_tunnel_ingress"},
	{1025, "extended_ipv6_tunnel_egress"},
	{1026, "extended_ipv6_tunnel_ingress"},
	{1027, "extended_decapsulate_egress"},
	{1028, "extended_decapsulate_ingress"},
	{1031, "extended_ib_lrh"},
	{1032, "extended_ib_grh"},
	{1033, "extended_ib_bth"},
	{1034, "extended_vlanin"},
	{1035, "extended_vlanout"},
	{1036, "extended_egress_queue"},
	{1037, "extended_acl"},
	{1038, "extended_function"},
	{1039, "extended_transit"},
	{1040, "extended_queue"},
	{1041, "extended_hw_trap"},
	{1042, "extended_linux_drop_reason"},
	{1043, "extended_timestamp"},
	{2000, "transaction"},
	{2001, "extended_nfs_storage_transaction"},
	{2002, "extended_scsi_storage_transaction"},
	{2003, "extended_http_transaction"},
	{2100, "extended_socket_ipv4"},
	{2101, "extended_socket_ipv6"},
	{2102, "extended_proxy_socket_ipv4"},
	{2103, "extended_proxy_socket_ipv6"},
	{2200, "memcache_operation"},
	{2201, "http_request_2201"},
	{2202, "app_operation"},
	{2203, "app_parent_context"},
	{2204, "app_initiator"},
	{2205, "app_target"},
	{2206, "http_request"},
	{2207, "extended_proxy_request"},
	{2208, "extended_nav_timing"},
	{2209, "extended_tcp_info"},
	{2210, "extended_entities"},
}

// Structures is their number.
const Structures = firstRecord + Structure(len(records))

// StructureOf returns the structure of a flow record that is skipped.
func StructureOf(format uint32) Structure {
	if format>>12 != 0 {
		return VendorRecord
	}
	low, high := 0, len(records)
	for low < high {
		if middle := (low + high) / 2; records[middle].format < format {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(records) && records[low].format == format {
		return firstRecord + Structure(low)
	}
	return UnknownRecord
}

// String is the label in metrics.
func (s Structure) String() string {
	if s >= firstRecord {
		return records[s-firstRecord].name
	}
	return [...]string{"mpls_payload", "ppp_payload", "header_protocol", "vendor_record", "unknown_record"}[s]
}
