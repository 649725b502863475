package main

import "github.com/CrowdStrike/csproto"
import "google.golang.org/grpc/encoding"

func init() { encoding.RegisterCodec(csproto.GrpcCodec{}) }
