package codec

import (
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// v1 reports whether the structs belong to a runtime with the first API.
func (c *codecType) v1() bool { return c.Options.StockRuntime().V1 }

// ifMapValue precedes the block that writes a map's value: the first API leaves out nil values.
func (c *codecType) ifMapValue(value *plan.Field) string {
	switch {
	case !c.v1(), c.customs[value].IsValue():
	case value.Type == plan.TypeMessage, c.isPayload(value):
		return "if value != nil "
	case value.Type == plan.TypeBytes && c.File.Plan.Syntax == "proto3":
		return "if len(value) > 0 "
	case value.Type == plan.TypeBytes:
		return "if value != nil "
	}
	return ""
}

// emitExtensions declares the known extensions of a message.
func (c *codecType) emitExtensions() {
	if !c.Extensible || c.MessageSet {
		return
	}
	c.StockExtensions = c.Claim("ext"+c.Name+"Hot", "the extensions of message "+c.Message.Name)
	if c.v1() {
		c.P("var ", c.StockExtensions, " ", CodecRuntime(c.File, "Extensions"), "[", c.Name, "]\n")
	} else {
		c.P("var ", c.StockExtensions, " ", CodecRuntime(c.File, "Known"), "\n")
	}
}

// hasExtensions is the condition that a message may have extensions.
func (c *codecType) hasExtensions() string {
	if c.v1() {
		return "m.XXX_InternalExtensions != (" + c.Ident(c.Options.StockRuntime().Proto, "XXX_InternalExtensions") + "{})"
	}
	return "len(m.extensionFields) > 0"
}

// withExtensions is a call of the runtime for all extensions of a message.
func (c *codecType) withExtensions(verb, arguments string) string {
	if c.v1() {
		return c.StockExtensions + "." + verb + "(" + arguments + "m.XXX_InternalExtensions)"
	}
	return CodecRuntime(c.File, verb+"Extensions") + "(" + arguments + "m.extensionFields)"
}

// takeExtensions is the call that passes on records that may be extensions.
// unknown is the slice that receives the others.
func (c *codecType) takeExtensions(unknown string) string {
	if c.v1() {
		return c.StockExtensions + ".Decode(d, m, &m.XXX_InternalExtensions, &" + unknown + ", &records)"
	}
	return CodecRuntime(c.File, "Extensions") + "(d, m, &m.extensionFields, &" + c.StockExtensions + ", &records, levels)"
}
