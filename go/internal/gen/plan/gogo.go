package plan

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Gogo are the options of gogoproto of one element, by their numbers. The descriptors have been read without
// gogo.proto, so its extensions are unknown fields of the options.
type Gogo struct {
	bools map[GogoOption]bool
	texts map[GogoOption]string
}

// GogoOption is the number of an option of gogoproto.
type GogoOption int32

// The options that say how a struct looks. The number of a file's option, which holds for all messages without an
// option of their own, is that of the message's less gogoAll.
const (
	GogoGetters         GogoOption = 64001
	GogoStringer        GogoOption = 64003
	GogoEqual           GogoOption = 64013
	GogoMarshaler       GogoOption = 64017
	GogoUnmarshaler     GogoOption = 64018
	GogoStableMarshaler GogoOption = 64019
	GogoSizer           GogoOption = 64020
	GogoUnsafeMarshaler GogoOption = 64023
	GogoUnsafeUnmarshal GogoOption = 64024
	GogoExtensionsMap   GogoOption = 64025
	GogoUnrecognized    GogoOption = 64026
	GogoProtoSizer      GogoOption = 64028
	GogoTypeDecl        GogoOption = 64030
	GogoSizeCache       GogoOption = 64034
	GogoUnkeyed         GogoOption = 64035
	GogoOwnStringer     GogoOption = 67008

	GogoNullable     GogoOption = 65001
	GogoEmbed        GogoOption = 65002
	GogoCustomType   GogoOption = 65003
	GogoCustomName   GogoOption = 65004
	GogoJSONTag      GogoOption = 65005
	GogoMoreTags     GogoOption = 65006
	GogoCastType     GogoOption = 65007
	GogoCastKey      GogoOption = 65008
	GogoCastValue    GogoOption = 65009
	GogoStdTime      GogoOption = 65010
	GogoStdDuration  GogoOption = 65011
	GogoWktPointer   GogoOption = 65012
	GogoCastRepeated GogoOption = 65013 // of a fork of gogo

	GogoEnumPrefix      GogoOption = 62001
	GogoEnumStringer    GogoOption = 62021
	GogoOwnEnumStringer GogoOption = 62022
	GogoEnumCustomName  GogoOption = 62023
	GogoEnumDecl        GogoOption = 62024
	GogoValueCustomName GogoOption = 66001

	GogoImport GogoOption = 63027 // of files only

	gogoAll = 1000

	// vtprotobuf's: of a message, and of a field, whose options are a message of their own.
	vtprotoMempool       GogoOption = 64101
	vtprotoIgnoreUnknown GogoOption = 64102
	vtprotoField         GogoOption = 64150
)

// Has reports whether the element has a bool option.
func (g Gogo) Has(option GogoOption) bool {
	_, has := g.bools[option]
	return has
}

// Bool returns the value of a bool option, or otherwise if the element lacks it.
func (g Gogo) Bool(option GogoOption, otherwise bool) bool {
	if value, has := g.bools[option]; has {
		return value
	}
	return otherwise
}

// Text returns the value of a string option, or "".
func (g Gogo) Text(option GogoOption) string { return g.texts[option] }

// GogoBool returns the value of an option of a message: its own, or that of its file, or otherwise.
func (m *Message) GogoBool(option GogoOption, otherwise bool) bool {
	all := option - gogoAll
	if option == GogoOwnStringer { // the only one that breaks the rule
		all = 63008
	}
	return m.GogoOptions.Bool(option, m.File.GogoOptions.Bool(all, otherwise))
}

// GogoName is the name of an option of a message as an error has it: that of the file's option where the file says it.
func (m *Message) GogoName(option GogoOption, name string) string {
	if m.GogoOptions.Has(option) {
		return name
	}
	return name + "_all"
}

// gogoEnumAll are the options of a file for those of its enums, whose numbers follow no rule.
var gogoEnumAll = map[GogoOption]GogoOption{
	GogoEnumPrefix: 63002, GogoEnumStringer: 63021, GogoOwnEnumStringer: 63022, GogoEnumDecl: 63031,
}

// GogoBool returns the value of an option of an enum: its own, or that of its file, or otherwise.
func (e *Enum) GogoBool(option GogoOption, otherwise bool) bool {
	return e.GogoOptions.Bool(option, e.File.GogoOptions.Bool(gogoEnumAll[option], otherwise))
}

// gogoOptionsOf reads options: of several values the last one.
func gogoOptionsOf(options protoreflect.ProtoMessage) (g Gogo) {
	for b := options.ProtoReflect().GetUnknown(); len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			break
		}
		switch {
		case number < 62000 || number >= 68000:
		case kind == protowire.VarintType:
			if g.bools == nil {
				g.bools = map[GogoOption]bool{}
			}
			v, _ := protowire.ConsumeVarint(b[n:])
			g.bools[GogoOption(number)] = v != 0
		case kind == protowire.BytesType:
			if g.texts == nil {
				g.texts = map[GogoOption]string{}
			}
			v, _ := protowire.ConsumeString(b[n:])
			if GogoOption(number) == vtprotoField { // the parts of a message are merged
				v = g.texts[vtprotoField] + v
			}
			g.texts[GogoOption(number)] = v
		}
		b = b[n+size:]
	}
	return g
}

// isUnique reports whether the field has the option (vtproto.options).unique.
func (g Gogo) isUnique() (is bool) {
	for b := []byte(g.Text(vtprotoField)); len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			break
		}
		if number == 1 && kind == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(b[n:])
			is = v != 0
		}
		b = b[n+size:]
	}
	return is
}
