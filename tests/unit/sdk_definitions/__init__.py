"""What authors define with: params, assets, timetables, policies and their like."""
