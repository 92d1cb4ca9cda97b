// The terminal: xterm.js with what a workspace needs of it.

import { Terminal } from "./xterm/xterm.mjs";
import { FitAddon } from "./xterm/addon-fit.mjs";
import { WebglAddon } from "./xterm/addon-webgl.mjs";
import { WebLinksAddon } from "./xterm/addon-web-links.mjs";
import { useNewWidths } from "./widths.js";
import { hideNotice, showNotice } from "./notice.js";

const FONTS = 'ui-monospace, "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const DARK = { background: "#111318", foreground: "#e6e6ef", cursor: "#e6e6ef", selectionBackground: "#89b4fa66" };
const LIGHT = { background: "#ffffff", foreground: "#1e1e2e", cursor: "#1e1e2e", selectionBackground: "#1e66f544" };
const ATTRIBUTES = "\x1b[?62;22;52c"; // DA1: colours, and a clipboard that programs may set.
const ENTER = { shift: "\x1b[13;2u", ctrl: "\x1b[13;5u" }; // What legacy encodings cannot say.
const light = matchMedia("(prefers-color-scheme: light)");

export function createTerminal(parent) {
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: false,
    fontFamily: FONTS,
    fontSize: 15,
    macOptionIsMeta: true,
    rescaleOverlappingGlyphs: true,
    scrollback: 0,
    theme: light.matches ? LIGHT : DARK,
    linkHandler: { activate: openLink, hover: (_, url) => (parent.title = url), leave: () => (parent.title = ""), allowNonHttpProtocols: false },
  });
  const fitting = new FitAddon();
  terminal.loadAddon(fitting);
  useNewWidths(terminal);
  terminal.loadAddon(new WebLinksAddon(openLink));
  terminal.open(parent);
  drawByGpu(terminal);
  terminal.attachCustomKeyEventHandler((event) => handleKey(terminal, event));
  terminal.parser.registerCsiHandler({ final: "c" }, (parameters) => answerAttributes(terminal, parameters));
  terminal.parser.registerOscHandler(52, copyEncoded);
  const fit = () => fitting.fit();
  fit();
  new ResizeObserver(fit).observe(parent);
  document.fonts.ready.then(fit);
  return { terminal, fit, onColourScheme: (report) => light.addEventListener("change", () => changeTheme(terminal, report)) };
}

// The size in cells, and in pixels of the screen.
export function sizeOf(terminal) {
  const { width, height } = terminal.element?.querySelector(".xterm-screen")?.getBoundingClientRect() ?? { width: 0, height: 0 };
  const [xpixel, ypixel] = [width, height].map((each) => Math.round(each * devicePixelRatio));
  return { cols: terminal.cols, rows: terminal.rows, xpixel, ypixel };
}

// WebGL where a GPU draws; xterm.js draws with DOM elements otherwise.
function drawByGpu(terminal) {
  if (!hasGpu()) return;
  try {
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    terminal.loadAddon(addon);
  } catch {
    return;
  }
}

function hasGpu() {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const renderer = info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return Boolean(context) && !/swiftshader|llvmpipe|software/i.test(renderer);
}

// Report the change to the workspace as mode 2031 does, so that it asks for the colours again.
function changeTheme(terminal, report) {
  terminal.options.theme = light.matches ? LIGHT : DARK;
  report(light.matches ? "\x1b[?997;2n" : "\x1b[?997;1n");
}

function answerAttributes(terminal, parameters) {
  if (parameters.length > 1 || parameters[0] > 0) return false;
  terminal.input(ATTRIBUTES, false);
  return true;
}

function handleKey(terminal, event) {
  if (event.key === "Enter" && !event.altKey && !event.metaKey && event.shiftKey !== event.ctrlKey) {
    if (event.type === "keydown") terminal.input(event.shiftKey ? ENTER.shift : ENTER.ctrl);
    return false;
  }
  const copies = event.ctrlKey && event.shiftKey && event.code === "KeyC";
  if (copies && terminal.hasSelection()) {
    event.preventDefault();
    if (event.type === "keydown") copy(terminal.getSelection());
    return false;
  }
  return !(event.ctrlKey && event.shiftKey && event.code === "KeyV"); // The browser pastes.
}

// OSC 52 sets the clipboard, and never reads or empties it. The terminal does not wait for the browser, which may ask the user.
function copyEncoded(data) {
  try {
    const bytes = Uint8Array.from(atob(data.slice(data.indexOf(";") + 1)), (each) => each.charCodeAt(0));
    if (bytes.length) copy(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return true; // Neither Base64 nor UTF-8, such as the question for its content.
  }
  return true;
}

// The browser decides; a click on the button is a gesture that allows it.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    showNotice("The browser asks for a click before it copies.", "Copy", () => copyNow(text));
  }
}

async function copyNow(text) {
  hideNotice();
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    showNotice("The browser does not let this page copy: it allows that over HTTPS and from localhost alone, unless its settings forbid it.", "Close", hideNotice);
  }
}

function openLink(event, url) {
  if (!(event.ctrlKey || event.metaKey) || !/^https?:/i.test(url)) return;
  window.open(url, "_blank", "noopener,noreferrer");
}
