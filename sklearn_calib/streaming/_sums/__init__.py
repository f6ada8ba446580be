"""What a mergeable state is made of: measures, classes, rows, groups and documents."""
