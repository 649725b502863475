package yaml

import (
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// reader creates a schema from nodes.
type reader struct {
	file     File
	pkg      string
	messages map[string]*schema.Message // by name within the package
	enums    map[string]*schema.Enum
	where    string // the element that is being read
	wrong    []error
}

func (r *reader) full(name string) string {
	if r.pkg == "" {
		return name
	}
	return r.pkg + "." + name
}

// document reads a file: first the names of its types, then their contents.
func (r *reader) document(n ast.Node) {
	root := "Message"
	var comment string
	var columns, reserved, messages, enums ast.Node
	r.mapping(n, "a schema file", map[string]func(ast.Node){
		"package":  func(v ast.Node) { r.pkg = r.text(v, "the package") },
		"message":  func(v ast.Node) { root = r.text(v, "the message") },
		"comment":  func(v ast.Node) { comment = r.text(v, "a comment") },
		"reserved": func(v ast.Node) { reserved = v },
		"columns":  func(v ast.Node) { columns = v },
		"messages": func(v ast.Node) { messages = v },
		"enums":    func(v ast.Node) { enums = v },
	})
	s := schema.New(root, schema.Package(r.pkg))
	r.file.Schema = s
	s.Message.Comment = comment
	r.messages[root] = s.Message
	r.file.lines[r.full(root)] = 1
	bodies := map[string]ast.Node{}
	var order []string
	if messages != nil {
		for _, pair := range r.pairs(messages, "messages") {
			name := r.text(pair.Key, "the name of a message")
			if r.messages[name] != nil {
				r.fail(pair.Key, "two messages are called %s", name)
				continue
			}
			r.file.lines[r.full(name)] = lineOf(pair.Key)
			r.messages[name] = s.NewMessage(name)
			bodies[name], order = pair.Value, append(order, name)
		}
	}
	if enums != nil {
		for _, pair := range r.pairs(enums, "enums") {
			r.enum(pair.Key, pair.Value)
		}
	}
	r.body(root, columns, reserved)
	for _, name := range order {
		r.where = r.full(name)
		var columns, reserved ast.Node
		r.mapping(bodies[name], "a message", map[string]func(ast.Node){
			"comment":  func(v ast.Node) { r.messages[name].Comment = r.text(v, "a comment") },
			"columns":  func(v ast.Node) { columns = v },
			"reserved": func(v ast.Node) { reserved = v },
		})
		r.body(name, columns, reserved)
	}
}

func (r *reader) body(name string, columns, reserved ast.Node) {
	r.where = r.full(name)
	if reserved != nil {
		for _, n := range r.list(reserved, "reserved") {
			r.reserve(r.messages[name], n)
		}
	}
	if columns != nil {
		for _, n := range r.list(columns, "columns") {
			r.where = r.full(name)
			r.column(r.messages[name], n)
		}
	}
	r.where = ""
}

// reserve reads a number, `40 to 42`, or a name.
func (r *reader) reserve(m *schema.Message, n ast.Node) {
	if _, ok := n.(*ast.IntegerNode); ok {
		number := uint32(r.integer(n, "a reserved number", 1, wire.MaxNumber))
		m.Reserve(number, number)
		return
	}
	text := r.text(n, "what is reserved")
	first, last, ok := strings.Cut(text, " to ")
	if !ok {
		m.ReserveNames(text)
		return
	}
	low, err := strconv.ParseUint(strings.TrimSpace(first), 10, 32)
	high, err2 := strconv.ParseUint(strings.TrimSpace(last), 10, 32)
	if strings.TrimSpace(last) == "max" {
		high, err2 = wire.MaxNumber, nil
	}
	if err != nil || err2 != nil || low == 0 || low > high || high > wire.MaxNumber {
		r.fail(n, "%q is not a range of numbers", text)
		return
	}
	m.Reserve(uint32(low), uint32(high))
}

func (r *reader) enum(key, n ast.Node) {
	name := r.text(key, "the name of an enum")
	r.where = r.full(name)
	r.file.lines[r.where] = lineOf(key)
	if r.enums[name] != nil || r.messages[name] != nil {
		r.fail(key, "two types have this name")
		return
	}
	e := schema.Enum{Name: r.full(name)}
	r.mapping(n, "an enum", map[string]func(ast.Node){
		"closed": func(v ast.Node) { e.Closed = r.flag(v, "closed") },
		"values": func(v ast.Node) {
			for _, pair := range r.pairs(v, "values") {
				if number, ok := pair.Key.(*ast.IntegerNode); ok {
					r.fail(pair.Key, "the name of a value comes first: write NAME: %s", number.String())
					continue
				}
				value := schema.EnumValue{Name: r.text(pair.Key, "the name of a value")}
				number := func(n ast.Node) { value.Number = int32(r.integer(n, "a value", math.MinInt32, math.MaxInt32)) }
				if _, ok := pair.Value.(*ast.IntegerNode); ok {
					number(pair.Value)
				} else {
					r.mapping(pair.Value, "a value", map[string]func(ast.Node){
						"number":  number,
						"comment": func(n ast.Node) { value.Comment = r.text(n, "a comment") },
					})
				}
				e.Values = append(e.Values, value)
			}
		},
	})
	r.enums[name] = r.file.Schema.AddEnum(e)
	r.where = ""
}
