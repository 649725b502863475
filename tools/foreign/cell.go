package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/tools/foreign/oracle"
)

// face is one way of generating code, and of testing it.
type face struct {
	language, name string
	options        string    // faces= of the generator
	variants       []variant // of the harness; without, the code is compiled only
}

func (f *face) String() string { return f.language + "-" + f.name }

// variant is one way through a face.
type variant struct {
	name       string
	extensions oracle.Extensions
	// stock is the number of the variant that does the same with the stock runtime of the language, whose answers these must
	// equal byte for byte; 0 compares with the oracle.
	stock byte
}

// language makes and compiles the code of its faces.
type language interface {
	// prepare builds the generator.
	prepare(t *tool) error
	// generates reports whether code is wanted for a file; others ship with the runtime.
	generates(f *face, file *descriptorpb.FileDescriptorProto) bool
	// generate writes code for the files of the set that are wanted. The text is what the generator said.
	generate(t *tool, c *cell, set string, files []*descriptorpb.FileDescriptorProto) (string, error)
	// compile returns the program to test, none where the face has no variants.
	compile(t *tool, c *cell) ([]string, error)
}

// cell is a schema in a face, and a row of the table.
type cell struct {
	schema *schema
	face   *face
	folder string

	make, build command // what they cost
	kilobytes   float64
	refused     []string // files that the generator refuses by name, and why
	left        map[string]bool
	harness     []string

	tried, known, differences, disagreements int
	failures                                 []string
}

const maxFailures = 5 // shown of a cell

func (c *cell) fail(format string, arguments ...any) {
	c.failures = append(c.failures, fmt.Sprintf(format, arguments...))
}

func (c *cell) String() string { return c.schema.name + " " + c.face.String() }

// run does all that there is to do for a cell.
func (t *tool) run(c *cell) {
	c.folder = filepath.Join(t.work, c.schema.name, c.face.String())
	c.make.limit, c.build.limit = t.limit, t.limit
	c.left = map[string]bool{}
	if err := os.RemoveAll(c.folder); err != nil {
		c.fail("%v", err)
		return
	}
	if !t.keep {
		defer os.RemoveAll(c.folder)
	}
	if err := os.MkdirAll(c.folder, 0o755); err != nil {
		c.fail("%v", err)
		return
	}
	language := t.languages[c.face.language]
	if err := t.generate(language, c); err != nil {
		c.fail("%v", err)
		return
	}
	if t.upTo == "generate" {
		return
	}
	program, err := language.compile(t, c)
	if err != nil {
		c.fail("compile: %v", err)
	}
	if program == nil || t.upTo == "compile" {
		return
	}
	h := &harness{command: program, environment: []string{"UBSAN_OPTIONS=print_stacktrace=1"}}
	t.roundTrips(c, h)
	if err := h.end(); err != nil {
		c.fail("the program ended with %v:\n%s", err, firstLines(h.problem.String(), 6))
	}
}

// generate leaves out the files that the generator refuses by name, one after the other.
func (t *tool) generate(language language, c *cell) error {
	out := filepath.Join(c.folder, "gen")
	for {
		set := without(c.schema.set, c.left)
		var files []*descriptorpb.FileDescriptorProto
		for _, file := range set.File {
			if language.generates(c.face, file) {
				files = append(files, file)
			}
		}
		if len(files) == 0 {
			return errors.New("generate: every file is refused")
		}
		raw, err := proto.Marshal(set)
		if err != nil {
			return err
		}
		path := filepath.Join(c.folder, "set.fds")
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			return err
		}
		said, err := language.generate(t, c, path, files)
		if err == nil {
			c.kilobytes, err = folderSize(out)
			return err
		}
		file, documented := refusal(said, files)
		if !documented {
			return fmt.Errorf("generate: %v\n%s", err, firstLines(said, 6))
		}
		c.refused = append(c.refused, strings.TrimSpace(said))
		c.left[file] = true
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
}

// refusals are what the generators may say of a schema that they cannot serve (spec/errors.md, the READMEs).
var refusals = []string{"which is also a method of the face codec", "would lie outside the output folder"}

// refusal finds the file that a generator refuses, and whether it does so for a documented reason.
func refusal(said string, files []*descriptorpb.FileDescriptorProto) (file string, documented bool) {
	for _, reason := range refusals {
		documented = documented || strings.Contains(said, reason)
	}
	for _, f := range files {
		if name := f.GetName(); strings.Contains(said, name) && len(name) > len(file) {
			file = name
		}
	}
	return file, documented && file != ""
}

func folderSize(folder string) (kilobytes float64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			kilobytes += float64(info.Size()) / 1000
		}
		return err
	})
	return kilobytes, err
}

// asker is a harness, or what tests have in its place.
type asker interface {
	ask(variant byte, message string, input []byte) (oracle.Answer, error)
}

// roundTrips sends the cases through each variant, and holds the answers against the stock runtime.
func (t *tool) roundTrips(c *cell, h asker) {
	absent := map[string]bool{}
	for _, test := range t.cases(c.schema) {
		name := string(test.Message.FullName())
		if c.left[test.Message.ParentFile().Path()] || absent[name] || !t.languages[c.face.language].generates(c.face, fileOf(c.schema, test)) {
			continue
		}
		for number, v := range c.face.variants {
			answer, err := h.ask(byte(number+1), name, t.fault.damage(test))
			if errors.Is(err, errUnknownType) {
				absent[name] = true
				c.fail("%s %s: %v", name, v.name, err)
				break
			}
			c.tried++
			outcome, text := oracle.Agreed, ""
			switch {
			case err != nil:
				outcome, text = oracle.Differs, err.Error()
			case v.stock != 0:
				stock, err := h.ask(v.stock, name, test.Input)
				if err != nil {
					outcome, text = oracle.Differs, "the stock runtime: "+err.Error()
				} else {
					outcome, text = oracle.CompareAnswers(answer, stock)
				}
			default:
				outcome, text = test.Compare(answer, v.extensions)
			}
			switch outcome {
			case oracle.Known:
				c.known++
			case oracle.Differs:
				c.differences++
			case oracle.Disagreed:
				c.disagreements++
			}
			if outcome == oracle.Differs || outcome == oracle.Disagreed {
				c.fail("%s, %s, input %x\n    %s", name, v.name, clip(test.Input), text)
			}
			if len(c.failures) > 200 {
				c.fail("no more is tried after so many failures")
				return
			}
		}
	}
	if c.tried == 0 {
		c.fail("no message was tried")
	}
}

func clip(b []byte) []byte {
	if len(b) > 1500 {
		return b[:1500]
	}
	return b
}

func fileOf(s *schema, test *oracle.Case) *descriptorpb.FileDescriptorProto {
	for _, file := range s.set.File {
		if file.GetName() == test.Message.ParentFile().Path() {
			return file
		}
	}
	return nil
}

// cases are generated once for all faces of a schema.
func (t *tool) cases(s *schema) []*oracle.Case {
	s.making.Lock()
	defer s.making.Unlock()
	if s.cases == nil {
		for i, desc := range s.oracle.Messages {
			s.cases = append(s.cases, s.oracle.Cases(desc, t.messages, t.seed+uint64(i)<<32)...)
		}
	}
	return s.cases
}
