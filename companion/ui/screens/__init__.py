"""The screens, one .py and .kv each; `companion.ui.registry` lists them."""
