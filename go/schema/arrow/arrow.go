// Package arrow converts the plans of package schema into Arrow schemas, and messages into record batches. It is a
// module of its own, because Arrow is large.
package arrow

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Schema returns the Arrow schema of the columns of a plan that are on, by number:
//
//	integers, float, double, bool   the types of their size
//	string, bytes                   utf8, binary
//	enum                            dictionary of utf8 by int32
//	IP                              fixed_size_binary[16]
//	MAC                             uint64
//	timestamp                       timestamp in its unit, UTC; the well-known type in nanoseconds
//	duration                        duration in its unit; the well-known type in nanoseconds
//	message, group                  struct
//	repeated, map                   list, map
//
// Columns with explicit presence and messages are nullable. Metadata has the field number under the key
// "PARQUET:field_id", where Arrow's readers and writers of Parquet look for it, and the comment under "comment".
//
// A message that contains itself has no Arrow type and is an error, a *schema.Error.
func Schema(p *schema.Plan) (*arrow.Schema, error) {
	e := export{plan: p, within: map[string]bool{}}
	fields, err := e.fields(p.Root(), p.Root())
	if err != nil {
		return nil, err
	}
	metadata := arrow.NewMetadata([]string{"message", "wire hash"}, []string{p.Root(), p.WireHash()})
	return arrow.NewSchema(fields, &metadata), nil
}

type export struct {
	plan   *schema.Plan
	within map[string]bool // the messages around the column
	count  int             // of fields
}

// maxFields limits the number of fields that messages within messages yield.
const maxFields = 10_000

func (e *export) fields(message, where string) (fields []arrow.Field, err error) {
	if e.within[message] {
		return nil, &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: message + " contains itself, which no Arrow type can"}
	}
	e.within[message] = true
	defer delete(e.within, message)
	for _, c := range e.plan.Columns(message) {
		if e.count++; e.count > maxFields {
			return nil, &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: fmt.Sprintf("with nested messages there are more than %d fields", maxFields)}
		}
		t, err := e.typeOf(&c, where+"."+c.Name)
		if err != nil {
			return nil, err
		}
		keys, values := []string{"PARQUET:field_id"}, []string{strconv.FormatUint(uint64(c.Number), 10)}
		if c.Comment != "" {
			keys, values = append(keys, "comment"), append(values, c.Comment)
		}
		nullable := !c.Repeated && (c.Presence == schema.Explicit || c.Message != nil)
		fields = append(fields, arrow.Field{Name: c.Name, Type: t, Nullable: nullable, Metadata: arrow.NewMetadata(keys, values)})
	}
	return fields, nil
}

func (e *export) typeOf(c *schema.Column, where string) (arrow.DataType, error) {
	if c.Map {
		entry, err := e.fields(c.Message.Name, where)
		if err != nil {
			return nil, err
		}
		t := arrow.MapOfFields(plain(entry[0], "key"), plain(entry[1], "value"))
		return t, nil
	}
	element, err := e.element(c, where)
	if err != nil || !c.Repeated {
		return element, err
	}
	return arrow.ListOfNonNullable(element), nil
}

// plain is a field of a map's entry: it is always present.
func plain(f arrow.Field, name string) arrow.Field {
	return arrow.Field{Name: name, Type: f.Type}
}

var kinds = map[wire.Kind]arrow.DataType{
	wire.Int32: arrow.PrimitiveTypes.Int32, wire.Sint32: arrow.PrimitiveTypes.Int32, wire.Sfixed32: arrow.PrimitiveTypes.Int32,
	wire.Int64: arrow.PrimitiveTypes.Int64, wire.Sint64: arrow.PrimitiveTypes.Int64, wire.Sfixed64: arrow.PrimitiveTypes.Int64,
	wire.Uint32: arrow.PrimitiveTypes.Uint32, wire.Fixed32: arrow.PrimitiveTypes.Uint32,
	wire.Uint64: arrow.PrimitiveTypes.Uint64, wire.Fixed64: arrow.PrimitiveTypes.Uint64,
	wire.Float: arrow.PrimitiveTypes.Float32, wire.Double: arrow.PrimitiveTypes.Float64,
	wire.Bool: arrow.FixedWidthTypes.Boolean, wire.String: arrow.BinaryTypes.String, wire.Bytes: arrow.BinaryTypes.Binary,
	wire.Enum: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
}

var units = map[schema.Unit]arrow.TimeUnit{
	schema.Seconds: arrow.Second, schema.Millis: arrow.Millisecond, schema.Micros: arrow.Microsecond,
	schema.Nanos: arrow.Nanosecond, schema.WellKnown: arrow.Nanosecond,
}

func (e *export) element(c *schema.Column, where string) (arrow.DataType, error) {
	switch c.Logical {
	case schema.IP:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}, nil
	case schema.Timestamp:
		return &arrow.TimestampType{Unit: units[c.Unit], TimeZone: "UTC"}, nil
	case schema.Duration:
		return &arrow.DurationType{Unit: units[c.Unit]}, nil
	}
	if c.Message != nil {
		fields, err := e.fields(c.Message.Name, where)
		return arrow.StructOf(fields...), err
	}
	t, ok := kinds[c.Kind]
	if !ok {
		return nil, &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: fmt.Sprintf("%s has no Arrow type", c.Type())}
	}
	return t, nil
}
