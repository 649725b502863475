package schema_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/wire"
)

// SCH-28, SCH-95.
func TestColumnsHaveTheValuesOfTheirMessages(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	cols, err := p.NewColumns()
	if err != nil {
		t.Fatal(err)
	}
	input := f.encoded(t)
	for range 2 { // the second time in memory that is used again
		cols.Reset()
		for _, b := range [][]byte{input, nil, input} {
			if err := cols.Unmarshal(b); err != nil {
				t.Fatal(err)
			}
			if err := cols.Unmarshal([]byte{8}); !errors.Is(err, wire.Truncated) { // adds nothing
				t.Fatal(err)
			}
		}
		vector := func(path ...schema.Handle) *schema.Vector { return cols.Vector(path...) }
		names := vector(f.labels.Handle, f.name.Handle)
		got := fmt.Sprintln(cols.Len(), vector(f.bytes.Handle).Uint64s, vector(f.kind.Handle).Int32s, vector(f.at.Handle).Int64s,
			vector(f.path.Handle).Starts, vector(f.path.Handle).Uint32s, vector(f.labels.Handle).Starts, names.TextStarts, string(names.Text),
			vector(f.peer.Handle).Valid, vector(f.tags.Handle).Starts, string(vector(f.tags.Handle, f.value.Handle).Text),
			vector(f.counts.Handle, f.count.Handle).Int32s, vector(f.counts.Handle, f.countValue.Handle).Bools,
			vector(f.first.Handle).Int32s, vector(f.first.Handle).Valid, vector(f.number.Handle).Valid, vector(f.word.Handle).Valid,
			vector(f.src.Handle).TextStarts, vector(f.bytes.Handle).Valid == nil)
		const want = "3 [1500 0 1500] [5 0 5] [1700000000123 0 1700000000123] " +
			"[0 3 3 6] [1 0 300 1 0 300] [0 2 2 4] [0 1 3 4 6] aéaé " +
			"[true false true] [0 3 3 6] 423423 " +
			"[-5 0 5 -5 0 5] [true false false true false false] " +
			"[7 7 7] [false false false] [true false true] [false false false] [0 16 16 32] true\n"
		if got != want {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
		if string(names.TextAt(1)) != "é" || vector(f.name.Handle) != nil || vector(f.bytes.Handle, f.bytes.Handle) != nil {
			t.Error("a vector is another one")
		}
	}
}

// Messages that hold themselves can be rows, and no columns.
func TestColumnsOfARecursiveMessageAreRefused(t *testing.T) {
	fds, err := os.ReadFile("../../vectors/plans/wkt.fds")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromDescriptorSet(fds, "google.protobuf.Struct")
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.NewColumns(); !errors.Is(err, wire.InvalidSchema) {
		t.Error(err)
	}
}

func TestColumnsThatDoubleAreRefused(t *testing.T) {
	for levels, want := range map[int]string{11: "", 60: "with nested messages there are more than 10000 columns"} {
		_, err := schematest.Compile(t, schematest.Doubling(levels)).NewColumns()
		if (err != nil) != (want != "") || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

// script writes down what a visitor is called for.
type script struct {
	strings.Builder
	skip schema.Handle
	text map[schema.Handle]bool
}

func (s *script) Value(h schema.Handle, v schema.Value) {
	if s.text[h] {
		fmt.Fprintf(s, "%q ", v.Bytes())
	} else {
		fmt.Fprint(s, v.Int(), " ")
	}
}

func (s *script) Begin(h schema.Handle) bool {
	if h == s.skip {
		s.WriteString("skipped ")
		return false
	}
	s.WriteString("( ")
	return true
}

func (s *script) End(schema.Handle) { s.WriteString(") ") }

func (s *script) Unknown(record []byte) { fmt.Fprintf(s, "?%x ", record) }

// SCH-29.
func TestAVisitorSeesTheRecordsAsTheyCome(t *testing.T) {
	f := newFlow()
	p, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	s := script{text: map[schema.Handle]bool{f.name.Handle: true, f.tag.Handle: true, f.value.Handle: true}, skip: f.peer.Handle}
	input := []byte("\x08\x01" + "\x52\x03\x0a\x01a" + "\x42\x02\x01\x02" + "\x5a\x03\x0a\x01b" + "\x40\x03" + "\x08\x02" +
		"\x62\x03\x0a\x01k" + "\x78\x05" + "\x78\x07" + "\xfa\x07\x01x")
	if err := p.Visit(input, &s); err != nil {
		t.Fatal(err)
	}
	const want = `1 ( "a" ) 1 2 skipped 3 2 ( "k" ) ?7805 7 ?fa070178 `
	if s.String() != want {
		t.Errorf("got  %s\nwant %s", s.String(), want)
	}
	s.Reset()
	err = p.Visit([]byte("\x08\x01\x52\x03\x0a\x01\xff"), &s)
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.InvalidUtf8 || e.Offset != 6 || e.Path != "labels[0].name" || s.String() != "1 ( " {
		t.Errorf("%v after %s", err, s.String())
	}
}

// blind is a visitor that looks into everything.
type blind struct{}

func (blind) Value(schema.Handle, schema.Value) {}
func (blind) Begin(schema.Handle) bool          { return true }
func (blind) End(schema.Handle)                 {}
func (blind) Unknown([]byte)                    {}

// A visit accepts and refuses the messages of a row, but for limits of storing.
func TestAVisitTakesWhatARowTakes(t *testing.T) {
	plans := map[string]*schema.Plan{}
	for _, name := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, name) {
			if !v.Binds("pool") || v.Options.Elements != nil || slices.Contains(v.IDs, "LIM-3") {
				continue
			}
			if plans[v.Message] == nil {
				plans[v.Message] = importPlan(t, "vectors", v.Message)
			}
			err := plans[v.Message].VisitWith(v.Input, blind{}, optionsOf(v))
			switch {
			case v.Error == nil || v.Error.Code == wire.MissingRequired.String() || aboutExtensions(v):
				if v.Error == nil && err != nil {
					t.Errorf("%s: %v", v.Name, err)
				}
			default:
				if difference := v.Error.Differs(err); difference != "" {
					t.Errorf("%s: %s", v.Name, difference)
				}
			}
		}
	}
}
