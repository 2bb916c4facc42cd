"""Buttons, lamps, buzzer, displays and the serial panel, each as a port with a real adapter and a shipped fake."""
