// Package decode decodes datagrams into encoded flows: NetFlow v5, v9 and IPFIX itself, sFlow with package sflow.
//
// A session.Store has what exporters have sent about themselves (templates, sampling rates, sequence numbers), bounded by
// Limits. Any number of Decoders use it, each in one goroutine. All bytes are untrusted: a fault in them is
// counted under its reason, and costs only the set or the field that contains it.
//
// The packages below are called from above only:
//
//	decode     a datagram's way: sets, records, flows; what is released; explanations
//	session    exporters, domains, eviction, what waits, the state that outlives the process
//	templates  fields, packets, lists, runs of records, bindings to a layout
//	sampling   rates        sequence  losses        message  headers and sets
//	ipfix      elements and encodings
//
// What they need from above is handed down: Owner.Flush encodes what an exporter holds when it is evicted, lists ask for the
// templates of their domain by a function, rates and totals ask their exporter for memory (sampling.Room).
//
// An exporter is a transport session, an address and a port, as in RFC 7011. Within it, templates belong to an
// observation domain. Data sets are encoded by templates that are bound to the schema (template.BindNamed):
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
