// Package decode turns datagrams into encoded flows: NetFlow v5, v9 and IPFIX itself, sFlow by package sflow.
//
// A Store has what exporters have told of themselves (templates, sampling rates, sequence numbers), bounded by Limits.
// Any number of Decoders work on it, each for one goroutine. All bytes are untrusted: what is wrong with them is
// counted under its reason, and costs the set or the field that it is in.
//
// An exporter is a transport session, an address and a port, as RFC 7011 has it; within it templates are those of an
// observation domain. Data sets are encoded by templates bound to the schema (template.BindFitting): bytes to bytes,
// with nothing in between and nothing allocated. There are two ways:
//
//   - direct, where no stage looks at the flows and no column keeps its first value: what the collector itself knows is
//     encoded once for a datagram, and each message begins with it;
//   - by record, where one does.
//
// NetFlow v5 has a template, too, which is built in. Instead, all of NetFlow and IPFIX can be decoded by goflow2 and
// set by handles (Options.Goflow2): slower, with the same columns.
package decode
