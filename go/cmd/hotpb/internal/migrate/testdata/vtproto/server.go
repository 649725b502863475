package main

import (
	"context"
	"net"
	"net/http"
	"os"

	"connectrpc.com/connect"
	"google.golang.org/grpc"

	vtgrpc "github.com/planetscale/vtprotobuf/codec/grpc"

	"example.com/shop/catalog"
)

const getMethod = "/shop.catalog.Catalog/Get"

func (s *store) serve(_ context.Context, in *catalog.GetRequest) (*catalog.Item, error) {
	item, err := s.get(in.Id)
	if err != nil {
		return nil, err
	}
	defer item.ReturnToVTPool()
	return item.CloneVT(), nil
}

// newServer is the gRPC server.
func newServer(s *store) *grpc.Server {
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "shop.catalog.Catalog", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Get", Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := new(catalog.GetRequest)
			if err := decode(in); err != nil {
				return nil, err
			}
			return s.serve(ctx, in)
		}}},
	}, s)
	return server
}

// newHandler is the same for browsers.
func newHandler(s *store) http.Handler {
	get := func(ctx context.Context, in *connect.Request[catalog.GetRequest]) (*connect.Response[catalog.Item], error) {
		item, err := s.serve(ctx, in.Msg)
		if err != nil {
			return nil, connect.NewError(connect.CodeNotFound, err)
		}
		return connect.NewResponse(item), nil
	}
	return connect.NewUnaryHandler(getMethod, get, connect.WithCodec(vtgrpc.Codec{}))
}

func main() {
	listener, err := net.Listen("tcp", "localhost:7070")
	if err == nil {
		err = newServer(&store{items: map[string][]byte{}}).Serve(listener)
	}
	os.Stderr.WriteString(err.Error())
	os.Exit(1)
}
