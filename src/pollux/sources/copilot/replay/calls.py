"""Calls of tools: what was asked for, what was carried out, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pollux.model import Attachment, Part, Unknown
from pollux.sources.copilot.format.schema import CompleteData, CompleteEvent, StartEvent, ToolRequest
from pollux.sources.copilot.replay.entries import Call
from pollux.sources.copilot.replay.leftovers import rest

Assets = Mapping[str, dict[str, Any]]
"""The bytes of pictures and files by their ids."""


def requested(request: ToolRequest, line: int, place: int) -> Call:
    """A call as the model asked for it."""
    call = Call(
        id=request.toolCallId,
        name=request.name or "",
        line=line,
        place=place,
        input=request.arguments,
        server=request.mcpServerName,
    )
    request.toolCallId = request.name = request.arguments = None
    if request.type == "function":
        request.type = None
    call.extra = rest(request)
    return call


def note_start(call: Call, event: StartEvent, envelope: dict[str, Any]) -> None:
    """Note that a call began. Where it differs from what was asked for, both are kept."""
    data = event.data
    call.at = event.timestamp or call.at
    note = envelope
    if event.id:
        note["id"] = event.id
    if data is not None:
        data.toolCallId = None
        if data.toolName is not None and (data.toolName == call.name or not call.name):
            call.name, data.toolName = data.toolName, None
        if call.input is None or data.arguments == call.input:
            call.input = call.input if call.input is not None else data.arguments
            data.arguments = None
        call.server = call.server or data.mcpServerName
        note |= rest(data)
    call.extra["start"] = note


def note_end(call: Call, event: CompleteEvent, envelope: dict[str, Any], assets: Assets) -> None:
    """Note how a call ended. A result that was invented when the session was resumed is none."""
    data = event.data
    note = envelope
    if event.id:
        note["id"] = event.id
    if data is not None:
        call.ended, call.success = event.timestamp, data.success
        call.resumed = data.model == "resumed" and data.success is False
        telemetry = data.toolTelemetry
        _take_output(call, data, note, assets)
        call.find_exit_code((data.shellExecution or {}).get("exitCode"))
        data.toolCallId = data.success = data.result = data.error = data.toolTelemetry = None
        data.shellExecution = data.shellExecution or None
        note |= rest(data)
        if telemetry:
            note["toolTelemetry"] = telemetry
    call.extra["complete"] = note


def _take_output(call: Call, data: CompleteData, note: dict[str, Any], assets: Assets) -> None:
    """Take a call's output out of its result, or out of its error; the note gets what stays."""
    result, error = data.result, data.error
    answers = result is not None and result.content is not None
    if result is not None:
        if answers:
            call.output = result.content
            if result.detailedContent == result.content:
                result.detailedContent = None
        if result.binaryResultsForLlm:
            given = [attachment(one, assets) for one in result.binaryResultsForLlm]
            call.attachments = [one for one in given if type(one) is Attachment]
            if len(call.attachments) == len(given) and "binaryResultsForLlm" not in result.extra:
                result.binaryResultsForLlm = None
        result.content = None
        if left := rest(result):
            note["result"] = left
    call.code = None
    if error is not None:
        call.code = error.code
        if not answers and error.message is not None:
            call.output = error.message
        error.message = error.message if answers else None
        if left := rest(error):
            note["error"] = left


def attachment(record: dict[str, Any], assets: Assets) -> Part:
    """A file or picture that came with a prompt, or that a tool gave: its bytes stand in an event of their own."""
    asset = assets.get(str(record.get("assetId")), {})
    media = record.get("mimeType") or asset.get("mimeType")
    data = record.get("data", asset.get("data"))
    path = next((record[key] for key in ("path", "filePath", "url") if type(record.get(key)) is str), None)
    if type(data) is not str and path is None:
        return Unknown(raw=record)
    shown = (data, path, media)
    return Attachment(
        media_type=media if type(media) is str else "application/octet-stream",
        data=data if type(data) is str else None,
        uri=path,
        extra={key: value for key, value in record.items() if type(value) is not str or value not in shown},
    )
