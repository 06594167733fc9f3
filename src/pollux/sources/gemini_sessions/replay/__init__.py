"""What became of each message of a log: written again, rewound, compressed, copied."""
