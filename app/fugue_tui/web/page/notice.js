// A line over the terminal that says what the user has to know, with a button for what can be done about it.

const notice = document.getElementById("notice");
const text = document.getElementById("notice-text");
const button = document.getElementById("notice-button");

export function showNotice(message, label = "", action = null) {
  text.textContent = message;
  button.hidden = !label;
  button.textContent = label;
  button.onclick = action;
  notice.hidden = false;
}

export function hideNotice() {
  notice.hidden = true;
}
