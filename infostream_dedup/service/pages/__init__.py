"""The pages for people; each file makes a router. They work without script; script adds keys and local times."""
