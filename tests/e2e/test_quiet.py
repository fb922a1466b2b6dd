"""A completion that the model is not sure of is shown to who asks, and to nobody who types."""

from pathlib import Path

from tests.e2e.conftest import start_editor, stop_editor


async def test_a_completion_the_model_is_not_sure_of_waits_until_it_is_asked_for(
    machine: dict[str, str], shop: Path
) -> None:
    editor = await start_editor(shop, {"completion": {"min_confidence": 1.0}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.$0\n")
        await editor.settled(uri, position)
        assert await editor.complete(uri, position) == []
        await editor.until_idle()  # what a pause makes longer is no surer
        assert await editor.complete(uri, position) == []
        assert await editor.complete(uri, position, invoked=True)
    finally:
        await stop_editor(editor)


async def test_without_a_bound_it_is_shown(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop, {"completion": {"min_confidence": 0.0}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.$0\n")
        await editor.settled(uri, position)
        assert await editor.complete(uri, position)
    finally:
        await stop_editor(editor)
