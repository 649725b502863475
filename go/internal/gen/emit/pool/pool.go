// Package pool writes the face pool: structs that are reused for decoding, and their layouts.
package pool

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Face is the face pool.
var Face = emit.Face{
	Name:    "pool",
	Strict:  true,
	Selects: true,
	TypeSuffixes: func(*plan.Message) []string {
		return []string{slabsSuffix, emit.TablePattern, emit.TableSuffix, layoutPattern, layoutSuffix}
	},
	Emit: emitPool,
}

// slabsSuffix ends the name of the type with the slabs of a message.
const slabsSuffix = "Slabs"

// poolVersion is the version of the code this emitter writes; the runtime
// states which versions it works with.
const poolVersion = 8

func emitPool(f *emit.File) error {
	f.EmitVersions("pool", poolVersion)
	f.EmitEnums()
	f.EmitTables()
	for _, m := range f.Messages() {
		p := newPoolType(f, m)
		p.emitType()
		p.emitRoot()
		p.emitAccessors()
		p.emitSlabs()
		if p.writes() {
			p.emitMarshal()
		}
		if p.decodesByTable(m) {
			p.emitDecodeByTable()
		} else {
			p.emitComplete()
			p.emitDecode()
		}
		switch {
		case !p.writes():
			p.emitNoEncode()
		case p.encodesByTable(m):
			p.emitEncodeByTable()
		default:
			p.emitEncode()
		}
	}
	emitLayouts(f)
	for _, x := range f.Extensions() {
		emitPoolExtension(f, x)
	}
	return nil
}

// poolType is one generated message.
type poolType struct {
	*emit.File
	message *plan.Message
	name    string
	table   string // the variable with the group of the table
	index   int    // the index in that group
	fields  []*plan.Field
	oneofs  []*plan.Oneof
	goNames map[*plan.Field]string
	oneof   map[*plan.Oneof]string
	bits    map[*plan.Field]int // of presence
	words   int                 // the number of presence bits
	roomed  int                 // the number of further number fields that the encoder has already made room for
}

// Code is File.Code with $type$ for the message.
func (p *poolType) Code(template string, values ...any) {
	p.File.Code(template, append(values, "type", p.name)...)
}

// poolMethods are the methods of every message.
var poolMethods = []string{
	"Reset", "Unmarshal", "UnmarshalAlias", "UnmarshalOwned", "UnmarshalWith", "Marshal", "MarshalAppend", "MarshalScratch", "MarshalWith", "MarshalToSizedBuffer", "Size",
	"Equal", "Clone", "UnknownFields", "SetUnknownFields", "KeptMemory", "Shrink", "has", "hot",
	"completeHot", "unmarshalHot", "RefHot", "DecodeHot", "EncodeHot",
}

func newPoolType(f *emit.File, m *plan.Message) *poolType {
	p := &poolType{
		File:    f,
		message: m,
		name:    f.MessageName(m),
		table:   f.Tables(m),
		index:   f.IndexInGroup(m),
		fields:  f.Fields(m),
		oneofs:  f.Oneofs(m),
	}
	p.goNames, p.oneof = PoolMembers(f, m)
	p.assignBits()
	return p
}

// PoolMembers names the fields and oneofs of a message.
func PoolMembers(f *emit.File, m *plan.Message) (map[*plan.Field]string, map[*plan.Oneof]string) {
	return f.Members(m, poolMethods, poolFieldMembers, func(_ *plan.Oneof, name string) []string {
		return []string{"Which" + name, "Clear" + name, "which" + name, "leave" + name}
	})
}

// poolFieldMembers are the struct field and the methods of a message's field.
func poolFieldMembers(field *plan.Field, name string) []string {
	switch {
	case IsPlain(field):
		return []string{name}
	case field.Type == plan.TypeMessage:
		return []string{"Get" + name, "Has" + name, "Mutable" + name, "Clear" + name, "field" + name}
	}
	return []string{"Get" + name, "Has" + name, "Set" + name, "Clear" + name, "field" + name}
}

// IsPlain reports whether the field is a plain exported struct field.
func IsPlain(field *plan.Field) bool { return field.IsRepeated() || !field.HasPresence() }

// assignBits assigns presence bits to the fields that need them. Pointers and the members of oneofs need none.
func (p *poolType) assignBits() {
	p.bits = map[*plan.Field]int{}
	for _, field := range p.fields {
		if !IsPlain(field) && field.Oneof == nil && !isPointer(field) {
			p.bits[field] = len(p.bits)
		}
	}
	p.words = (len(p.bits) + 31) / 32
}

// mostInStruct is how many messages of a oneof are stored in the struct itself. At most one of them is set, and
// the room of all others is lost in each element of a list.
const mostInStruct = 8

// isPointer reports whether the message of a field is outside the struct.
func isPointer(field *plan.Field) bool {
	if field.ChildStorage == plan.StoragePointer || field.Message == nil || field.Oneof == nil {
		return field.ChildStorage == plan.StoragePointer
	}
	children := 0
	for _, member := range field.Oneof.Fields {
		if member.Message != nil {
			children++
		}
	}
	return children > mostInStruct
}

// word is the expression of the presence word that has the field's bit, and the bit.
func (p *poolType) word(field *plan.Field) (word, bit string) {
	word = "m.has"
	if p.words > 1 {
		word += "[" + emit.Itoa(p.bits[field]/32) + "]"
	}
	return word, "1<<" + emit.Itoa(p.bits[field]%32)
}

// has is the condition that a singular field with presence is present.
func (p *poolType) has(field *plan.Field) string {
	switch {
	case field.Oneof != nil:
		return p.which(field) + " == " + emit.Itoa(field.Number)
	case isPointer(field):
		return p.slot(field) + " != nil"
	}
	word, bit := p.word(field)
	return word + "&(" + bit + ") != 0"
}

func (p *poolType) hasNot(field *plan.Field) string {
	switch {
	case field.Oneof != nil:
		return p.which(field) + " != " + emit.Itoa(field.Number)
	case isPointer(field):
		return p.slot(field) + " == nil"
	}
	word, bit := p.word(field)
	return word + "&(" + bit + ") == 0"
}

func (p *poolType) which(field *plan.Field) string { return "m.which" + p.oneof[field.Oneof] }

// slot is the struct field that holds a field. The numeric members of a oneof share one.
func (p *poolType) slot(field *plan.Field) string {
	switch {
	case IsPlain(field):
		return "m." + p.goNames[field]
	case field.Oneof == nil || field.Type == plan.TypeMessage:
		return "m.field" + p.goNames[field]
	}
	return "m." + sharedSlot(field) + p.oneof[field.Oneof]
}

// sharedSlot is the prefix of the slot that the members of one kind of a oneof share.
func sharedSlot(field *plan.Field) string {
	switch field.Type {
	case plan.TypeString:
		return "text"
	case plan.TypeBytes:
		return "bytes"
	}
	return "number"
}

// PoolGoType is the Go type of one element or value.
func PoolGoType(f *emit.File, field *plan.Field) string {
	if field.Type == plan.TypeMessage {
		return PoolMessage(f, field.Message)
	}
	return f.GoType(field)
}

// PoolMessage is the Go type of a message, qualified where needed.
func PoolMessage(f *emit.File, m *plan.Message) string { return f.Qualify(m.File, f.MessageName(m)) }

// fieldType is the Go type of a field in the struct.
func (p *poolType) fieldType(field *plan.Field) string {
	switch {
	case field.Map != nil:
		return mapType(p.File, field)
	case field.IsRepeated():
		return "[]" + PoolGoType(p.File, field)
	case isPointer(field):
		return "*" + PoolGoType(p.File, field)
	}
	return PoolGoType(p.File, field)
}

// needsOrder reports whether the order of a map's entries affects errors: it does if the values are searched for
// required fields.
func (p *poolType) needsOrder(field *plan.Field) bool {
	return field.Map != nil && field.Map.Value.Message != nil && p.NeedsRequired(field.Map.Value.Message)
}

func (p *poolType) emitType() {
	p.P("// ", p.name, " is the message ", p.message.Name, " (see package pool).")
	if p.message.Comment != "" {
		p.P("//")
		p.Comment(p.message.Comment)
	}
	p.emitLeftOut()
	p.P("type ", p.name, " struct {")
	p.P("hot ", p.Pool("Hidden"))
	for _, field := range p.fields {
		if field.Oneof != nil && field.Type != plan.TypeMessage {
			continue
		}
		name := p.slot(field)[len("m."):]
		if IsPlain(field) {
			p.Comment(field.Comment)
		}
		p.P(name, " ", p.fieldType(field), " // ", emit.Declaration(field))
		if p.needsOrder(field) {
			p.P("keys", p.goNames[field], " []", p.GoType(field.Map.Key), " // in the order of the input")
		}
	}
	for _, oneof := range p.oneofs {
		p.P("which", p.oneof[oneof], " uint32 // oneof ", oneof.Name)
		seen := map[string]bool{}
		for _, field := range oneof.Fields {
			slot := sharedSlot(field)
			if field.Type == plan.TypeMessage || seen[slot] {
				continue
			}
			seen[slot] = true
			p.P(slot, p.oneof[oneof], " ", map[string]string{"text": "string", "bytes": "[]byte", "number": "uint64"}[slot])
		}
	}
	switch {
	case p.words > 1:
		p.P("has [", p.words, "]uint32")
	case p.words == 1:
		p.P("has uint32")
	}
	p.P("}\n")
}

// emitLeftOut documents the fields that the message does not have.
func (p *poolType) emitLeftOut() {
	skipped := p.Skipped(p.message)
	if len(skipped) == 0 {
		return
	}
	p.P("//\n// Left out by only= or skip=:")
	required := ""
	for _, field := range skipped {
		p.P("//   ", emit.Declaration(field))
		if field.Presence == plan.Required {
			required = " Required ones among them are not checked."
		}
	}
	kept := "dropped, so the message cannot be written"
	if p.Options.KeepSkipped {
		kept = "kept among the unknown fields"
	}
	p.P("//\n// Their records are checked as those of unknown fields are, and ", kept, ".", required)
}

// decodesByTable and encodesByTable report whether a loop of the runtime reads and writes a message: where one alone needs
// it, its own code would weigh more than it saves.
func (p *poolType) decodesByTable(m *plan.Message) bool { return p.ByTable(m) || p.IsSingle(m) }
func (p *poolType) encodesByTable(m *plan.Message) bool { return p.EncodesByTable(m) || p.IsSingle(m) }

// requires reports whether the message or one inside it has required fields.
func (p *poolType) requires() bool { return p.NeedsRequired(p.message) }

// writes reports whether messages of this run can be written: no message drops fields.
func (p *poolType) writes() bool {
	return p.Options.KeepSkipped || len(p.Options.Only)+len(p.Options.Skip) == 0
}
