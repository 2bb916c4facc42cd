"""What joins the devices and the game at the table: shell, panel, cameras and dice."""
