package yaml

import (
	_ "embed"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"github.com/hotpb/hotpb/go/schema"
)

//go:embed elements.csv
var elements string

//go:embed types.csv
var types string

// registry are IANA's information elements: their numbers by name, and their abstract data types by number.
var registry = sync.OnceValue(func() (r struct {
	numbers map[string]uint16
	types   map[uint16]string
}) {
	r.numbers, r.types = map[string]uint16{}, map[uint16]string{}
	each := func(file string, do func(number uint16, text string)) {
		for line := range strings.Lines(file) {
			number, text, ok := strings.Cut(strings.TrimSpace(line), ",")
			if n, err := strconv.ParseUint(number, 10, 16); ok && err == nil {
				do(uint16(n), text)
			}
		}
	}
	each(elements, func(number uint16, name string) { r.numbers[name] = number })
	each(types, func(number uint16, name string) { r.types[number] = name })
	return r
})

// sources reads elements: 8, sourceIPv4Address, or 6871/30 with the enterprise first.
func (r *reader) sources(n ast.Node) (list []schema.Source) {
	nodes := []ast.Node{n}
	if _, ok := n.(*ast.SequenceNode); ok {
		nodes = r.list(n, "from")
	}
	for _, n := range nodes {
		if _, ok := n.(*ast.IntegerNode); ok {
			list = append(list, schema.Source{Element: uint16(r.integer(n, "an element", 0, math.MaxUint16))})
			continue
		}
		text := r.text(n, "an element")
		if number, ok := registry().numbers[text]; ok {
			list = append(list, schema.Source{Element: number})
			continue
		}
		enterprise, element, ok := strings.Cut(text, "/")
		e, err := strconv.ParseUint(enterprise, 10, 32)
		v, err2 := strconv.ParseUint(element, 10, 16)
		if !ok || err != nil || err2 != nil {
			r.wrongElement(n, text)
			continue
		}
		list = append(list, schema.Source{Enterprise: uint32(e), Element: uint16(v)})
	}
	return list
}

func (r *reader) wrongElement(n ast.Node, text string) {
	if name := near(text, slices.Sorted(maps.Keys(registry().numbers))); name != "" {
		r.fail(n, "%q is not an element; did you mean %s?", text, name)
		return
	}
	r.fail(n, "%q is not an element: write a number, a name of IANA's such as sourceIPv4Address, or ENTERPRISE/ELEMENT", text)
}
