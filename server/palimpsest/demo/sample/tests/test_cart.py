from shop.cart import Cart
from shop.item import Item


def test_the_same_item_grows_its_line():
    cart = Cart()
    cart.add(Item("tea", 450))
    cart.add(Item("tea", 450), 2)
    assert [line.quantity for line in cart.lines] == [3]
