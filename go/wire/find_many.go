package wire

import "slices"

// Paths are paths of field numbers, prepared for FindMany. They do not change, so goroutines may share them.
type Paths struct {
	root  pathNode
	count int
}

// pathNode is a message on some paths.
type pathNode struct {
	steps []pathStep // by number
}

// pathStep is a field of such a message.
type pathStep struct {
	number uint32
	ends   []int // the paths that end with it
	below  *pathNode
}

// NewPaths prepares paths for FindMany. An empty path, and a number that no field can have, is HandleMisuse; the offset
// is the index of that path.
func NewPaths(paths ...[]uint32) (*Paths, error) {
	p := &Paths{count: len(paths)}
	for i, path := range paths {
		if len(path) == 0 || slices.ContainsFunc(path, func(number uint32) bool { return number == 0 || number > MaxNumber }) {
			return nil, &Error{Code: HandleMisuse, Offset: int64(i)}
		}
		node := &p.root
		for rest := path; ; rest = rest[1:] {
			step := node.step(rest[0])
			if len(rest) == 1 {
				step.ends = append(step.ends, i)
				break
			}
			if step.below == nil {
				step.below = new(pathNode)
			}
			node = step.below
		}
	}
	return p, nil
}

// step returns the step for a number, a new one if there is none.
func (n *pathNode) step(number uint32) *pathStep {
	i, found := slices.BinarySearchFunc(n.steps, number, func(s pathStep, number uint32) int { return int(s.number) - int(number) })
	if !found {
		n.steps = slices.Insert(n.steps, i, pathStep{number: number})
	}
	return &n.steps[i]
}

// find returns the step for a number, or nil.
func (n *pathNode) find(number uint32) *pathStep {
	for i := range n.steps {
		if n.steps[i].number >= number {
			if n.steps[i].number == number {
				return &n.steps[i]
			}
			return nil
		}
	}
	return nil
}

// FindMany is Find for several paths, in one pass over b. It sets found[i] to a decoder at the last record at the end of
// path i, or to the zero Decoder, whose Tag is 0, if there is none:
//
//	paths, err := wire.NewPaths([]uint32{1}, []uint32{5, 1})  // once
//
//	var found [2]wire.Decoder
//	err := wire.FindMany(b, paths, found[:])
//	if found[1].Tag() != 0 {
//		name, err = found[1].DecodeString()
//	}
//
// A path may begin with another one. After an error all of found are zero. A slice of another length than the paths is
// HandleMisuse. FindMany allocates nothing but errors.
func FindMany(b []byte, paths *Paths, found []Decoder) error {
	clear(found)
	if paths == nil || len(found) != paths.count {
		return &Error{Code: HandleMisuse}
	}
	err := findMany(Decoder{b: b, levels: DefaultDepth}, &paths.root, found)
	if err != nil {
		clear(found)
	}
	return err
}

// findMany takes the decoder as a value, as find does.
func findMany(d Decoder, node *pathNode, found []Decoder) error {
	for d.More() {
		number, t, err := d.DecodeTag()
		if err != nil {
			return err
		}
		step := node.find(number)
		if step != nil {
			for _, i := range step.ends {
				found[i] = d
			}
		}
		if step != nil && step.below != nil && (t == BytesType || t == StartGroup) {
			nested, err := d.open()
			if err != nil {
				return err
			}
			if err := findMany(nested, step.below, found); err != nil {
				return err
			}
			continue
		}
		if _, err := d.Skip(); err != nil {
			return err
		}
	}
	return nil
}
