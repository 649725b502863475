package decode

import (
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/go/schema/template"
)

// variant is a template as records with some traits are read.
type variant struct {
	traits
	template *template.Template
}

// variantColumn is the memory for a column of a variant that shares those of its template.
const variantColumn = 128

// choose prepares for records with some traits. It binds the template for them if they are the first. It returns false, and
// counts that, if there is no memory for that.
func (d *Decoder) choose(dom *domain, def *definition, b *bound, k traits) bool {
	if k == (traits{}) {
		b.chosen = b.template
		return true
	}
	for i := range b.variants {
		if v := &b.variants[i]; v.traits == k {
			b.chosen = v.template
			return true
		}
	}
	if t := d.holding; t != nil {
		n := d.variantSize(def)
		if !dom.exporter.Reserve(n) {
			d.counts.Drop(count.TemplateFlood, 1)
			return false
		}
		t.bytes += n
	}
	fields := def.fields
	if def.structured {
		fields = d.lists.expand(d.lists.hide(fields), b.arrays)
	}
	t, err := b.template.Variant(fields, def.names(k))
	if err != nil { // it was bound to these fields before
		d.counts.Drop(count.TemplateMalformed, 1)
		return false
	}
	b.variants = append(b.variants, variant{k, t})
	b.chosen = t
	return true
}

// variantSize estimates how much memory a variant needs.
func (d *Decoder) variantSize(def *definition) int {
	each := variantColumn
	if def.variable {
		each = columnSize
	}
	return templateSize + min(d.columns, len(def.fields)*d.fan)*each
}
