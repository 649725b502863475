// Package sflow turns sFlow v5 into encoded flows. A sample becomes a data record of IPFIX, and its template is bound
// to the schema file: so the file alone says which column has what, as for NetFlow.
//
//	element               from
//	1                     length of the IP packet, as its header says it, or of what else the frame carries: without the
//	                      link layer, as NetFlow counts. 352 is the length of the frame, with its checksum
//	2                     1: a sample is of one packet
//	34                    sampling rate of the sample
//	10, 14                input and output interface, if it is one interface that is known; elements 7 and 8 of
//	                      layout.Reserved are the kind: the device itself, discarded, several
//	89                    why the packet was discarded; 13 of layout.Reserved is sFlow's own code for it
//	70 to 79              labels of MPLS: of the header, or of the stack that came in (extended_mpls); the first ten
//	351                   VNI of VXLAN, key of GRE, else of extended_vni_ingress or _egress; the packet in a tunnel has
//	                      its elements in enterprise layout.Inner
//	80, 56, 256           header: MAC addresses of target and source, EtherType; after VLAN tags and labels, of what
//	                      follows
//	58, 59                VLAN of source and target of the extended switch record, unless the switch does not know them;
//	                      without one, 58 is that of the header
//	243, 254, 245         VLAN of the header (without tag, as 58); as 59; of the second tag. Tags that were removed
//	                      (extended_vlantunnel) are before those of the header
//	8, 12 or 27, 28       source and target address
//	4, 5, 192             protocol, of IPv6 after extension headers; type of service; TTL
//	7, 11, 6              ports, of TCP, UDP, DCCP, SCTP and UDP-Lite; flags of TCP (8 bits)
//	176, 177 or 178, 179  type and code of ICMP
//	31                    flow label
//	54, 88, 197           of fragments the identification, offset and flags; all but the first have no ports
//	15 or 62              extended router: next hop
//	47 or 140             extended_mpls: next hop
//	225 to 228, 281, 282  extended_nat, extended_nat_port: addresses and ports after translation
//	9, 13 or 29, 30       masks of source and target
//	16, 17                extended gateway: AS of the source, the last one of the path to the target; or the router's own
//	18 or 63, 128, 129    next hop of BGP; the first AS of the path; the neighbour that leads to the source
//	485                   extended gateway: communities, a list
//	10, 11                of layout.Reserved, lists: the path to the target, AS numbers of its sets
//	12                    of layout.Reserved, a list: labels of the stack that leaves (extended_mpls)
//	152, 153              when the datagram was received: a sample has no time
//	130 or 131            the agent's address. Who sent the datagram is element 3 of layout.Reserved
//
// Headers may be Ethernet (with any number of tags of 802.1Q and 802.1ad, SNAP, PPPoE, MPLS, and Ethernet in MPLS), PPP,
// HDLC, AAL5 with IP, IPv4, IPv6 and MPLS.
//
// goflow2's producer (v2.2.6) writes the same values, except for these. It
//   - takes the length of the frame for the bytes, 0xffffffff for a VLAN, and every interface for an index: that of a
//     packet that was discarded, or sent to several, too;
//   - looks into no tunnel;
//   - looks into headers of Ethernet alone, and knows no tags but 0x8100, whose priority it leaves in the VLAN, which
//     has a column of its own;
//   - takes every IPv4 header for 20 bytes and fragments for whole packets, the first extension header of IPv6 for the
//     protocol, and most of them for the end;
//   - reads sampled Ethernet without the padding of its addresses, and no packets in SNAP, PPP and pseudowires;
//   - needs whole headers of TCP and UDP for ports, has no type and code of ICMP, takes no flags of TCP from sampled
//     IPv4, and nothing from sampled Ethernet;
//   - reads one segment of a path, of any type, and no stacks of extended_mpls.
//
// The walk over the bytes is ours: where headers are of IP, as pmacctd sends them, goflow2's decoder alone takes half
// the time of all that goflow2 does. Tests compare the two.
package sflow
