package main

//go:generate protoc -I. --gogofaster_out=paths=source_relative:. stock/stock.proto
