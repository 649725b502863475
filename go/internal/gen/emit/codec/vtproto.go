package codec

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// vtMethod is a method of vtprotobuf's. In its text, T is the struct, codec. and google. are the runtime's packages, and
// pool is the message's pool.
type vtMethod struct{ feature, name, text string }

var vtMethods = []vtMethod{
	{"size", "SizeVT", "() int { return m.SizeHot() }"},
	{"marshal", "MarshalVT", "() ([]byte, error) { return codec.MarshalVT(m) }"},
	{"marshal", "MarshalToVT", "(b []byte) (int, error) { return codec.MarshalToVT(b, m) }"},
	{"marshal", "MarshalToSizedBufferVT", "(b []byte) (int, error) { return codec.MarshalToSizedBufferVT(b, m) }"},
	{"marshal_strict", "MarshalVTStrict", "() ([]byte, error) { return google.MarshalVTStrict(m) }"},
	{"marshal_strict", "MarshalToVTStrict", "(b []byte) (int, error) { return google.MarshalToVTStrict(b, m) }"},
	{"marshal_strict", "MarshalToSizedBufferVTStrict", "(b []byte) (int, error) { return google.MarshalToSizedBufferVTStrict(b, m) }"},
	{"unmarshal", "UnmarshalVT", "(b []byte) error { return m.UnmarshalHotOptions(b, codec.UnmarshalOptions{Merge: true}) }"},
	{"unmarshal_unsafe", "UnmarshalVTUnsafe", "(b []byte) error { return m.UnmarshalHotOptions(b, codec.UnmarshalOptions{Merge: true, Alias: true}) }"},
	{"equal", "EqualVT", "(that *T) bool { return google.EqualVT(m, that) }"},
	{"equal", "EqualMessageVT", "(that proto.Message) bool { return google.EqualVT(m, that) }"},
	{"clone", "CloneVT", "() *T { return google.CloneVT(m) }"},
	{"clone", "CloneMessageVT", "() proto.Message { return google.CloneVT(m) }"},
	{"pool", "ResetVT", ""},
	{"pool", "ReturnToVTPool", "() { pool.Put(m) }"},
}

var vtPackages = []struct{ name, path string }{
	{"codec.", emit.RuntimePath + "/rt/codec"}, {"google.", emit.RuntimePath + "/rt/codec/google"}, {"proto.", "google.golang.org/protobuf/proto"},
}

// emitVtproto adds vtprotobuf's methods, for compat=vtproto. It leaves out those whose name means something else in
// the struct.
func (c *codecType) emitVtproto() {
	if c.Options.Vtproto == nil {
		return
	}
	pooled, pool := c.pooled(c.Message), ""
	if pooled {
		pool = c.emitVtPool()
	} else if c.Gen.IsPooled(c.Message) {
		c.lacks("pool", c.poolFault(c.Message))
	}
	if c.dropsUnknown() {
		c.P("// ", dropsUnknown, " marks a message without unknown fields: CloneVT and EqualVT leave them out.")
		c.P("func (*", c.Name, ") ", dropsUnknown, "() {}\n")
	}
	for _, method := range vtMethods {
		if !c.Options.Vtproto.Has(method.feature) || method.feature == "pool" && !pooled {
			continue
		}
		if member := c.MemberCalled(method.name); member != "" && !c.IsAlwaysOpaque(c.Message) {
			c.lacks(method.name, member+" has that name")
			continue
		}
		if method.name == "ResetVT" {
			c.emitResetVT()
			continue
		}
		text := strings.ReplaceAll(strings.ReplaceAll(method.text, "*T", "*"+c.Name), "pool.", pool+".")
		for _, in := range vtPackages {
			if strings.Contains(text, " "+in.name) {
				text = strings.ReplaceAll(text, " "+in.name, " "+c.Ident(in.path, ""))
			}
		}
		c.P("func (m *", c.Name, ") ", method.name, text)
	}
	c.P()
}

const dropsUnknown = "DropsUnknownHot"

// dropsUnknown reports whether an option of vtprotobuf drops the message's unknown fields.
func (c *codecType) dropsUnknown() bool { return c.Options.Vtproto != nil && c.Unknown == "" }

// lacks reports a name of vtprotobuf's that the message's code cannot have.
func (c *codecType) lacks(name, reason string) {
	c.P("// ", c.Name, " lacks vtprotobuf's ", name, ": ", reason, ".\n")
	c.Gen.Warn("message " + c.Message.Name + " lacks vtprotobuf's " + name + ": " + reason)
}

// pooled reports whether this run generates a pool for a message's structs, which decoders of this run use.
func (c *codecType) pooled(m *plan.Message) bool {
	return m != nil && c.Gen.IsPooled(m) && c.isLocal(m) && c.poolFault(m) == ""
}

// poolFault returns the reason why a message that should have a pool cannot have one, or "".
func (c *codecType) poolFault(m *plan.Message) string {
	if owner := c.Gen.NamesOf(m.File).Taken[c.MessageName(m)+"FromVTPool"]; owner != "" {
		return owner + " has the name " + c.MessageName(m) + "FromVTPool"
	}
	stock, err := emit.NewStockMessage(c.File, m)
	if err != nil || c.IsAlwaysOpaque(m) {
		return ""
	}
	for _, name := range []string{"ResetVT", "ReturnToVTPool"} {
		if member := stock.MemberCalled(name); member != "" {
			return member + " is called " + name + " in Go"
		}
	}
	return ""
}

// emitVtPool declares the pool of a message's structs and the function that takes from it, and returns the pool's name.
func (c *codecType) emitVtPool() string {
	pool := c.Claim("poolHot"+c.Name, "the pool of message "+c.Message.Name)
	c.P("var ", pool, " ", Codec(c.File, "VTPool"), "[", c.Name, ", *", c.Name, "]\n")
	c.P("// ", c.Name, "FromVTPool returns an empty message, which ReturnToVTPool takes back.")
	c.P("func ", c.Name, "FromVTPool() *", c.Name, " { return ", pool, ".Get() }\n")
	return pool
}

// emitResetVT writes the method that empties a message and keeps its memory: the room of its lists with the messages in
// it. It returns other messages that have pools to these. Values that pointed into an input are gone.
func (c *codecType) emitResetVT() {
	c.P("func (m *", c.Name, ") ResetVT() {\nif m == nil {\nreturn\n}")
	type kept struct{ slot, name string }
	var lists []kept
	for _, field := range c.StockFields {
		switch {
		case field.Map != nil, field.Boxed, isLazy(field):
		case field.Oneof != nil:
			if c.pooled(field.Message) {
				c.P("if w, is := ", field.Oneof.StockSlot, ".(*", field.Wrapper, "); is && w != nil {\n", field.StockSlot, ".ReturnToVTPool()\n}")
			}
		case field.Store == emit.StoreMessage:
			if c.pooled(field.Message) {
				c.P(field.StockSlot, ".ReturnToVTPool()")
			}
		case field.Store == emit.StoreList:
			switch {
			case c.pooled(field.Message):
				c.P("for _, elem := range ", field.StockSlot, " {\nelem.ResetVT()\n}")
			case field.Type == plan.TypeMessage:
				c.P(Codec(c.File, "Empty"), "(", field.StockSlot, ")")
			case emit.IsText(field.Field):
				c.P("clear(", field.StockSlot, ")")
			}
			name := "list" + emit.Itoa(field.Number)
			c.P(name, " := ", field.StockSlot, "[:0]")
			lists = append(lists, kept{field.StockSlot, name})
		}
	}
	c.P(c.reset())
	for _, list := range lists {
		c.P(list.slot, " = ", list.name)
	}
	c.P("}")
}

// newMessage is the expression of a new message of a field's type.
func (c *codecType) newMessage(m *plan.Message) string {
	if c.pooled(m) {
		return c.structName(m) + "FromVTPool()"
	}
	return "new(" + c.structName(m) + ")"
}
