package explain

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
)

var received = time.Unix(1_800_000_000, 0).UTC()

// world is the repository's schema, with all columns.
func world(t testing.TB, all bool) *layout.Layout {
	t.Helper()
	text, err := os.ReadFile("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if all {
		text = bytes.ReplaceAll(text, []byte(", off: true"), nil)
	}
	l, err := layout.Parse("flows.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func datagrams(payloads ...[]byte) (list []flow.Datagram) {
	for i, p := range payloads {
		list = append(list, flow.Datagram{
			Received: received.Add(time.Duration(i) * time.Second), From: netip.MustParseAddrPort("192.0.2.1:2055"), Payload: p,
		})
	}
	return list
}

// explained returns the explanation of datagrams, and what was counted.
func explained(t testing.TB, l *layout.Layout, e flow.Enricher, list []flow.Datagram) (string, map[string]uint64) {
	t.Helper()
	var counts count.Counters
	var text bytes.Buffer
	x, err := New(&text, session.NewStore(limits(), &counts), l, e)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if err := x.Datagram(&list[i], true); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.End(); err != nil {
		t.Fatal(err)
	}
	return text.String(), totals(&counts)
}

// replayed returns the flows of datagrams as JSON, and what was counted.
func replayed(t testing.TB, l *layout.Layout, e flow.Enricher, list []flow.Datagram) ([]string, map[string]uint64) {
	t.Helper()
	var counts count.Counters
	store := session.NewStore(limits(), &counts)
	d, err := decode.New(store, l, e)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for i := range list {
		all, _ = d.Append(all, &list[i])
	}
	all, _ = d.End(all)
	store.Close()
	var lines bytes.Buffer
	if _, err := output.Cat(l, bytes.NewReader(all), &lines); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(lines.String(), "\n"), "\n"), totals(&counts)
}

func limits() session.Limits {
	l := session.DefaultLimits()
	l.ClockSkew, l.RateWait = 0, 10*time.Second
	return l
}

func totals(c *count.Counters) map[string]uint64 {
	all := map[string]uint64{"unsampled": c.Unsampled.Load(), "held": c.Held.Load(), "options": c.Options.Load(), "templates": c.Templates.Load(), "released": c.Released.Load(), "passed": c.Passed.Load(), "encoded": c.Encoded.Load()}
	for r := range count.Reasons {
		all[r.String()] = c.Dropped(r)
	}
	for p := range flow.Protocols {
		all[p.String()] = c.Flows[p].Load()
	}
	return all
}

var flowLine = regexp.MustCompile(`(?m)^ *(?:reverse )?flow (\{.*\})$`)

// agree compares an explanation with what a replay writes.
func agree(t *testing.T, l *layout.Layout, e flow.Enricher, list []flow.Datagram) (text string) {
	t.Helper()
	text, counted := explained(t, l, e, list)
	want, wanted := replayed(t, l, e, list)
	var got []string
	for _, found := range flowLine.FindAllStringSubmatch(text, -1) {
		got = append(got, found[1])
	}
	for i := range want {
		want[i] = escape(want[i])
	}
	if len(want) == 1 && want[0] == "" {
		want = nil
	}
	slices.Sort(got) // the flows of a biflow are shown together
	slices.Sort(want)
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("%d flows, not %d; first difference:\n%v\n%v", len(got), len(want), got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
			}
		}
	}
	if fmt.Sprint(counted) != fmt.Sprint(wanted) {
		t.Fatalf("counted\n%v, not\n%v", counted, wanted)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%q is in the text", r)
		}
	}
	return text
}

// samples are the captures of the repository and generated datagrams.
func samples(t *testing.T) map[string][]flow.Datagram {
	all := map[string][]flow.Datagram{}
	files, _ := filepath.Glob("../../testdata/*.dgrams")
	for _, path := range files {
		r, err := capture.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Start = received
		for {
			dg, err := r.Next()
			if err == io.EOF || len(all[filepath.Base(path)]) == 12 {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			dg.Payload = bytes.Clone(dg.Payload)
			all[filepath.Base(path)] = append(all[filepath.Base(path)], dg)
		}
		r.Close()
	}
	for p := flow.NetFlow5; p < flow.Protocols; p++ {
		g := generate.New(generate.Options{Seed: 7, Exporters: 2, Protocols: []flow.Protocol{p}, TemplateEvery: 3})
		for range 6 {
			dg := g.Next()
			dg.Payload = bytes.Clone(dg.Payload)
			all["generated "+p.String()] = append(all["generated "+p.String()], dg)
		}
	}
	if len(all) < 8 {
		t.Fatalf("%d samples", len(all))
	}
	return all
}

// The flows of an explanation are those of a replay, and it counts the same.
func TestAnExplanationAgreesWithAReplay(t *testing.T) {
	for name, list := range samples(t) {
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprint(name, all), func(t *testing.T) {
				text := agree(t, world(t, all), nil, list)
				if !strings.Contains(text, "src_addr") || !strings.Contains(text, "bytes") {
					t.Error(text)
				}
			})
		}
	}
}

// So it is when datagrams come in another order, are cut, or have other bits.
func TestAnExplanationAgreesWithAReplayOfDamagedDatagrams(t *testing.T) {
	l := world(t, true)
	const rounds = 10
	for name, list := range samples(t) {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(rounds) {
				r := rand.New(rand.NewPCG(seed, 1))
				damaged := slices.Clone(list)
				if seed%2 == 1 {
					r.Shuffle(len(damaged), func(i, j int) { damaged[i], damaged[j] = damaged[j], damaged[i] })
				}
				damaged = damaged[:min(len(damaged), 4)]
				for i := range damaged {
					p := bytes.Clone(damaged[i].Payload[:min(len(damaged[i].Payload), 700)])
					if r.IntN(4) == 0 {
						p = p[:r.IntN(len(p))]
					}
					for range r.IntN(6) {
						if len(p) > 4 {
							p[4+r.IntN(len(p)-4)] ^= 1 << r.IntN(8)
						}
					}
					damaged[i].Payload = p
				}
				agree(t, l, nil, damaged)
			}
		})
	}
}

// What stages set is shown apart.
func TestStagesAreShown(t *testing.T) {
	table := filepath.Join(t.TempDir(), "prefixes.csv")
	if err := os.WriteFile(table, []byte("prefix,name\n192.0.2.0/24,documentation\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tables, err := stage.Load(stage.Files{Prefixes: table}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := world(t, false)
	e, err := tables.Bind(l)
	if err != nil {
		t.Fatal(err)
	}
	text := agree(t, l, e, datagrams(nine(set(0, be16(256, 2, 8, 4, 1, 4)), set(256, be32(0xc0000201, 100)))))
	if !strings.Contains(text, "stages set src_name") || !strings.Contains(text, `"src_name":"documentation"`) {
		t.Error(text)
	}
}

func be16(v ...int) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func be32(v ...uint32) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// set is a set with its header.
func set(id int, body ...[]byte) []byte {
	b := slices.Concat(body...)
	return slices.Concat(be16(id, 4+len(b)), b)
}

// nine is a datagram of NetFlow v9, ipfix a message of IPFIX.
func nine(sets ...[]byte) []byte {
	return slices.Concat(be16(9, len(sets)), be32(100_000, 1_800_000_000, 1, 5), slices.Concat(sets...))
}

func ipfix(number uint32, sets ...[]byte) []byte {
	b := slices.Concat(sets...)
	return slices.Concat(be16(10, 16+len(b)), be32(1_800_000_000, number, 5), b)
}

// squeezed has one space in place of several.
func squeezed(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }

// Each field says which column it became, or why none.
func TestEachFieldSaysWhatBecameOfIt(t *testing.T) {
	text := squeezed(agree(t, world(t, false), nil, datagrams(
		nine(set(0, be16(256, 9, 8, 4, 12, 4, 1, 4, 23, 4, 27, 16, 61, 1, 4, 1, 999, 2, 85, 4),
			be16(257, 2, 8, 5, 1, 4)),
			set(256, be32(0xc0000201, 0, 60, 70), make([]byte, 16), []byte{1, 17}, be16(3), be32(0)),
			set(257, []byte{1, 2, 3, 4, 5}, be32(9))),
	)))
	for _, want := range []string{
		"\n template 256: new, 9 fields, 40 bytes a record\n",
		"\n sourceIPv4Address 8 4 bytes src_addr\n",
		"\n element 999 999 2 bytes no column\n",
		"\n sourceIPv4Address c0000201 192.0.2.1 src_addr\n",
		"\n destinationIPv4Address 00000000 0.0.0.0 dst_addr (zero)\n",
		"\n octetDeltaCount 0000003c 60 bytes\n",
		"\n postOctetDeltaCount 00000046 70 bytes has octetDeltaCount\n",
		" :: zero: src_addr has sourceIPv4Address\n",
		"\n flowDirection 01 1 no column\n",
		"\n protocolIdentifier 11 17 proto",
		"\n sourceIPv4Address 8 5 bytes field_refused: an address has 4 or 16 bytes, not 5 (column src_addr)\n",
		"\n sourceIPv4Address 0102030405 4328719365 field_refused: an address",
		"held until the sampling rate comes",
		"end of the datagrams\n",
		"sampling rate: unknown\n",
		"field_refused: 1 field",
		"\n1 datagram, 2 flows\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Options say which rates they gave, and records where theirs comes from.
func TestOptionsSayWhichRateTheyGave(t *testing.T) {
	records := func(sampler uint32) []byte { return set(256, be32(0xc0000201, 100, sampler)) }
	text := squeezed(agree(t, world(t, false), nil, datagrams(
		ipfix(0, set(2, be16(256, 3, 8, 4, 1, 4, 48, 4)), records(7)),
		ipfix(1, set(3, be16(300, 3, 1, 302, 4, 309, 4, 310, 4)), set(300, be32(7, 2, 1000, 8, 1, 1<<30))),
		ipfix(4, records(7), records(8)),
		ipfix(9, set(3, be16(300, 0)), set(2, be16(256, 0))),
		ipfix(9, records(7)),
	)))
	for _, want := range []string{
		"options template 300: new, 3 fields, 12 bytes a record\n selectorId 302 4 bytes scope\n",
		"sampling rate 1 of 500 for sampler 7\n",
		"sampling_absurd: 1 value: the sampling rate is impossible",
		"data of template 256, 1 record, held since 2027-01-15 08:00:00.000 (sequence 0)\n",
		"samplerId 00000007 7 decides sampling_rate, sampling_known\n sampling rate: from options\n",
		`"sampling_rate":500`,
		"sequence: 1 record lost before this datagram",
		"options template 300 withdrawn\n",
		"template 256 withdrawn\n",
		"waits for template 256; the exporter withdrew template 256 at 2027-01-15 08:00:03 UTC\n",
		"waiting_expired: 1 set, template 256: ",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "flowSamplerId", "samplerId"), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A time in the future is written as it was sent, and marked.
func TestATimeInTheFutureIsMarked(t *testing.T) {
	const week = 7 * 24 * time.Hour
	record := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(received.Add(week).UnixMilli())), uint64(received.UnixMilli()))
	text := agree(t, world(t, false), nil, datagrams(ipfix(0, set(2, be16(256, 2, 152, 8, 153, 8)), set(256, record))))
	if !strings.Contains(text, "flow_start is 168h0m0s after the receipt: the exporter sends it so\n") ||
		!strings.Contains(text, `"flow_start":"2027-01-22T08:00:00Z"`) || strings.Contains(text, "flow_end is") {
		t.Error(text)
	}
}

// Strings of exporters reach the terminal as text.
func TestNothingReachesTheTerminalUnescaped(t *testing.T) {
	hostile := "\x1b]0;owned\x07\u009b31m\u202e\xff\x7f\r\n"
	name := append([]byte(hostile), make([]byte, 32-len(hostile))...)
	l, err := layout.Parse("test.yaml", []byte("message: F\ncolumns:\n  - {name: a, number: 1, type: string, from: 82}\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := agree(t, l, nil, datagrams(nine(set(0, be16(256, 1, 82, 32)), set(256, name),
		set(1, be16(257, 4, 4, 2, 4, 82, 32)), set(257, be32(1), name))))
	if !strings.Contains(text, `owned`) || strings.ContainsAny(text, "\x1b\x07\x7f\r\u009b\u202e") {
		t.Errorf("%q", text)
	}
}

// A datagram as large as UDP allows is explained within seconds.
func TestLargeDatagramsAreExplainedInBoundedTime(t *testing.T) {
	var fields []int
	for i := range 500 {
		fields = append(fields, i%400+1, 1)
	}
	began := time.Now()
	agree(t, world(t, true), nil, datagrams(nine(set(0, be16(256, 500), be16(fields...)), set(256, bytes.Repeat([]byte{1}, 10_000)))))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("%v", took)
	}
}
