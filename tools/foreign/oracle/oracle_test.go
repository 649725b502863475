package oracle

import (
	"bytes"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const plans = "../../../vectors/plans/"

func load(t *testing.T, name string) *Schema {
	t.Helper()
	raw, err := os.ReadFile(plans + name + ".fds")
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	s := NewSchema(&set)
	if len(s.Messages) == 0 || len(s.Refused) != 0 {
		t.Fatalf("%s: %d messages, refused %v", name, len(s.Messages), s.Refused)
	}
	return s
}

func (s *Schema) message(t *testing.T, name protoreflect.FullName) protoreflect.MessageDescriptor {
	t.Helper()
	for _, m := range s.Messages {
		if m.FullName() == name {
			return m
		}
	}
	t.Fatalf("no message %s", name)
	return nil
}

// The stock runtime accepts every message that is generated as good, and reads the same content.
func TestWhatIsMadeForGoodTheStockRuntimeTakes(t *testing.T) {
	for _, name := range []string{"vectors", "raft", "test_messages_proto2", "test_messages_proto3", "test_messages_edition2023"} {
		s := load(t, name)
		good, refused := 0, 0
		for i, desc := range s.Messages {
			for _, c := range s.Cases(desc, 20, uint64(i)) {
				if err := c.Self(); err != nil {
					t.Fatalf("%s: %x: %v", desc.FullName(), c.Input, err)
				}
				v := c.judge(Own)
				if v.refused != nil {
					refused++
					if outcome, _ := c.Compare(Answer{Error: "Truncated at byte 0"}, Own); outcome != Agreed {
						t.Errorf("%s: %x refused by both is %v", desc.FullName(), c.Input, outcome)
					}
					continue
				}
				good++
				m := dynamicpb.NewMessage(desc)
				input, _ := s.translate(desc, c.Input, s.resolvers[Own])
				if err := (proto.UnmarshalOptions{Resolver: s.resolvers[Own]}).Unmarshal(input, m); err != nil {
					t.Fatal(err)
				}
				encoded, err := proto.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				if outcome, text := c.Compare(Answer{Output: encoded}, Own); outcome != Agreed {
					t.Errorf("%s: %x: the stock runtime's own answer is %v: %s", desc.FullName(), c.Input, outcome, text)
				}
			}
		}
		if good == 0 || refused == 0 {
			t.Errorf("%s: %d good, %d refused", name, good, refused)
		}
	}
}

func TestTheSameSeedGivesTheSameCases(t *testing.T) {
	s := load(t, "vectors")
	for _, desc := range s.Messages {
		a, b := s.Cases(desc, 10, 7), s.Cases(desc, 10, 7)
		for i := range a {
			if !bytes.Equal(a[i].Input, b[i].Input) {
				t.Fatalf("%s: case %d", desc.FullName(), i)
			}
		}
	}
}

func TestInputsAreTranslatedForTheStockRuntime(t *testing.T) {
	s := load(t, "vectors")
	for _, c := range []struct {
		name, input, want string
		refused           bool
	}{
		{"the tenth byte of a value", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false},
		{"of an unknown one", "\xf8\x3e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", "\xf8\x3e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", false},
		{"not of what looks so inside unknown bytes", "\xfa\x3e\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "\xfa\x3e\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", false},
		{"a tag of six bytes", "\x88\x80\x80\x80\x80\x00\x01", "\x88\x80\x80\x80\x80\x00\x01", true},
		{"one of five", "\x88\x80\x80\x80\x00\x01", "\x88\x80\x80\x80\x00\x01", false},
	} {
		got, refused := s.translate(s.message(t, "hotpb.vectors.p3.All"), []byte(c.input), s.resolvers[Own])
		if string(got) != c.want || refused != c.refused {
			t.Errorf("%s: %x, %v", c.name, got, refused)
		}
	}
}

func TestComparisonSeesWhatIsWrong(t *testing.T) {
	s := load(t, "vectors")
	c := &Case{Message: s.message(t, "hotpb.vectors.p3.All"), Input: []byte("\x08\x05\xfa\x3e\x01x"), schema: s}
	for _, test := range []struct {
		name   string
		answer Answer
		want   Outcome
	}{
		{"the same", Answer{Output: c.Input}, Agreed},
		{"an unknown field lost", Answer{Output: c.Input[:2]}, Differs},
		{"another value", Answer{Output: []byte("\x08\x06\xfa\x3e\x01x")}, Differs},
		{"nothing that can be read", Answer{Output: []byte("\x08")}, Differs},
		{"refused", Answer{Error: "Truncated at byte 1"}, Disagreed},
	} {
		if got, text := c.Compare(test.answer, Own); got != test.want || (got != Agreed) != (text != "") {
			t.Errorf("%s: %v, %q", test.name, got, text)
		}
	}
	damaged := &Case{Message: c.Message, Input: []byte("\x08"), Damaged: true, schema: s}
	if got, _ := damaged.Compare(Answer{}, Own); got != Disagreed {
		t.Errorf("taken, and cut short: %v", got)
	}
}
