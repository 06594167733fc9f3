"""What opens over a screen: menus, help, all commands by name, questions."""
