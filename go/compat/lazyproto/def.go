package lazyproto

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hotpb/hotpb/go/wire"
)

// Def says which fields to decode: their numbers, and for messages the fields in them. A field with a nil Def is decoded
// as a value.
type Def map[uint32]Def

// NewDef returns a definition of some fields.
func NewDef(tags ...uint32) Def { return make(Def, len(tags)).Tags(tags...) }

// Tags adds fields that are values, in place of d's fields of their numbers, and returns d.
func (d Def) Tags(tags ...uint32) Def {
	for _, tag := range tags {
		d[tag] = nil
	}
	return d
}

// NestedTag adds a field that is a message with some fields, in place of d's field of its number, and returns the
// definition of that message.
func (d Def) NestedTag(tag uint32, nestedTags ...uint32) Def {
	nested := NewDef(nestedTags...)
	d[tag] = nested
	return nested
}

// Get returns the definition of a field, and whether d has one.
func (d Def) Get(tag uint32) (Def, bool) {
	nested, has := d[tag]
	return nested, has
}

// Validate returns an error if d has a number that no field can have, more than 100 levels (or contains itself), or more
// than 65,536 paths.
func (d Def) Validate() error {
	_, err := compile(d)
	return err
}

// maxPaths limits the paths of a definition: each has a slot in every result.
const maxPaths = 1 << 16

// plan is a definition that no one changes any more.
type plan struct {
	root  node
	slots int
}

// node is a message with defined fields.
type node struct {
	tags  []uint32 // ascending
	first int      // the slot of the first of them; the others follow
	below []*node
	dense []uint8 // for small numbers: 1 + the index in tags, or 0
}

func compile(d Def) (*plan, error) {
	p := new(plan)
	return p, p.add(&p.root, d, nil)
}

func (p *plan) add(n *node, d Def, path []uint32) error {
	if len(path) > wire.DefaultDepth {
		return fmt.Errorf("lazyproto: the definition has more than %d levels: %v…", wire.DefaultDepth, path[:10])
	}
	n.tags, n.first, n.below = slices.Sorted(maps.Keys(d)), p.slots, make([]*node, len(d))
	if p.slots += len(d); p.slots > maxPaths {
		return fmt.Errorf("lazyproto: the definition has more than %d paths", maxPaths)
	}
	for i, tag := range n.tags {
		if tag == 0 || tag > wire.MaxNumber {
			return fmt.Errorf("lazyproto: %d is not the number of a field, at %v", tag, path)
		}
		if tag < 128 && i < 255 {
			n.dense = append(n.dense, make([]uint8, int(tag)+1-len(n.dense))...)
			n.dense[tag] = uint8(i + 1)
		}
		if nested := d[tag]; nested != nil {
			n.below[i] = new(node)
			if err := p.add(n.below[i], nested, append(path, tag)); err != nil {
				return err
			}
		}
	}
	return nil
}

// index returns the index of a field, or -1.
func (n *node) index(tag uint32) int {
	if uint(tag) < uint(len(n.dense)) {
		return int(n.dense[tag]) - 1
	}
	if tag < 128 {
		return -1
	}
	return n.search(tag)
}

func (n *node) search(tag uint32) int {
	if i, found := slices.BinarySearch(n.tags, tag); found {
		return i
	}
	return -1
}
