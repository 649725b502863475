package pool

import (
	"fmt"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitPoolExtension writes the methods with which the handle of an extension reads from messages and writes into
// them.
func emitPoolExtension(f *emit.File, x *plan.Field) {
	h := f.EmitExtension(x)
	extendee := PoolMessage(f, x.Extendee)
	method := func(name, signature, body string) {
		f.P("func (x ", h.Kind, ") ", name, signature, " {\n", body, "\n}\n")
	}
	value, group := PoolGoType(f, x), "nil, 0"
	if x.Message != nil {
		group = fmt.Sprintf("%s, %d", layouts(f, x.Message), f.IndexInGroup(x.Message))
	}
	const arguments = "(m.RefHot().Hidden(), x.Table()"
	switch {
	case x.Extendee.MessageSet:
		method("Read", "(m *"+extendee+") (c *"+value+", err error)",
			"item, has := "+f.Pool("Item")+"(m.RefHot().Hidden(), x.Table().Number)\nif !has {\nreturn nil, nil\n}\nc = new("+value+")\nreturn c, c.UnmarshalOwned(item)")
		if writesPool(f) {
			method("Put", "(m *"+extendee+", c *"+value+") error",
				"if c == nil {\nreturn "+f.Pool("SetExtension")+"(m.RefHot().Hidden(), x.Table(), nil)\n}\n"+
					"item, err := c.Marshal()\nif err != nil {\nreturn err\n}\nreturn "+f.Pool("SetItem")+"(m.RefHot().Hidden(), x.Table(), item)")
		}
	case x.IsRepeated():
		method("Read", "(m *"+extendee+") ([]"+value+", error)", "return "+f.Pool("ReadExtensions")+"["+value+"]"+arguments+", "+group+")")
		if writesPool(f) {
			method("Put", "(m *"+extendee+", value []"+value+") error", "return "+f.Pool("PutExtensions")+arguments+", value, "+group+")")
		}
	case x.Message != nil:
		method("Read", "(m *"+extendee+") (*"+value+", error)", "return "+f.Pool("ReadMessage")+"["+value+"]"+arguments+", "+group+")")
		if writesPool(f) {
			method("Put", "(m *"+extendee+", value *"+value+") error", "return "+f.Pool("PutMessage")+arguments+", value, "+group+")")
		}
	default:
		method("Read", "(m *"+extendee+") (value "+value+", has bool, err error)",
			"return "+f.Pool("ReadExtension")+"["+value+"]"+arguments+", "+f.DefaultOf(x)+")")
		if writesPool(f) {
			method("Put", "(m *"+extendee+", value "+value+") error", "return "+f.Pool("PutExtension")+arguments+", value)")
		}
	}
	method("Remove", "(m *"+extendee+")", f.Pool("SetExtension")+"(m.RefHot().Hidden(), x.Table(), nil)")
}

func writesPool(f *emit.File) bool { return (&poolType{File: f}).writes() }
