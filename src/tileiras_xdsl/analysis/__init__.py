"""What is known about programs without changing them: layouts, facts about values, aliasing."""
