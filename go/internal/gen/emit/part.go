package emit

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// outputPart is the part of a .proto file that one file of code covers: all of it, or one message with
// filepermessage=true.
type outputPart struct{ Message *plan.Message }

// parts are the parts of a .proto file, one for each file that is written.
func (g *Generator) parts(file *plan.File) []outputPart {
	if !g.Stock || !g.Options.FilePerMessage {
		return []outputPart{{}}
	}
	var parts []outputPart
	for _, m := range g.SelectedOf(file) {
		parts = append(parts, outputPart{m})
	}
	return parts
}

// SelectedOf returns the selected messages of a file.
func (g *Generator) SelectedOf(file *plan.File) []*plan.Message {
	var selected []*plan.Message
	for _, m := range file.Messages {
		if !m.MapEntry && g.isSelected(m) {
			selected = append(selected, m)
		}
	}
	return selected
}

// suffix is appended to the name of the .proto for a part's file: ".outer.inner" for the message Outer.Inner. Go
// finds no build constraint after a dot. The names are in lower case, because some file systems ignore case.
func (p outputPart) suffix(file *plan.File) string {
	if p.Message == nil {
		return ""
	}
	return "." + strings.ToLower(local(file, p.Message.Name))
}

// key distinguishes the names of two files. Files of messages must not differ in case only.
func (p outputPart) key(output string) string {
	if p.Message == nil {
		return output
	}
	return strings.ToLower(output)
}

// describe names a part in errors.
func (p outputPart) describe(file *plan.File) string {
	if p.Message == nil {
		return file.Name
	}
	return "message " + p.Message.Name
}

// collision is the error for a part whose file is already written for another part.
func (p outputPart) collision(file *plan.File, output, earlier string) error {
	err := &plan.Error{File: file.Name, Problem: fmt.Sprintf("its output %s is also that of %s", output, earlier),
		Fix: "rename one of the files or give them different Go packages"}
	if p.Message != nil {
		err.Element = p.Message.Name
		err.Fix = "remove filepermessage=, or rename one of them; case does not count"
	}
	return err
}
