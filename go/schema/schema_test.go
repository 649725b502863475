package schema_test

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
)

func TestRecordOfADocumentedFlow(t *testing.T) {
	s := schema.New("FlowMessage", schema.Package("flows"))
	bytes := s.Uint64("bytes", 9)
	src := s.IP("src_addr", 5)
	mac := s.MAC("src_mac", 20, schema.Disabled)
	path := s.Uint32s("as_path", 21)
	label := s.NewMessage("Label")
	name := label.String("name", 1)
	labels := s.NestedList("labels", 22, label)
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	r := plan.NewRecord()
	r.Uint(bytes, 1500)
	r.IP(src, netip.MustParseAddr("192.0.2.1"))
	r.MAC(mac, 0xabc)
	r.Uint32s(path, []uint32{1, 0, 300})
	if r.BeginItem(labels) {
		r.String(name, "a")
		r.End()
	}
	got := hex.EncodeToString(r.AppendDelimited(nil))
	const want = "22" + "48dc0b" + "2a1000000000000000000000ffffc0000201" + "aa01040100ac02" + "b201030a0161"
	if got != want || r.Err() != nil {
		t.Errorf("got %s, want %s (%v)", got, want, r.Err())
	}
}
