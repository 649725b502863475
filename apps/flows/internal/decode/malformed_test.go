package decode

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// small is a schema that is easy to see through.
const small = `
package: test
message: Flow
columns:
  - {name: type, number: 1, type: uint32, from: 4294967295/1}
  - {name: rate, number: 2, type: uint32, from: [34, 50]}
  - {name: bytes, number: 3, type: uint64, from: 1}
  - {name: src, number: 4, type: ip, from: 8}
  - {name: name, number: 5, type: string, from: 82}
  - {name: vendor, number: 6, type: uint32, from: 9/1}
  - {name: start, number: 7, type: timestamp(millis), from: [22, 150, 152]}
`

var (
	octets  = template.Field{Element: 1, Length: 4}
	source  = template.Field{Element: 8, Length: 4}
	title   = template.Field{Element: 82, Length: template.VariableLength}
	vendor  = template.Field{Enterprise: 9, Element: 1, Length: 4}
	started = template.Field{Element: 22, Length: 4}
)

// expect compares what was lost.
func (r *rig) expect(subject string, want map[string]uint64) {
	r.t.Helper()
	if got := r.dropped(); !maps.Equal(got, want) {
		r.t.Errorf("%s: lost %v instead of %v", subject, got, want)
	}
}

func (r *rig) expectFlows(subject string, got []string, want ...string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: %q instead of %q", subject, got, want)
	}
}

func TestDatagramsCutOffAtEveryByteGiveWhatIsWhole(t *testing.T) {
	l := standard(t)
	for _, c := range captures {
		datagrams := capture(t, c.name)[:2]
		for i := range datagrams {
			whole := newRig(t, anyClock(), l, nil, Options{})
			if i == 1 {
				whole.send(datagrams[0])
			}
			flows := whole.send(datagrams[i])
			for end := range datagrams[i] {
				for _, o := range []Options{{}, {Goflow2: true}} {
					if o.Goflow2 && end%7 > 0 || i == 1 && end%5 > 0 {
						continue
					}
					r := newRig(t, anyClock(), l, nil, o)
					if i == 1 {
						r.send(datagrams[0])
					}
					got := r.send(bytes.Clone(datagrams[i][:end])) // of its own, so that the race detector and the allocator see its end
					if len(got) > len(flows) || !slices.Equal(got, flows[:len(got)]) {
						t.Fatalf("%s cut off at %d: %q", c.name, end, got)
					}
					lost := r.dropped()
					if n := lost["truncated"] + lost["unknown_version"]; n == 0 {
						t.Fatalf("%s cut off at %d: lost %v", c.name, end, lost)
					}
					delete(lost, "truncated")
					delete(lost, "unknown_version")
					if len(lost) > 0 {
						t.Fatalf("%s cut off at %d: lost %v", c.name, end, lost)
					}
				}
			}
		}
	}
}

func TestWhatIsWrongWithADatagramIsCountedUnderItsReason(t *testing.T) {
	v5, v9, ipfix := build{protocol: flow.NetFlow5}, build{protocol: flow.NetFlow9}, build{protocol: flow.IPFIX}
	record5 := join(be32(0x01020304), make([]byte, 44))
	data := set(256, be32(5, 0x01020304))
	change := func(b []byte, at int, to ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[at:], to)
		return b
	}
	for _, c := range []struct {
		name     string
		datagram []byte
		flows    int
		lost     map[string]uint64
	}{
		{"nothing", nil, 0, map[string]uint64{"unknown_version": 1}},
		{"NetFlow v7", join(be16(7), make([]byte, 100)), 0, map[string]uint64{"unknown_version": 1}},
		{"v5, two records and three announced", change(v5.datagram(record5, record5), 3, 3), 2, map[string]uint64{"truncated": 1}},
		{"v5, 30 records", v5.datagram(bytes.Repeat(record5, 30)), 30, nil},
		{"v5, 31 records", v5.datagram(bytes.Repeat(record5, 31)), 0, map[string]uint64{"malformed": 1}},
		{"v5, 31 records announced", change(v5.datagram(record5), 3, 31), 0, map[string]uint64{"malformed": 1}},
		{"v5, 65535 records announced", change(v5.datagram(record5), 2, 255, 255), 0, map[string]uint64{"malformed": 1}},
		{"v5, 60000 records announced, and bytes of any sort", change(v5.datagram(bytes.Repeat([]byte{0xd7}, 28*message.RecordSize5)), 2, 0xea, 0x60), 0, map[string]uint64{"malformed": 1}},
		{"v5, two records and one announced", change(v5.datagram(record5, record5), 3, 1), 1, map[string]uint64{"malformed": 1}},
		{"v5, half a header", v5.datagram()[:12], 0, map[string]uint64{"truncated": 1}},
		{"v9", v9.datagram(v9.template(256, octets, source), data), 1, nil},
		{"v9, half a header", v9.datagram()[:12], 0, map[string]uint64{"truncated": 1}},
		{"v9, a set of no bytes", v9.datagram(v9.template(256, octets, source), be16(256, 0)), 0, map[string]uint64{"malformed": 1}},
		{"v9, a set that has less than its header", v9.datagram(v9.template(256, octets, source), be16(256, 3), data), 0, map[string]uint64{"malformed": 1}},
		{"v9, a set longer than the datagram", v9.datagram(v9.template(256, octets, source), change(data, 3, 13)), 0, map[string]uint64{"truncated": 1}},
		{"v9, a set of no type", v9.datagram(v9.template(256, octets, source), set(7, be32(1)), data), 1, map[string]uint64{"malformed": 1}},
		{"v9, the last set is missing", change(v9.datagram(v9.template(256, octets, source), data), 3, 3), 1, map[string]uint64{"truncated": 1}},
		{"v9, one set of three is of an unknown template", change(v9.datagram(v9.template(256, octets, source), data, set(300, be32(5, 6))), 3, 4), 1, nil},
		{"v9, padding", v9.datagram(v9.template(256, octets, source, vendorless(60, 3)), set(256, be32(5, 6), make([]byte, 3+1))), 1, nil},
		{"v9, zeros behind the sets", v9.datagram(v9.template(256, octets, source), data, make([]byte, 8)), 1, nil},
		{"IPFIX", ipfix.datagram(ipfix.template(256, octets, source), data), 1, nil},
		{"IPFIX, half a header", ipfix.datagram()[:12], 0, map[string]uint64{"truncated": 1}},
		{"IPFIX, shorter than its header", change(ipfix.datagram(data), 2, 0, 15), 0, map[string]uint64{"malformed": 1}},
		{"IPFIX, longer than the datagram", change(ipfix.datagram(ipfix.template(256, octets, source), data), 2, 255, 255), 1, map[string]uint64{"truncated": 1}},
		{"IPFIX, shorter than the datagram", join(ipfix.datagram(ipfix.template(256, octets, source), data), data, be32(1)), 1, map[string]uint64{"malformed": 1}},
		{"IPFIX, a set of no type", ipfix.datagram(set(0), ipfix.template(256, octets, source), set(1, be32(1)), data), 1, map[string]uint64{"malformed": 2}},
		{"IPFIX, a name longer than its set", ipfix.datagram(ipfix.template(256, octets, title), set(256, be32(5), []byte("\x03abc"), be32(6), []byte("\x04abc"))), 1, map[string]uint64{"malformed": 1}},
		{"IPFIX, a name of 65535 bytes", ipfix.datagram(ipfix.template(256, octets, title), set(256, be32(5), []byte("\xff\xff\xff"), make([]byte, 1000))), 0, map[string]uint64{"malformed": 1}},
		{"IPFIX, half a length", ipfix.datagram(ipfix.template(256, octets, title), set(256, be32(5), []byte("\xff\xff"))), 0, map[string]uint64{"malformed": 1}},
	} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
			flows := r.send(c.datagram)
			if len(flows) != c.flows {
				t.Errorf("%s (%+v): %q", c.name, o, flows)
			}
			r.expect(fmt.Sprintf("%s (%+v)", c.name, o), c.lost)
		}
	}
}

func vendorless(element, length uint16) template.Field {
	return template.Field{Element: element, Length: length}
}

func TestTemplatesThatLieAreCountedAndTheOthersRead(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	v9 := build{protocol: flow.NetFlow9}
	good := b.templateRecord(256, octets)
	data := set(256, be32(5))
	for _, c := range []struct {
		name string
		sets [][]byte
		lost map[string]uint64
	}{
		{"more fields than there are", [][]byte{set(2, good, be16(257, 3), be16(1, 4))}, map[string]uint64{"template_malformed": 1}},
		{"65535 fields", [][]byte{set(2, good, be16(257, 65535), be16(1, 4))}, map[string]uint64{"template_malformed": 1}},
		{"the number of a set", [][]byte{set(2, good, be16(255, 1, 1, 4))}, map[string]uint64{"template_malformed": 1}},
		{"records of no bytes", [][]byte{set(2, be16(257, 1, 1, 0), good)}, map[string]uint64{"template_malformed": 1}},
		{"records of more than a message", [][]byte{set(2, be16(257, 2, 1, 65534, 1, 2), good)}, map[string]uint64{"template_malformed": 1}},
		{"half an enterprise", [][]byte{set(2, good, be16(257, 1, 0x8001, 4, 0))}, map[string]uint64{"template_malformed": 1}},
		{"more scopes than fields", [][]byte{set(2, good), set(3, be16(258, 1, 2, 1, 4))}, map[string]uint64{"template_malformed": 1}},
		{"a rest", [][]byte{set(2, good, []byte{1, 2, 3, 4})}, map[string]uint64{"template_malformed": 1}},
		{"padding", [][]byte{set(2, good, make([]byte, 7))}, nil},
	} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
		r.expectFlows(c.name, r.send(b.datagram(append(c.sets, data)...)), "type=3 bytes=5")
		r.expect(c.name, c.lost)
	}
	for name, template := range map[string][]byte{
		"no fields":                  set(0, be16(257, 0)),
		"lengths that are no fields": set(1, be16(257, 3, 4, 1, 4, 1, 4)),
		"options without fields":     set(1, be16(257, 0, 0)),
	} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
		r.expectFlows(name, r.send(v9.datagram(v9.template(256, octets), template, data)), "type=2 bytes=5")
		r.expect(name, map[string]uint64{"template_malformed": 1})
	}
}

func TestAFieldThatCannotFillItsColumnCostsOnlyThat(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	for _, o := range []Options{{}, {Goflow2: true}} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
		wrong := template.Field{Element: 8, Length: 5}
		flows := r.send(b.datagram(b.template(256, wrong, vendorless(1, 9), octets, vendor), set(256, make([]byte, 5+9), be32(6, 7))))
		r.expectFlows("two fields", flows, "type=3 vendor=7")
		r.expect("two fields", map[string]uint64{"field_refused": 2})
		flows = r.send(b.datagram(set(256, make([]byte, 5+9), be32(6, 8))))
		r.expectFlows("again", flows, "type=3 vendor=8")
		r.expect("counted once for a template", map[string]uint64{"field_refused": 2})
	}
}

func TestHugeEnterpriseFieldsAreReadAndPassedOver(t *testing.T) {
	b := build{protocol: flow.IPFIX}
	huge := template.Field{Enterprise: 4711, Element: 5, Length: template.VariableLength}
	long := append([]byte{255}, append(be16(60000), bytes.Repeat([]byte{0xff}, 60000)...)...)
	for _, o := range []Options{{}, {Goflow2: true}} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, o)
		r.expectFlows("a field of 60000 bytes", r.send(b.datagram(b.template(256, huge, octets), set(256, long, be32(5)))), "type=3 bytes=5")
		fixed := template.Field{Enterprise: 4711, Element: 5, Length: 65000}
		r.expectFlows("one of fixed length", r.send(b.datagram(b.template(257, fixed, octets), set(257, make([]byte, 65000), be32(6)))), "type=3 bytes=6")
		r.expect("huge fields", nil)
		full := b.template(258, slices.Repeat([]template.Field{{Enterprise: 4711, Element: 5, Length: 65535}}, 400)...)
		r.expectFlows("400 fields of variable length", r.send(b.datagram(full, set(258, make([]byte, 399)))))
		r.expect("padding", nil)
		if flows := r.send(b.datagram(full, set(258, make([]byte, 800)))); len(flows) != 2 {
			t.Errorf("%q", flows)
		}
	}
}

// Neither NetFlow v5 nor sFlow, whose templates are built in, count once more for each worker.
func TestFieldsThatALayoutRefusesAreCountedOnce(t *testing.T) {
	text := "message: Flow\ncolumns:\n - {name: mac, number: 1, type: mac, from: 4294967295/7}\n"
	l := parse(t, text)
	r := newRig(t, session.DefaultLimits(), l, nil, Options{})
	once := r.dropped()["field_refused"]
	for range 3 {
		if _, err := New(r.store, l, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.dropped()["field_refused"]; n != once || n == 0 {
		t.Errorf("%d after %d", n, once)
	}
	if err := r.Use(parse(t, text), nil); err != nil {
		t.Fatal(err)
	}
	r.expect("after a reload", map[string]uint64{"field_refused": 2 * once})
}
