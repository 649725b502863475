package gen

// mostBoxed bounds the fields of one box: of a message that has many optional fields and few of them set, little more
// than these is allocated.
const mostBoxed = 8

// emitBoxes writes the types that hold the values of a message's pointer fields, so that a decode allocates once for
// several of them. A pointer to one keeps the others alive.
func (c *codecType) emitBoxes() {
	var pointers []*stockField
	for _, field := range c.fields {
		if field.store == storePointer {
			pointers = append(pointers, field)
		}
	}
	c.boxes = map[*stockField]string{}
	for n := 0; len(pointers) > 0; n++ {
		group := pointers[:min(len(pointers), mostBoxed)]
		pointers = pointers[len(group):]
		if len(group) == 1 {
			continue // new does as well
		}
		box := "box" + itoa(n)
		c.P("// ", c.boxType(box), " has the values of fields that are pointers.")
		c.P("type ", c.boxType(box), " struct {")
		for _, field := range group {
			c.boxes[field] = box
			c.P("field", itoa(field.Number), " ", c.valueType(field.Field), " // ", field.goName)
		}
		c.P("}\n")
	}
}

// boxType is the type of a box.
func (c *codecType) boxType(box string) string { return box + "Hot" + c.name }

// invert gives the values of a map as keys.
func invert[K, V comparable](m map[K]V) map[V]bool {
	values := map[V]bool{}
	for _, value := range m {
		values[value] = true
	}
	return values
}
