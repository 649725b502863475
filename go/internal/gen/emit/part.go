package emit

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// outputPart is what of a .proto file one file of code has: all, or with filepermessage=true one message.
type outputPart struct{ Message *plan.Message }

// parts are those of a .proto file that files are written for.
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

// SelectedOf gives the selected messages of a file.
func (g *Generator) SelectedOf(file *plan.File) []*plan.Message {
	var selected []*plan.Message
	for _, m := range file.Messages {
		if !m.MapEntry && g.isSelected(m) {
			selected = append(selected, m)
		}
	}
	return selected
}

// suffix is what a part's file has behind the name of the .proto: ".outer.inner" for the message Outer.Inner. What is
// behind a dot is no build constraint to Go, and in lower case the names are as different as file systems see them.
func (p outputPart) suffix(file *plan.File) string {
	if p.Message == nil {
		return ""
	}
	return "." + strings.ToLower(local(file, p.Message.Name))
}

// key is what the names of two files must differ in. Files of messages may not differ in case only.
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

// collision is the error of a part whose file is written for another one already.
func (p outputPart) collision(file *plan.File, output, other string) error {
	err := &plan.Error{File: file.Name, Problem: fmt.Sprintf("its output %s is that of %s too", output, other),
		Fix: "rename one of the files or give them different Go packages"}
	if p.Message != nil {
		err.Element = p.Message.Name
		err.Fix = "leave filepermessage= away, or rename one of them; case does not count"
	}
	return err
}
