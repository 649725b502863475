// Package schema is the face for columns that are known only at run time. It needs no .proto and no generated
// code, and still encodes at the speed of generated code.
//
// Calls build a Schema. Each call returns a typed handle:
//
//	s := schema.New("FlowMessage", schema.Package("flows"))
//	bytes := s.Uint64("bytes", 9)
//	src := s.IP("src_addr", 5)
//	mac := s.MAC("src_mac", 20, schema.Disabled)
//	plan, err := s.Compile()
//
// Compile checks it and returns an immutable Plan that any number of goroutines may share. Records are written
// through it, one Record per goroutine:
//
//	r := plan.NewRecord()
//	r.Uint(bytes, 1500)
//	r.IP(src, addr)
//	r.MAC(mac, 0xabc) // switched off: writes nothing
//	out, err = r.AppendDelimited(out) // the error: a value that was refused, a handle of another schema
//	r.Reset()
//
// The same plan decodes into a Row, which returns values by the same handles:
//
//	row := plan.NewRow()
//	err := row.Unmarshal(out)
//	row.Uint(bytes)
//
// into Columns, for column stores, or it calls the methods of a Visitor. FromDescriptorSet imports a schema from a
// descriptor set. Lookup finds a handle by the name of its column.
//
// Package schema/lock records a schema's promises to readers and rates changes. Package
// schema/clickhouse generates ClickHouse's tables from a plan. Package schema/template encodes data records of
// NetFlow and IPFIX templates.
//
// Nothing is allocated per record. The idea is Akvorado's: one schema for the whole application, whose columns are
// switched on and off, encoded without generated code. docs/schema.md says where this package differs.
//
// The contract is go/rules.md, rules SCH-*. The package imports only package wire and the standard library.
package schema
