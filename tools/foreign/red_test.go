package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/tools/foreign/oracle"
)

// These tests show that the tool turns red: at faults in what a face reads and writes, at programs that end or miss
// messages, at code that does not compile, at compilers that take too long.

// stock is a face that works: the stock runtime.
type stock struct{ schema *schema }

func (s *stock) ask(_ byte, name string, input []byte) (oracle.Answer, error) {
	for _, desc := range s.schema.oracle.Messages {
		if desc.FullName() == protoreflect.FullName(name) {
			m := dynamicpb.NewMessage(desc)
			if err := proto.Unmarshal(input, m); err != nil {
				return oracle.Answer{Error: err.Error()}, nil
			}
			output, err := proto.Marshal(m)
			return oracle.Answer{Output: output}, err
		}
	}
	return oracle.Answer{}, errUnknownType
}

func cellOf(t *testing.T, l language, f fault) (*tool, *cell) {
	t.Helper()
	s, err := readSet("../../vectors/plans/remote_write_v2.fds")
	if err != nil {
		t.Fatal(err)
	}
	return &tool{work: t.TempDir(), messages: 60, seed: 1, limit: time.Minute, fault: f, languages: map[string]language{"any": l}},
		&cell{schema: s, face: &face{language: "any", name: "face", options: "face", variants: []variant{{name: "only", extensions: oracle.None}}}, left: map[string]bool{}}
}

func TestFaultsTurnARunRed(t *testing.T) {
	for f, red := range map[fault]func(c *cell) int{
		dropUnknown: func(c *cell) int { return c.differences },
		skipMerge:   func(c *cell) int { return c.differences },
		acceptCut:   func(c *cell) int { return c.disagreements },
	} {
		tool, c := cellOf(t, &fake{}, f)
		tool.roundTrips(c, &stock{c.schema})
		if red(c) == 0 || len(c.failures) == 0 {
			t.Errorf("%s: %d differences, %d disagreements of %d messages", f, c.differences, c.disagreements, c.tried)
		}
	}
	// Without one, the only differences are those of the stock runtime: the oracle knows them, this face does not.
	tool, c := cellOf(t, &fake{}, none)
	tool.roundTrips(c, &stock{c.schema})
	for _, failure := range c.failures {
		if !strings.Contains(failure, "refused (proto:") && !strings.Contains(failure, "TAG-1") {
			t.Error(failure)
		}
	}
	if c.differences > 0 || c.disagreements > c.tried/20 {
		t.Errorf("no fault: %d differences, %d disagreements of %d messages", c.differences, c.disagreements, c.tried)
	}
}

// lost is a program that has none of the messages, or ends at each.
type lost struct{ err error }

func (l lost) ask(byte, string, []byte) (oracle.Answer, error) { return oracle.Answer{}, l.err }

func TestProgramsThatEndOrMissMessagesTurnARunRed(t *testing.T) {
	for _, err := range []error{errUnknownType, &crash{"the program ended"}, errors.New("read and not written")} {
		tool, c := cellOf(t, &fake{}, none)
		tool.roundTrips(c, lost{err})
		if len(c.failures) == 0 {
			t.Errorf("%v: no failure", err)
		}
	}
}

// fake is a language whose generator or compiler fails.
type fake struct{ generated, compiled error }

func (f *fake) prepare(*tool) error                                     { return nil }
func (f *fake) generates(*face, *descriptorpb.FileDescriptorProto) bool { return true }
func (f *fake) compile(*tool, *cell) ([]string, error)                  { return nil, f.compiled }
func (f *fake) generate(_ *tool, c *cell, _ string, _ []*descriptorpb.FileDescriptorProto) (string, error) {
	if f.generated != nil {
		return "InvalidSchema: no reason that is documented", f.generated
	}
	return "", write([]byte("code"), c.folder, "gen/file")
}

func TestGeneratorsAndCompilersThatFailTurnARunRed(t *testing.T) {
	for name, l := range map[string]*fake{
		"generator": {generated: errors.New("exit status 1")},
		"compiler":  {compiled: errors.New("exit status 1")},
	} {
		tool, c := cellOf(t, l, none)
		tool.run(c)
		if len(c.failures) != 1 {
			t.Errorf("%s: %q", name, c.failures)
		}
	}
	tool, c := cellOf(t, &fake{}, none)
	tool.run(c)
	if len(c.failures) != 0 || c.kilobytes == 0 {
		t.Errorf("%q, %f KB", c.failures, c.kilobytes)
	}
}

func TestACommandThatTakesTooLongIsAFailure(t *testing.T) {
	c := command{limit: 50 * time.Millisecond}
	start := time.Now()
	if _, err := c.run("sh", "-c", "sleep 60 & sleep 60"); !errors.Is(err, errTime) {
		t.Error(err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAHarnessThatEndsIsACrash(t *testing.T) {
	h := &harness{command: []string{"sh", "-c", "echo broken >&2; exit 3"}}
	var gone *crash
	if _, err := h.ask(1, "m", []byte("x")); !errors.As(err, &gone) || !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
}
