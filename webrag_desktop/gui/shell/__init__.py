"""The window itself: start and end, arrangement, menus, and what connects its panes."""
