"""The Textual face: widgets that draw what they are given and report what the user did."""
