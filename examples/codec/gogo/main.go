// Gogo is the shop as it was, with messages of gogo, and half-way: with -moved its
// customers are Google's, while its orders still are gogo's. The two run side by side, on one journal.
package main

import (
	"os"

	"github.com/gogo/protobuf/proto"
	before "github.com/hotpb/hotpb/examples/codec/gogo/before/customers"
	"github.com/hotpb/hotpb/examples/codec/gogo/before/orders"
	moved "github.com/hotpb/hotpb/examples/codec/gogo/moved/customers"
	"github.com/hotpb/hotpb/examples/codec/service"
	hotpb "github.com/hotpb/hotpb/go"
	_ "github.com/hotpb/hotpb/go/gogo"
)

// The only lines that differ between the two: which struct an empty customer is.
func kinds(isMoved bool) map[string]service.Kind {
	kinds := map[string]service.Kind{
		"customers": {Number: 1, New: func() any { return new(before.Customer) }},
		"orders":    {Number: 2, New: func() any { return new(orders.Order) }},
	}
	if isMoved {
		kinds["customers"] = service.Kind{Number: 1, New: func() any { return new(moved.Customer) }}
	}
	return kinds
}

func samples(isMoved bool) func(by string) (map[string]any, error) {
	return func(by string) (map[string]any, error) {
		order := &orders.Order{Id: proto.String("o-" + by), CustomerId: &by, Lines: []*orders.Line{{Article: proto.String("tea")}}}
		err := hotpb.SetExtension(order, orders.E_Coupon, proto.String("SPRING"))
		if isMoved {
			return map[string]any{"customers": &moved.Customer{Id: by, Points: map[string]int64{"spring": 3}}, "orders": order}, err
		}
		return map[string]any{"customers": &before.Customer{Id: by, Points: map[string]int64{"spring": 3}}, "orders": order}, err
	}
}

func main() {
	isMoved := len(os.Args) > 1 && os.Args[1] == "-moved"
	if isMoved {
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	service.Main(kinds(isMoved), samples(isMoved))
}
