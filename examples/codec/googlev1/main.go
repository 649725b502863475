// Googlev1 is the shop with messages of the v1 API and its own runtime, github.com/golang/protobuf 1.3.
package main

import (
	"github.com/golang/protobuf/proto"
	"github.com/hotpb/hotpb/examples/codec/googlev1/customers"
	"github.com/hotpb/hotpb/examples/codec/googlev1/orders"
	"github.com/hotpb/hotpb/examples/codec/service"
	hotpb "github.com/hotpb/hotpb/go"
	_ "github.com/hotpb/hotpb/go/googlev1"
)

var kinds = map[string]service.Kind{
	"customers": {Number: 1, New: func() any { return new(customers.Customer) }},
	"orders":    {Number: 2, New: func() any { return new(orders.Order) }},
}

func samples(by string) (map[string]any, error) {
	order := &orders.Order{Id: proto.String("o-" + by), CustomerId: &by, Lines: []*orders.Line{{Article: proto.String("tea")}}}
	err := hotpb.SetExtension(order, orders.E_Coupon, proto.String("SPRING"))
	return map[string]any{"customers": &customers.Customer{Id: by, Points: map[string]int64{"spring": 3}}, "orders": order}, err
}

func main() { service.Main(kinds, samples) }
