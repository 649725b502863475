package layout

import (
	"fmt"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// checkLists refuses a column that cannot hold what its elements have.
func (l *Layout) checkLists(c schema.Column) error {
	isText := c.Kind == wire.String || c.Kind == wire.Bytes
	for _, from := range c.Sources {
		reason := ""
		switch {
		case c.Repeated && (c.Message != nil || c.Logical != schema.Plain && c.Logical != schema.IP):
			reason = "packets fill lists of numbers, strings, bytes and ip only"
		case c.Repeated:
		case isList(from):
			reason = "is a list, so that its column must be repeated, such as repeated uint32"
		case isCommunities(from) && !isText:
			reason = "is a list, so that its column must be repeated, such as repeated uint32; or bytes, for the list as it is sent"
		}
		if reason == "" {
			continue
		}
		element := fmt.Sprint(from.Element)
		if from.Enterprise != 0 {
			element = fmt.Sprint(from.Enterprise, "/", element)
		}
		return &schema.Error{Code: wire.InvalidSchema, Where: l.Plan.Root() + "." + c.Name, Reason: "element " + element + ": " + reason}
	}
	return nil
}

func isList(s schema.Source) bool {
	return s.Enterprise == Reserved && s.Element >= ASPath && s.Element <= OutLabels
}

// isCommunities reports whether an element is a list of communities (RFC 8549).
func isCommunities(s schema.Source) bool {
	switch s.Element {
	case 484, 485, 487, 488, 490, 491:
		return s.Enterprise == 0
	}
	return false
}
