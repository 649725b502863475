package schema_test

import (
	"encoding/hex"
	"net/netip"
	"strings"
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
	r.AddUint(path, 1, 0, 300)
	if r.BeginItem(labels) {
		r.String(name, "a")
		r.End()
	}
	encoded, err := r.AppendDelimited(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := hex.EncodeToString(encoded)
	const want = "22" + "48dc0b" + "2a1000000000000000000000ffffc0000201" + "aa01040100ac02" + "b201030a0161"
	if got != want {
		t.Errorf("got %s, want %s (%v)", got, want, r.Err())
	}
}

// The star of a pattern stands for dots, too.
func TestPatternsSwitchColumnsByTheirNamesInTheirMessages(t *testing.T) {
	for pattern, want := range map[string]string{
		"*_id":        "flow_id / Label.parent_id",
		"Label.*":     "/ Label.name Label.parent_id",
		"[^L]*":       "flow_id id id_of labels /",
		"id":          "id /",
		"*.parent_id": "/ Label.parent_id",
	} {
		s := schema.New("Flow", schema.Package("flows"))
		label := s.NewMessage("Label")
		for i, name := range []string{"flow_id", "id", "id_of"} {
			s.Uint64(name, uint32(i+1))
		}
		label.String("name", 1)
		label.Uint64("parent_id", 2)
		s.NestedList("labels", 4, label)
		plan := compile(t, s, schema.Off(pattern))
		var off []string
		for _, c := range plan.ColumnsOff("flows.Flow") {
			off = append(off, c.Name)
		}
		off = append(off, "/")
		for _, c := range plan.ColumnsOff("flows.Label") {
			off = append(off, "Label."+c.Name)
		}
		if got := strings.Join(off, " "); got != want {
			t.Errorf("%s: off are %s, want %s", pattern, got, want)
		}
	}
}
