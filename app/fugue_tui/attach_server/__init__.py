"""The attached clients: their handshake, capabilities, input, and the size of the screen they share. No Textual."""
