"""Compiles hotpb's vectors, and checks each against a reference decoder of its own."""
