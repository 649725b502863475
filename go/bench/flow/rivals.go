package flow

// rivals write one flow at a time; most into a buffer that is used again.
var rivals = map[string]func(fields int) rival{
	"hotpb-schema":        newHotpb,
	"hotpb-schema:struct": newHotpbStruct,
	"protobuf-go":         newStock,
	"vtprotobuf":          newVTProtobuf,
	"vtprotobuf:reused":   newVTProtobufReused,
	"dynamicpb":           newDynamicpb,
	"easyproto":           newEasyproto,
	"article":             newArticle,
	"hand":                newHand,
}

// batchers write all flows and hand them over: those that write fresh bytes for each flow, as they do.
var batchers = map[string]func(fields int) batcher{
	"hotpb-schema":        newHotpbBatch,
	"hotpb-schema:struct": newHotpbStructBatch,
	"protobuf-go":         each(newStock),
	"vtprotobuf":          each(newVTProtobuf),
	"dynamicpb":           each(newDynamicpb),
	"easyproto":           each(fresh(newEasyproto)),
	"article":             each(newArticle),
	"hand":                each(fresh(newHand)),
}

func each(make func(fields int) rival) func(fields int) batcher {
	return func(fields int) batcher {
		r := make(fields)
		var messages [][]byte
		return batcher{func() ([][]byte, int, error) {
			messages = messages[:0]
			size := 0
			for i := range flows {
				b, err := r.encode(i)
				if err != nil {
					return nil, 0, err
				}
				messages = append(messages, b)
				size += len(b)
			}
			return messages, size, nil
		}, r.note}
	}
}

// fresh copies what is in a buffer that is used again.
func fresh(make func(fields int) rival) func(fields int) rival {
	return func(fields int) rival {
		r := make(fields)
		return rival{func(i int) ([]byte, error) {
			b, err := r.encode(i)
			return append([]byte(nil), b...), err
		}, "a copy for each flow"}
	}
}
