// The page: a terminal that shows the workspace over a WebSocket, and finds its view again after a lost connection.

import { createTerminal, sizeOf } from "./terminal.js";
import { hideNotice, showNotice } from "./notice.js";

const ACK_BYTES = 1 << 14; // How much is shown before the server is told.
const INPUT_CHARACTERS = 1 << 16; // The most of a paste in one message.
const RETRY_SECONDS = [0.2, 0.5, 1, 2, 5];
const GIVE_UP_SECONDS = 60; // As long as the server keeps the view.
const PING_SECONDS = 15;
const ANSWER_SECONDS = 3;
const TAKEN = 4001; // Another page shows this view.
const encoder = new TextEncoder();

const { terminal, fit, onColourScheme } = createTerminal(document.getElementById("terminal"));
globalThis.terminal = terminal; // For the console, and for tests.
let session = localStorage.getItem("session") ?? "";
let tab = sessionStorage.getItem("tab") ?? newTab();
sessionStorage.removeItem("tab"); // A duplicate of this tab is to have a view of its own.
let socket = null;
let lostAt = 0;
let attempts = 0;
let retryTimer = 0;
let shown = 0;
let awaitsPong = false;

window.addEventListener("pagehide", () => sessionStorage.setItem("tab", tab));
window.addEventListener("pageshow", () => sessionStorage.removeItem("tab"));
window.addEventListener("online", retryNow);
document.addEventListener("visibilitychange", () => document.hidden || probeSoon());
setInterval(probe, PING_SECONDS * 1000);
terminal.onData((text) => type(encoder, text));
terminal.onBinary((text) => sendBytes(Uint8Array.from(text, (each) => each.charCodeAt(0))));
terminal.onResize(() => send({ type: "resize", size: sizeOf(terminal) }));
onColourScheme((report) => type(encoder, report));
start();

async function start() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (token && !(await logIn(token))) return;
  if (!session) {
    showNotice("This page needs the link that fugue-tui web prints; Enter in its terminal prints one.");
    return;
  }
  connect();
}

// Start a session by the token of a link; a link that was used already leaves the session that there is.
async function logIn(token) {
  let answer;
  try {
    answer = await fetch("login", { method: "POST", body: token });
  } catch {
    showNotice("The server does not answer: is fugue-tui web still running?", "Try again", () => {
      location.hash = token;
      location.reload();
    });
    return false;
  }
  if (answer.ok) {
    session = (await answer.json()).session;
    localStorage.setItem("session", session);
    return true;
  }
  if (session && (await sessionState()) === "valid") return true;
  if (answer.status === 410) {
    showNotice("This link has expired. Enter in the terminal of fugue-tui web prints a new one.");
    return false;
  }
  showNotice("This link was used already, or another one has replaced it. Enter in the terminal of fugue-tui web prints a new one.");
  return false;
}

function newTab() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (each) => each.toString(16).padStart(2, "0")).join("");
}

async function sessionState() {
  try {
    return (await fetch(`s/${session}/`)).ok ? "valid" : "ended";
  } catch {
    return "unreachable";
  }
}

function connect() {
  clearTimeout(retryTimer);
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const link = new WebSocket(`${scheme}://${location.host}/s/${session}/socket`);
  link.binaryType = "arraybuffer";
  [socket, shown] = [link, 0];
  link.onopen = () => {
    fit();
    send({ type: "show", tab, size: sizeOf(terminal) });
  };
  link.onmessage = ({ data }) => link === socket && (typeof data === "string" ? take(JSON.parse(data)) : draw(data));
  link.onclose = ({ code }) => link === socket && closed(code);
}

function take(message) {
  awaitsPong = false;
  if (message.type === "welcome") welcome(message);
  else if (message.type === "title") document.title = message.title;
  else if (message.type === "end") ended(message.message);
}

function welcome(message) {
  if (!message.resumed) terminal.reset();
  [attempts, lostAt] = [0, 0];
  document.title = message.title || `fugue-tui ${message.workspace}`;
  hideNotice();
  terminal.focus();
}

function ended(message) {
  socket = null;
  showNotice(`[${message}]`, "Attach again", () => {
    hideNotice();
    connect();
  });
}

function draw(data) {
  const link = socket;
  terminal.write(new Uint8Array(data), () => link === socket && wasShown(data.byteLength));
}

function wasShown(count) {
  shown += count;
  if (shown < ACK_BYTES) return;
  send({ type: "read", count: shown });
  shown = 0;
}

function closed(code) {
  socket = null;
  awaitsPong = false;
  if (code === TAKEN) {
    showNotice("Another tab shows this view.", "Show a view here", () => {
      tab = newTab();
      connect();
    });
    return;
  }
  lostAt ||= Date.now();
  retry();
}

async function retry() {
  const state = await sessionState();
  if (socket) return;
  if (state === "ended") {
    showNotice("The session has ended: fugue-tui web was started again. Open the link that it prints.");
    return;
  }
  if ((Date.now() - lostAt) / 1000 > GIVE_UP_SECONDS) {
    showNotice("Not connected. The workspace runs on; is fugue-tui web still running?", "Connect", retryNow);
    return;
  }
  showNotice("The connection was lost; connecting again …", "Now", retryNow);
  if (state === "valid" && attempts === 0) {
    attempts += 1;
    connect();
    return;
  }
  retryTimer = setTimeout(state === "valid" ? connect : retry, 1000 * RETRY_SECONDS[Math.min(attempts, RETRY_SECONDS.length - 1)]);
  attempts += 1;
}

function retryNow() {
  if (socket || !lostAt) return;
  clearTimeout(retryTimer);
  [lostAt, attempts] = [Date.now(), 0];
  retry();
}

// Ask whether the connection is alive; one that did not answer the last question is dropped.
function probe() {
  if (!socket || socket.readyState !== WebSocket.OPEN) return;
  if (awaitsPong) {
    const link = socket;
    link.close();
    closed(1006);
    return;
  }
  awaitsPong = true;
  send({ type: "ping" });
}

// A page that was frozen reads the last answer only after this.
function probeSoon() {
  awaitsPong = false;
  probe();
  setTimeout(probe, ANSWER_SECONDS * 1000);
}

function type(encoding, text) {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + INPUT_CHARACTERS, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1; // Not between surrogates.
    sendBytes(encoding.encode(text.slice(at, end)));
    at = end;
  }
}

function sendBytes(bytes) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(bytes);
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}
