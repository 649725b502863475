// Package yaml reads schemas for package schema from YAML files. It is a module of its own, because it links
// github.com/goccy/go-yaml.
//
//	package: flows
//	message: FlowMessage            # the root
//	comment: One flow.
//	reserved: [3, 40 to 42, old_name]
//
//	columns:
//	  - {name: bytes, number: 9, type: uint64, from: [1, 23]}
//	  - name: src_addr
//	    number: 5
//	    type: ip
//	    from: [8, 27]               # information elements of NetFlow v9 and IPFIX
//	    comment: Who sent it.
//	  - {name: src_mac, number: 20, type: mac, group: l2, off: true}
//	  - {name: labels, number: 27, type: "map<string, Label>"}
//	  - {name: kind, number: 28, type: Kind, constant: SFLOW}
//
//	messages:
//	  Label:                        # Outer.Inner is nested in Outer
//	    columns:
//	      - {name: name, number: 1, type: string}
//	enums:
//	  Kind:
//	    closed: false
//	    values:
//	      UNKNOWN: 0
//	      SFLOW: {number: 5, comment: sFlow v5}
//
// Types are those of .proto files, ip, mac, timestamp(UNIT) and duration(UNIT)
// with the units seconds, millis, micros, nanos and wellknown, the names of messages and enums, group MESSAGE,
// repeated TYPE and map<KEY, VALUE>.
//
// Beside name, number and type a column may have
//
//	from: [ELEMENT, ENTERPRISE/ELEMENT]  what fills it in a template binding; elements by number or IANA's name
//	zero: none | value                   whether a zero of one element yields to the next one; value is that it does not
//	off: true                            switched off
//	group: NAME                          columns of a group are switched together
//	optional: true, required: true       explicit presence, required
//	oneof: NAME                          in a oneof
//	keep: first | last                   which of several values is kept
//	misfit: drop | mask | refuse         what becomes of values that do not fit
//	utf8: true                           strings are checked
//	unpacked: true                       a tag for each element
//	deferred: true                       kept in the record until its end
//	clickhouse: TYPE                     in the target table
//	comment: TEXT
//	constant: VALUE                      what File.SetConstants sets; of the root only
package yaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// File is a parsed schema file.
type File struct {
	Schema *schema.Schema

	constants []func(*schema.Record)
	lines     map[string]int // of columns, messages and enums
}

// Error is an error in a schema file. For errors.Is it equals wire.InvalidSchema.
type Error struct {
	Line   int    // 0 if it belongs to no line
	Where  string // the column, message or enum, if known
	Reason string
}

// Error returns a text like "line 12: flows.FlowMessage.bytes: has the number 9, as packets has".
func (e *Error) Error() string {
	text := e.Reason
	if e.Where != "" {
		text = e.Where + ": " + text
	}
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

// Is matches the code InvalidSchema.
func (e *Error) Is(target error) bool { return target == error(wire.InvalidSchema) }

// Parse reads a schema file. An error lists all faults; each part is an *Error.
func Parse(text []byte) (*File, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := reader{file: File{lines: map[string]int{}}, messages: map[string]*schema.Message{}, enums: map[string]*schema.Enum{}}
	r.document(root)
	if len(r.wrong) > 0 {
		return nil, errors.Join(r.wrong...)
	}
	return &r.file, nil
}

// Compile is Schema.Compile with the lines of the faults.
func (f *File) Compile(options ...schema.CompileOption) (*schema.Plan, error) {
	p, err := f.Schema.Compile(options...)
	return p, f.Locate(err)
}

// Locate adds lines to errors of package schema, such as those of exports.
func (f *File) Locate(err error) error {
	if err == nil {
		return nil
	}
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for i, part := range parts {
		var e *schema.Error
		if errors.As(part, &e) {
			parts[i] = &Error{f.line(e.Where), e.Where, e.Reason}
		}
	}
	return errors.Join(parts...)
}

// line returns the line of a column, message or enum, or of the element around it.
func (f *File) line(where string) int {
	for where != "" {
		if line, ok := f.lines[where]; ok {
			return line
		}
		where = where[:max(0, strings.LastIndexByte(where, '.'))]
	}
	return 0
}

// SetConstants sets the columns that have constants. Later values replace them, unless the column keeps the first
// value.
func (f *File) SetConstants(r *schema.Record) {
	for _, set := range f.constants {
		set(r)
	}
}
