"""Sessions as Gemini CLI writes them, and Qwen Code up to 0.3: `tmp/<project>/chats/session-*` and its surroundings."""
