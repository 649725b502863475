package main

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// account is the traffic of exporters as one party sees it.
type account map[netip.Addr]truth.Sum

func (a account) add(exporter netip.Addr, s truth.Sum) {
	exporter = exporter.Unmap()
	sum := a[exporter]
	sum.Add(s)
	a[exporter] = sum
}

// exporters are the exporters of both accounts, in order.
func exporters(a, b account) []netip.Addr {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.SortedFunc(maps.Keys(all), func(x, y netip.Addr) int { return cmp.Or(x.Compare(y)) })
}

// differences reports where the output differs from the input.
func differences(in, out account) (list []string) {
	for _, exporter := range exporters(in, out) {
		if in[exporter] != out[exporter] {
			list = append(list, fmt.Sprintf("exporter %v: %+v went in, %+v came out", exporter, in[exporter], out[exporter]))
		}
	}
	return list
}
