package protozero

import "github.com/VictoriaMetrics/easyproto"

// newEasyproto writes field by field into a marshaler that keeps fields and encodes them at the end.
func newEasyproto() rival {
	var m easyproto.Marshaler
	var out []byte
	return rival{func(depth int) ([]byte, error) {
		m.Reset()
		fillEasyproto(m.MessageMarshaler(), depth)
		out = m.Marshal(out[:0])
		return out, nil
	}, "one Marshaler, used again"}
}

func fillEasyproto(mm *easyproto.MessageMarshaler, depth int) {
	mm.AppendInt32(1, int32(inputs.numbers[0]))
	mm.AppendUint32(3, uint32(inputs.numbers[1]))
	mm.AppendInt64(2, int64(inputs.numbers[2]))
	mm.AppendUint64(4, inputs.numbers[3])
	mm.AppendString(500, inputs.text)
	if depth > 1 {
		fillEasyproto(mm.AppendMessage(14), depth-1)
	}
}
