package view_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// VIW-12, FCE-2. FuzzEdit reads any bytes as a message and edits it: nothing panics, and if the stock runtime reads
// the bytes in the same way, the edits have the same result there.
func FuzzEdit(f *testing.F) {
	f.Add(uint8(0), uint64(1), []byte{})
	f.Add(uint8(1), uint64(2), join(varint(1, 5), text(14, "x"), message(18, varint(1, 1)), packedVarints(31, 1, 2)))
	f.Add(uint8(0), uint64(3), join(message(18, varint(1, 1)), text(14, "x"), message(18, varint(1, 2)),
		message(56, varint(1, 1), varint(2, 2))))
	f.Fuzz(func(t *testing.T, kind uint8, seed uint64, input []byte) {
		m := stockMessages[int(kind)%2] // all enums are open: dynamic messages treat closed ones as open
		x := &randomEdits{r: rand.New(rand.NewPCG(seed, 1)), kind: stockType(t, m.set, m.name)}
		x.editor, x.name = editors[m.name], m.name
		want := x.kind.New()
		root := reflect.New(x.editor)
		start := append([]byte(nil), input...)
		decode := root.MethodByName("Decode").Call([]reflect.Value{reflect.ValueOf(&x.buf), reflect.ValueOf(start)})
		err, _ := decode[0].Interface().(error)
		if err != nil {
			mustHaveCode(t, err)
			return
		}
		same := stockUnmarshal(input, want.Interface()) == nil && sameForTheStockRuntime(t, x.kind, m.name, input)
		if !same {
			x.blind(t, root)
			return
		}
		for range 8 {
			x.edits(root, want, 2, 1)
			x.compare(t, root, want)
		}
	})
}

// blind edits a message that cannot be read completely: the damaged part stays, and the level that was read stays
// readable.
func (x *randomEdits) blind(t *testing.T, root reflect.Value) {
	for _, method := range []string{
		"SetOptionalInt32", "SetOptionalString", "ClearOptionalNestedMessage", "EditOptionalNestedMessage",
		"AddRepeatedInt32", "ClearRepeatedString", "EditMapStringNestedMessage",
	} {
		m := root.MethodByName(method)
		if !m.IsValid() {
			continue
		}
		var in []reflect.Value
		for i := range m.Type().NumIn() {
			if m.Type().IsVariadic() {
				break
			}
			in = append(in, reflect.New(m.Type().In(i)).Elem())
		}
		m.Call(in)
		shown := root.MethodByName("View").Call(nil)[0]
		fresh := reflect.New(shown.Type().Elem())
		decode := fresh.MethodByName("Decode").Call([]reflect.Value{reflect.ValueOf(x.buf.Bytes())})
		if err := decode[0].Interface(); err != nil {
			t.Fatalf("after %s: %v: %x", method, err, x.buf.Bytes())
		}
		var e *wire.Error
		if err := x.buf.Err(); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
	}
}
