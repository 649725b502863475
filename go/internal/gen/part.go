package gen

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// outputPart is what of a .proto file one file of code has: all, or with filepermessage=true one message.
type outputPart struct{ message *plan.Message }

// parts are those of a .proto file that files are written for.
func (g *generator) parts(file *plan.File) []outputPart {
	if !g.stock || !g.options.FilePerMessage {
		return []outputPart{{}}
	}
	var parts []outputPart
	for _, m := range g.selectedOf(file) {
		parts = append(parts, outputPart{m})
	}
	return parts
}

// selectedOf gives the selected messages of a file.
func (g *generator) selectedOf(file *plan.File) []*plan.Message {
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
	if p.message == nil {
		return ""
	}
	return "." + strings.ToLower(local(file, p.message.Name))
}

// key is what the names of two files must differ in. Files of messages may not differ in case only.
func (p outputPart) key(output string) string {
	if p.message == nil {
		return output
	}
	return strings.ToLower(output)
}

// describe names a part in errors.
func (p outputPart) describe(file *plan.File) string {
	if p.message == nil {
		return file.Name
	}
	return "message " + p.message.Name
}

// collision is the error of a part whose file is written for another one already.
func (p outputPart) collision(file *plan.File, output, other string) error {
	err := &plan.Error{File: file.Name, Problem: fmt.Sprintf("its output %s is that of %s too", output, other),
		Fix: "rename one of the files or give them different Go packages"}
	if p.message != nil {
		err.Element = p.message.Name
		err.Fix = "leave filepermessage= away, or rename one of them; case does not count"
	}
	return err
}
