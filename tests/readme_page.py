"""Render the README about as GitHub does, at the width of its text in a window of 1,280 pixels."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
WIDTH = 832
MARGIN = 24
# The rules of GitHub's style sheet that decide what fits, and its colours.
STYLE = f"""
body {{ margin: 0; padding: {MARGIN}px; width: {WIDTH}px; box-sizing: content-box;
  font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif;
  color: #1f2328; background: #fff; }}
h1, h2 {{ border-bottom: 1px solid #8884; padding-bottom: .3em; line-height: 1.25; }}
a {{ color: #0969da; text-decoration: none; }}
pre, code {{ background: #f6f8fa; border-radius: 6px; }}
pre {{ padding: 16px; overflow: auto; font-size: 85%; line-height: 1.45; }}
code {{ padding: .2em .4em;
  font: 85% ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }}
pre code {{ padding: 0; font-size: 100%; white-space: pre; }}
table {{ display: block; width: max-content; max-width: 100%; overflow: auto;
  border-collapse: collapse; }}
td, th {{ padding: 6px 13px; border: 1px solid #8886; }}
img {{ max-width: 100%; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #f0f6fc; background: #0d1117; }}
  a {{ color: #4493f8; }}
  pre, code {{ background: #151b23; }}
}}
"""


def render_readme() -> str:
    """Render the README as a page, which finds its pictures from any folder."""
    import markdown

    text = (ROOT / "README.md").read_text(encoding="utf8")
    html = markdown.markdown(text, extensions=["tables", "fenced_code"])
    base = f'<!DOCTYPE html><meta charset="utf-8"><base href="{ROOT.as_uri()}/">'
    return f"{base}<style>{STYLE}</style><body>{html}</body>"
