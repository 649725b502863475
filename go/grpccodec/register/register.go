// Package register makes grpccodec.Codec the codec of a program that imports it.
package register

import "github.com/hotpb/hotpb/go/grpccodec"

func init() { grpccodec.Register() }
