// Writes an order, reads it back, and prints it with the field number of Money.cents.
#include <cstdio>

#include "shop/order.hot.h"

#ifndef SHOP  // the generated namespace
#define SHOP shop::hot
#endif

int main() {
  std::uint8_t memory[256];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto writer = out.message<SHOP::OrderWriter>();
  writer.set_id(7);
  writer.add_items("tea");
  {
    auto price = writer.set_price();
    price.set_currency("EUR");
    price.set_cents(250);
  }
  writer.set_placed().set_seconds(1700000000);
  if (!writer.finish().ok()) return 1;

  SHOP::OrderView order;
  SHOP::MoneyView price;
  google::protobuf::hot::TimestampView placed;
  if (!order.decode(out.bytes()).ok() || !price.open(order.price()).ok() || !placed.open(order.placed()).ok()) return 2;
  std::printf("order %d, %d item, %d %.*s, at %lld, cents is field %d\n", static_cast<int>(order.id()),
              static_cast<int>(order.items().size()), static_cast<int>(price.cents()),
              static_cast<int>(price.currency().size()), price.currency().data(),
              static_cast<long long>(placed.seconds()), static_cast<int>(SHOP::MoneyFields::cents.number));
}
