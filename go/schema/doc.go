// Package schema is the face for columns known only at run time: no .proto and
// no generated code, and still encoded at the speed of generated code.
//
// A Schema is built by calls; every call gives a typed handle:
//
//	s := schema.New("FlowMessage", schema.Package("flows"))
//	bytes := s.Uint64("bytes", 9)
//	src := s.IP("src_addr", 5)
//	mac := s.MAC("src_mac", 20, schema.Disabled)
//	plan, err := s.Compile()
//
// Compile checks it and gives an immutable Plan that any number of goroutines
// may share. Records are written through it, one Record per goroutine:
//
//	r := plan.NewRecord()
//	r.Uint(bytes, 1500)
//	r.IP(src, addr)
//	r.MAC(mac, 0xabc) // switched off: writes nothing
//	out = r.AppendDelimited(out)
//	r.Reset()
//
// The same plan decodes. Into a Row, which gives values by the same handles:
//
//	row := plan.NewRow()
//	err := row.Unmarshal(out)
//	row.Uint(bytes)
//
// into Columns, for column stores; or into the hands of a Visitor. A schema may
// also be imported, from a descriptor set: FromDescriptorSet.
//
// Package schema/lock keeps what a schema has promised and says what a change of
// it means; package schema/clickhouse makes ClickHouse's tables of a plan; package
// schema/template encodes data records of NetFlow and IPFIX templates.
//
// Nothing is allocated per record. The idea, one schema of the whole
// application whose columns are switched on and off and which is encoded without
// generated code, is Akvorado's; docs/schema.md says where this differs.
//
// The contract is spec/faces.md, rules SCH-*. The package stands on package wire
// and the standard library.
package schema
