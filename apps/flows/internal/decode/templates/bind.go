package templates

import (
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Bound is a template bound to a layout.
type Bound struct {
	Layout   *layout.Layout
	Template *template.Template
	variants []variant          // for records of other traits, bound when there is one
	Chosen   *template.Template // of these, for the records that are being encoded
	Arrays   []int              // which lists its records are expanded by
	misfits  uint64             // misfits that are already counted
	Uptimes  bool               // a column reads times since the exporter's start
}

// Binder binds templates to a layout.
type Binder struct {
	layout  *layout.Layout
	lists   wanted
	columns int // of the layout, for the memory that templates use
	fan     int // columns that one field may fill
}

// NewBinder returns a binder to a layout.
func NewBinder(l *layout.Layout) *Binder {
	columns := l.Plan.Columns(l.Plan.Root())
	b := &Binder{layout: l, lists: newWanted(columns), columns: len(columns), fan: 1}
	shared := map[schema.Source]int{}
	for _, c := range columns {
		for _, source := range c.Sources {
			shared[source]++
			b.fan = max(b.fan, shared[source])
		}
	}
	return b
}

// Bind binds the fields of a template. It returns those that cannot fill a column, and are skipped.
func (b *Binder) Bind(def *Definition) (x Bound, wrong []error, err error) {
	fields := def.Fields
	x.Layout, x.Uptimes = b.layout, def.UsesUptimes(b.layout)
	if def.structured {
		x.Arrays = b.lists.arrays(fields)
		fields = b.lists.hide(fields)
	}
	names := def.names(Traits{})
	x.Template, wrong, err = template.BindNamed(b.layout.Plan, fields, names)
	if len(x.Arrays) > 0 && err == nil {
		x.Template, _, err = template.BindNamed(b.layout.Plan, b.lists.expand(fields, x.Arrays), names)
	}
	return x, wrong, err
}

// Size estimates how much memory a template needs when it is bound.
func (b *Binder) Size(def *Definition) int {
	n := def.Size()
	if !def.Options {
		n += b.columns*handleSize + min(b.columns, len(def.Fields)*b.fan)*columnSize
		if def.structured {
			n += len(b.lists) * (fieldSize + columnSize)
		}
		if _, biflow := reverseFields(def.Fields); biflow {
			n *= 2
		}
	}
	return n
}

// Vary binds a template for records with some traits, for which choose has found none.
func (b *Binder) Vary(x *Bound, def *Definition, k Traits) error {
	fields := def.Fields
	if def.structured {
		fields = b.lists.expand(b.lists.hide(fields), x.Arrays)
	}
	t, err := x.Template.Variant(fields, def.names(k))
	if err == nil {
		x.variants = append(x.variants, variant{k, t})
		x.Chosen = t
	}
	return err
}

// VariantSize estimates how much memory that needs.
func (b *Binder) VariantSize(def *Definition) int {
	each := variantColumn
	if def.Variable {
		each = columnSize
	}
	return templateSize + min(b.columns, len(def.Fields)*b.fan)*each
}

// Choose prepares for records with some traits. It returns false if vary must bind the template for them.
func (x *Bound) Choose(k Traits) bool {
	if k == (Traits{}) {
		x.Chosen = x.Template
		return true
	}
	return x.find(k)
}

func (x *Bound) find(k Traits) bool {
	for i := range x.variants {
		if v := &x.variants[i]; v.Traits == k {
			x.Chosen = v.template
			return true
		}
	}
	return false
}

// variant is a template as records with some traits are read.
type variant struct {
	Traits
	template *template.Template
}

// variantColumn is the memory for a column of a variant that shares those of its template.
const variantColumn = 128

// The memory for a template besides its fields, for each of them, for each column, and for each column that they
// may fill.
const (
	templateSize = 800
	fieldSize    = 32
	handleSize   = 16
	columnSize   = 300
)

// CountMisfits counts the misfits that are not counted yet.
func (b *Bound) CountMisfits(c *count.Local) {
	if n := b.Template.AllMisfits(); n > b.misfits {
		c.Drop(count.Misfit, int(n-b.misfits))
		b.misfits = n
	}
}
