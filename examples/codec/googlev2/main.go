// Googlev2 is the shop when all has moved: messages of Google's generator, with
// hotpb's fast methods beside them. No other runtime is linked.
package main

import (
	"github.com/hotpb/hotpb/examples/codec/googlev2/customers"
	"github.com/hotpb/hotpb/examples/codec/googlev2/orders"
	"github.com/hotpb/hotpb/examples/codec/service"
	hotpb "github.com/hotpb/hotpb/go"
	"google.golang.org/protobuf/proto"
)

var kinds = map[string]service.Kind{
	"customers": {Number: 1, New: func() any { return new(customers.Customer) }},
	"orders":    {Number: 2, New: func() any { return new(orders.Order) }},
}

func samples(by string) (map[string]any, error) {
	order := &orders.Order{Id: proto.String("o-" + by), CustomerId: &by, Lines: []*orders.Line{{Article: proto.String("tea")}}}
	err := hotpb.SetExtension(order, orders.E_Coupon, "SPRING")
	return map[string]any{"customers": &customers.Customer{Id: by, Points: map[string]int64{"spring": 3}}, "orders": order}, err
}

func main() { service.Main(kinds, samples) }
