"""The pages for people; each file makes a router. They work without JavaScript, which adds keys and local times."""
