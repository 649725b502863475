// Package decode decodes datagrams into encoded flows: NetFlow v5, v9 and IPFIX itself, sFlow with package sflow.
//
// A Store has what exporters have sent about themselves (templates, sampling rates, sequence numbers), bounded by
// Limits. Any number of Decoders use it, each in one goroutine. All bytes are untrusted: a fault in them is
// counted under its reason, and costs only the set or the field that contains it.
//
// An exporter is a transport session, an address and a port, as in RFC 7011. Within it, templates belong to an
// observation domain. Data sets are encoded by templates that are bound to the schema (template.BindFitting):
// bytes to bytes, without an intermediate form and without allocation. There are two ways:
//
//   - direct, if no stage looks at the flows and no column keeps its first value: the collector's own values are encoded once
//     for a datagram, and each message begins with them;
//   - by record, in all other cases.
//
// A record with lists (RFC 6313) is expanded before it is encoded by either way: each repeated column gets an array.
//
// NetFlow v5 has a built-in template. Tests compare all this with goflow2's decoder, after which handles set the flows.
package decode
