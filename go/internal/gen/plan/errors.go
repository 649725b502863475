package plan

import (
	"strconv"
	"strings"
)

// Error is InvalidSchema: a descriptor that cannot be used (PLN-4).
type Error struct {
	File    string // name of the .proto file, "" when it is not known
	Line    int    // from 1; 0 without source info
	Element string // full name of the file's element, or ""
	Problem string
	Fix     string
}

func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString("InvalidSchema: ")
	if e.File != "" {
		s.WriteString(e.File)
		if e.Line > 0 {
			s.WriteString(":" + strconv.Itoa(e.Line))
		}
		s.WriteString(": ")
	}
	if e.Element != "" {
		s.WriteString(e.Element + ": ")
	}
	s.WriteString(e.Problem)
	if e.Fix != "" {
		s.WriteString("; " + e.Fix)
	}
	return s.String()
}
