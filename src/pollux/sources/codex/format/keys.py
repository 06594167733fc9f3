"""The known keys of records that are only bookkeeping, by their kind.

Such records are kept as they are. A key that is not listed here is new, and reported. The keys of an inner object are
checked if `INSIDE` names it. All other objects are settings, snapshots and catalogues, which may have any key.
"""

from __future__ import annotations

_ITEM = "id internal_chat_message_metadata_passthrough"
_TURN = "turn_id root_turn_id started_at completed_at duration_ms"
_CALL = "call_id turn_id started_at_ms completed_at_ms"
_WORKER = "sender_thread_id receiver_thread_id new_thread_id prompt model reasoning_effort status"

_KNOWN = {
    "bare": "id timestamp instructions git record_type previous_response_id",
    "session": "id timestamp instructions user version",
    "session_meta": "id session_id timestamp cwd originator cli_version instructions base_instructions source git"
    " model_provider forked_from_id forked_from_ordinal_exclusive dynamic_tools agent_nickname agent_role agent_path"
    " memory_mode thread_source parent_thread_id multi_agent_version history_mode context_window history_base"
    " subagent_history_start_ordinal runtime_workspace_roots selected_capability_roots agent_type",
    "turn_context": "cwd approval_policy approvals_reviewer sandbox_policy model effort summary turn_id root_turn_id"
    " trace_id collaboration_mode personality current_date timezone permission_profile active_permission_profile"
    " file_system_sandbox_policy network truncation_policy user_instructions developer_instructions base_instructions"
    " final_output_json_schema output_schema realtime_active comp_hash multi_agent_version multi_agent_mode"
    " disabled_plugin_ids workspace_roots service_tier",
    "compacted": "message replacement_history replacement_history_metadata window_number window_id first_window_id"
    " previous_window_id compaction_response_id guardian_history latest_token_usage_record retained_context"
    " resume_metadata context_window",
    "world_state": "full state",
    "session_state": "*",
    "inter_agent_communication": "*",
    "inter_agent_communication_metadata": "*",
    "security_risk_score": "*",
    "response_item/additional_tools": f"{_ITEM} role tools",
    "response_item/ghost_snapshot": f"{_ITEM} ghost_commit",
    "response_item/compaction": f"{_ITEM} encrypted_content",
    "response_item/compaction_summary": f"{_ITEM} encrypted_content",
    "response_item/context_compaction": f"{_ITEM} encrypted_content",
    "response_item/compaction_trigger": _ITEM,
    "response_item/other": "*",
    "event_msg/task_started": f"{_TURN} turn_attribution trace_id model_context_window collaboration_mode_kind",
    "event_msg/task_complete": f"{_TURN} last_agent_message error time_to_first_token_ms",
    "event_msg/turn_aborted": f"{_TURN} reason",
    "event_msg/thread_rolled_back": "num_turns",
    "event_msg/undo_completed": "success message",
    "event_msg/context_compacted": "",
    "event_msg/entered_review_mode": "target user_facing_hint",
    "event_msg/exited_review_mode": "review_output",
    "event_msg/item_completed": "thread_id turn_id item started_at_ms completed_at_ms",
    "event_msg/mcp_tool_call_end": f"{_CALL} invocation duration result mcp_app_resource_uri link_id app_name"
    " template_id action_name plugin_id read_only_hint connector_id",
    "event_msg/patch_apply_end": f"{_CALL} stdout stderr success changes status environment_id",
    "event_msg/web_search_end": f"{_CALL} query action results",
    "event_msg/image_generation_end": f"{_CALL} status revised_prompt result saved_path",
    "event_msg/exec_command_end": f"{_CALL} process_id command cwd parsed_cmd source interaction_input stdout stderr"
    " aggregated_output exit_code duration formatted_output status environment_id",
    "event_msg/view_image_tool_call": f"{_CALL} path",
    "event_msg/dynamic_tool_call_request": f"{_CALL} namespace tool arguments",
    "event_msg/dynamic_tool_call_response": f"{_CALL} namespace tool arguments content_items success error duration",
    "event_msg/collab_agent_spawn_end": f"{_CALL} {_WORKER} new_agent_nickname new_agent_role",
    "event_msg/collab_agent_interaction_end": f"{_CALL} {_WORKER} receiver_agent_nickname receiver_agent_role",
    "event_msg/collab_waiting_end": f"{_CALL} {_WORKER} agent_statuses statuses",
    "event_msg/collab_close_end": f"{_CALL} {_WORKER} receiver_agent_nickname receiver_agent_role",
    "event_msg/collab_resume_end": f"{_CALL} {_WORKER} receiver_agent_nickname receiver_agent_role",
    "event_msg/error": "message codex_error_info",
    "event_msg/warning": "message",
    "event_msg/stream_error": "message codex_error_info additional_details",
    "event_msg/thread_settings_applied": "thread_id thread_settings",
    "event_msg/thread_goal_updated": "*",
    "event_msg/thread_name_updated": "thread_id thread_name",
    "event_msg/sub_agent_activity": "*",
    "event_msg/guardian_assessment": "*",
}
_ITEM_KEYS = {
    "UserMessage": "content client_id",
    "AgentMessage": "content phase memory_citation",
    "Reasoning": "summary_text raw_content",
    "CommandExecution": "process_id command cwd parsed_cmd source interaction_input status stdout stderr"
    " aggregated_output exit_code duration formatted_output environment_id",
    "FileChange": "changes status auto_approved stdout stderr environment_id",
    "McpToolCall": "server tool arguments status result error duration mcp_app_resource_uri app_context plugin_id",
    "DynamicToolCall": "namespace tool arguments status content_items success error duration",
    "WebSearch": "query action results status",
    "ContextCompaction": "",
    "EnteredReviewMode": "target user_facing_hint review",
    "ExitedReviewMode": "review_output review",
    "CollabAgentToolCall": "tool status sender_thread_id receiver_thread_ids receiver_agents agents_states prompt model"
    " reasoning_effort error",
    "SubAgentActivity": "agent_thread_id agent_path kind",
    "Plan": "text",
    "HookPrompt": "fragments",
    "ImageGeneration": "status revised_prompt result saved_path",
    "ImageView": "path",
    "Sleep": "duration_ms",
}

_INSIDE = {
    "git": "commit_hash branch repository_url",
    "base_instructions": "text provenance",
    "provenance": "type model hook namespace",
    "source": "subagent custom internal",
    "subagent": "thread_spawn other",
    "thread_spawn": "parent_thread_id depth agent_path agent_nickname agent_role",
    "history_base": "thread_id end_ordinal_exclusive end_byte_offset",
    "context_window": "window_id window_number first_window_id previous_window_id",
    "turn_attribution": "turn_id turn_trigger parent_turn_id initiating_agent_path root_turn_id",
    "error": "message codex_error_info additional_details",
    "target": "type instructions branch sha title",
    "review_output": "findings overall_correctness overall_explanation overall_confidence_score",
    "findings": "title body confidence_score priority code_location",
    "code_location": "absolute_file_path line_range",
    "line_range": "start end",
    "ghost_commit": "id parent preexisting_untracked_files preexisting_untracked_dirs",
    "invocation": "server tool arguments",
    "action": "type query queries url pattern",
    "duration": "secs nanos",
    "parsed_cmd": "type cmd name path query",
    "content": "type text text_elements path image_url detail name url",
    "receiver_agents": "thread_id agent_nickname agent_role",
}

KNOWN = {kind: frozenset(keys.split()) | {"type"} for kind, keys in _KNOWN.items()}
UI_ITEMS = {kind: frozenset(keys.split()) | {"type", "id"} for kind, keys in _ITEM_KEYS.items()}
INSIDE = {key: frozenset(keys.split()) for key, keys in _INSIDE.items()}
# Written by some releases under another name.
ALIASES = {"event_msg/turn_started": "event_msg/task_started", "event_msg/turn_complete": "event_msg/task_complete"}
