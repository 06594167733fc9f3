"""Sessions with a payload in every field there is."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

import msgspec

from pollux.model import Attachment, FileReference, Session, Status, Text
from tests.unit.writers.kitchen_sink import ASSISTANT, CLIENT, HUMAN, MODEL, SESSION, SYSTEM, USER, call, message

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" onload="pwned(1)"><script>pwned(1)</script></svg>'

PAYLOADS = (
    "<script>pwned(1)</script>",
    "<img src=x onerror=pwned(1)>",
    "</script><script>pwned(1)</script>",
    "</style><script>pwned(1)</script>",
    "</template><script>pwned(1)</script><template>",
    "</title><script>pwned(1)</script>",
    "</textarea></noscript></pre></code></div></details></article></main><script>pwned(1)</script>",
    "<style>@import 'http://evil.example/x.css'; * { background: url(http://evil.example/y.png) }</style>",
    '"><script>pwned(1)</script>',
    "'><script>pwned(1)</script>",
    '" onmouseover="pwned(1)" autofocus onfocus="pwned(1)" x="',
    "' onfocus='pwned(1)' autofocus tabindex=1 x='",
    "` onload=`pwned(1)`",
    DRAWING,
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=pwned(1)&gt;'>",
    "<!--><script>pwned(1)</script>-->",
    "<![CDATA[<script>pwned(1)</script>]]>",
    "<iframe src='javascript:pwned(1)'></iframe><object data='data:text/html,<script>pwned(1)</script>'></object>",
    "<meta http-equiv=refresh content='0;url=http://evil.example/'><base href='http://evil.example/'>",
    "<link rel=stylesheet href=http://evil.example/x.css><form action=javascript:pwned(1)><button>x</button></form>",
    "javascript:pwned(1)",
    "[click](javascript:pwned(1)) [click](JaVaScRiPt:pwned(1)) [click](java\tscript:pwned(1))",
    "[click](data:text/html;base64,PHNjcmlwdD5wd25lZCgxKTwvc2NyaXB0Pg==) [x](vbscript:pwned(1)) [x](file:///etc/passwd)",
    "![x](http://evil.example/x.png) ![x](javascript:pwned(1)) ![x](//evil.example/x.png)",
    f"![x](data:image/svg+xml;base64,{base64.b64encode(DRAWING.encode()).decode()})",
    '[x](http://ok.example/" onmouseover="pwned(1)) ![x" onerror="pwned(1)](http://evil.example/x.png "t" onload="y")',
    "<javascript:pwned(1)> <http://ok.example/<script>pwned(1)</script>>",
    "[r]: javascript:pwned(1)\n\n[r] [click][r]",
    "```<script>pwned(1)</script>\n</code></pre><script>pwned(1)</script>\n```",
    "```html\n<script>pwned(1)</script><img src=x onerror=pwned(1)>\n```",
    "| a |\n|:-:|\n| <img src=x onerror=pwned(1)> |",
    "\x1b]8;;javascript:pwned(1)\x07click\x1b]8;;\x07 \x1b[31m<script>pwned(1)</script>\x1b[0m \x1b[38;2;1;2;3mx",
    "\u202e<script>pwned(1)</script>\u2066 \u0000\ud800 \u2028 \ufeff",
    "&lt;script&gt;pwned(1)&lt;/script&gt; &#60;script&#62;pwned(1)&#60;/script&#62;",
    "*** Begin Patch\n*** Update File: <img src=x onerror=pwned(1)>\n-<script>pwned(1)</script>\n*** End Patch",
)


def with_payload(payload: str) -> Session:
    """A session of every shape the writer knows, in which every text is the payload."""
    extra = {"filePath": payload, "structuredPatch": [{"lines": [f"+{payload}", f"-{payload}", payload]}]}
    unified = {"filePath": payload, "fileDiff": f"--- {payload}\n@@ {payload}\n+{payload}\n-{payload}"}
    inputs: list[Any] = [
        payload,
        {"file_path": payload, "old_string": payload, "new_string": f"{payload}\n{payload}"},
        {"file_path": payload, "edits": [{"old_string": payload, "new_string": ""}]},
        {"file_path": payload, "content": payload},
        {"file_path": f"{payload}.html", "content": payload},
        {"command": payload, payload: payload},
        {"command": ["bash", "-lc", payload]},
        {"todos": [{"content": payload, "status": payload, payload: payload}]},
        {"plan": [{"step": payload, "status": payload}], payload: {payload: [payload]}},
        [payload, {payload: payload}],
        f"*** Begin Patch\n*** Update File: {payload}\n@@ {payload}\n+{payload}\n*** End Patch",
    ]
    calls = [call(payload, argument, Status.ERROR, payload, child=payload) for argument in inputs]
    calls += [call(payload, inputs[1], Status.OK, payload, extra={"result": extra})]
    calls += [call(payload, inputs[1], Status.OK, payload, extra={"resultDisplay": unified})]
    files = (
        Attachment(media_type=payload, data=payload, uri=payload),
        Attachment(media_type="image/png", data=payload, uri=payload),
        Attachment(media_type="image/svg+xml", data=base64.b64encode(DRAWING.encode()).decode()),
        Attachment(media_type="image/png", data=base64.b64encode(DRAWING.encode()).decode()),
    )
    session = cast("Session", _filled(SESSION, payload))
    more = (
        message(90, ASSISTANT, MODEL, *calls, Text(text=payload)),
        message(91, USER, HUMAN, Text(text=payload), *files, FileReference(path=f"{payload}.html", text=payload)),
        message(92, SYSTEM, CLIENT, Text(text=payload), extra={"level": payload}),
        message(93, USER, CLIENT, Text(text=payload)),
    )
    return msgspec.structs.replace(session, messages=(*session.messages, *more))


def _filled(value: Any, payload: str) -> Any:
    """The same value with every text in it replaced."""
    if isinstance(value, Enum) or value is None:
        return value
    if isinstance(value, str):
        return payload
    if isinstance(value, msgspec.Struct):
        names = [
            name for name in value.__struct_fields__ if name not in ("kind", "tool_kind") or type(value) is not Session
        ]
        return msgspec.structs.replace(value, **{name: _filled(getattr(value, name), payload) for name in names})
    if isinstance(value, Mapping):
        return {**{key: _filled(inner, payload) for key, inner in value.items()}, payload: payload}
    if isinstance(value, tuple | list):
        return type(value)(_filled(inner, payload) for inner in value)
    return value
