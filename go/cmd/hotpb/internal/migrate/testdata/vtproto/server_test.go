package main

import (
	"context"
	"net"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"
	vtcodec "github.com/planetscale/vtprotobuf/codec/grpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"example.com/shop/catalog"
)

var item = &catalog.Item{Id: "a1", Title: "lamp", Tags: []string{"red", "new"}, Stock: map[string]int64{"Kyiv": 3}}

func filled(t *testing.T) *store {
	s := &store{items: map[string][]byte{}}
	if err := s.put(item); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOverGRPC(t *testing.T) {
	listener := bufconn.Listen(1 << 16)
	server := newServer(filled(t))
	go server.Serve(listener)
	defer server.Stop()
	client, err := grpc.NewClient("passthrough:shop", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return listener.Dial() }))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 2 { // the second one with an item that was in the pool
		got := new(catalog.Item)
		err = client.Invoke(context.Background(), getMethod, &catalog.GetRequest{Id: "a1"}, got, grpc.ForceCodec(vtcodec.Codec{}))
		if err != nil || !got.EqualVT(item) {
			t.Fatal(got, err)
		}
	}
}

func TestOverConnect(t *testing.T) {
	server := httptest.NewServer(newHandler(filled(t)))
	defer server.Close()
	client := connect.NewClient[catalog.GetRequest, catalog.Item](server.Client(), server.URL+getMethod, connect.WithCodec(vtcodec.Codec{}))
	got, err := client.CallUnary(context.Background(), connect.NewRequest(&catalog.GetRequest{Id: "a1"}))
	if err != nil || !got.Msg.EqualVT(item) {
		t.Fatal(got, err)
	}
}
