// Package api has ready faces of type.proto and api.proto.
package api
