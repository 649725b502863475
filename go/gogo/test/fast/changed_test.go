package fast_test

import (
	"bytes"
	"testing"

	"github.com/gogo/protobuf/proto"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
)

// restless is a message whose encoding has another length each time, like one that another goroutine changes.
type restless struct {
	calls   int
	lengths []int
}

func (*restless) Reset()         {}
func (*restless) String() string { return "" }
func (*restless) ProtoMessage()  {}

func (r *restless) Marshal() ([]byte, error) {
	n := r.lengths[r.calls%len(r.lengths)]
	r.calls++
	return bytes.Repeat([]byte{0xee}, n), nil
}

var extRestless = &proto.ExtensionDesc{
	ExtendedType: (*p2.All)(nil), ExtensionType: (*restless)(nil), Field: 1990, Name: "restless", Tag: "bytes,1990,opt,name=restless",
}

// An extension that is longer or shorter than the size it reported is an error: it does not overwrite other fields,
// and no bytes of an earlier message appear in its place.
func TestExtensionsThatChangeMeanwhileAreRefused(t *testing.T) {
	for _, c := range []struct {
		lengths []int
		good    bool
	}{
		// The runtime asks three times: for the total size, for the length in front, and for the bytes.
		{[]int{7, 7, 7}, true}, {[]int{7, 7, 6}, false}, {[]int{7, 7, 0}, false}, {[]int{7, 7, 8}, false}, {[]int{7, 7, 10_000}, false},
		{[]int{0, 0, 9}, false}, {[]int{7, 300, 300}, false}, {[]int{300, 7, 7}, false},
	} {
		m := &p2.All{SingleString: proto.String("before")}
		changing := &restless{lengths: c.lengths}
		if err := proto.SetExtension(m, extRestless, changing); err != nil {
			t.Fatal(err)
		}
		room := bytes.Repeat([]byte{0xaa}, 200)
		_, err := m.MarshalHot()
		changing.calls = 0
		out, appendErr := m.MarshalAppendHot(room[:3:100])
		if (err == nil) != c.good || (appendErr == nil) != c.good {
			t.Errorf("lengths %v: %v, %v", c.lengths, err, appendErr)
		}
		if !c.good && len(out) != 3 || !bytes.Equal(room[:3], []byte{0xaa, 0xaa, 0xaa}) || !bytes.Equal(room[100:], bytes.Repeat([]byte{0xaa}, 100)) {
			t.Errorf("lengths %v: %d bytes, around them %x", c.lengths, len(out), room)
		}
	}
}
