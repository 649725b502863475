// Package api has ready-made faces of type.proto and api.proto.
package api
