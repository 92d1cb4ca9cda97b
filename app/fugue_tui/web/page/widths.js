// Widths by Unicode 17, as the workspace's: xterm.js's add-on joins graphemes well and knows the widths of Unicode 13.

import { UnicodeGraphemesAddon } from "./xterm/addon-unicode-graphemes.mjs";

const BASE = "15-graphemes";
const VERSION = "17-graphemes";
const WIDE = // First and last of what East Asian Width (UAX #11) and emoji made wide since.
  "2630-2637 268a-268f 2e3a-2e3b 2ffc-2fff 31e4-31e5 31ef-31ef 4dc0-4dff 16ff2-16ff6 187f8-187ff 18cd6-18cda 18cff-18cff " +
  "18d09-18d20 18d80-18df2 18e00-19191 191a0-191d2 1aff0-1aff3 1aff5-1affb 1affd-1affe 1b11f-1b128 1b132-1b132 1b155-1b155 " +
  "1b168-1b168 1d300-1d356 1d360-1d376 1f1ae-1f1ae 1f6d8-1f6d9 1f6dc-1f6df 1f7da-1f7da 1f7f0-1f7f0 1f979-1f979 1f9cc-1f9cc " +
  "1fa75-1fa77 1fa7b-1fa7c 1fa87-1fa8f 1faa9-1faaf 1fab7-1fabf 1fac3-1fac6 1fac8-1fac8 1facc-1facf 1fad7-1fadd 1fadf-1faeb " +
  "1faef-1fafa";
const ranges = WIDE.split(" ").map((range) => range.split("-").map((each) => parseInt(each, 16)));

// Have a terminal use them.
export function useNewWidths(terminal) {
  const base = graphemes();
  terminal.unicode.register({
    version: VERSION,
    wcwidth: (code) => (isWide(code) ? 2 : base.wcwidth(code)),
    charProperties: (code, preceding) => widened(code, base.charProperties(code, preceding)),
  });
  terminal.unicode.activeVersion = VERSION;
}

function graphemes() {
  const found = {};
  const unicode = { register: (provider) => (found[provider.version] = provider), activeVersion: "" };
  new UnicodeGraphemesAddon().activate({ unicode });
  return found[BASE];
}

// Properties have the width in bits 1 and 2; bit 0 says that the character joins the one before.
function widened(code, properties) {
  return code >= ranges[0][0] && !(properties & 1) && isWide(code) ? (properties & ~6) | 4 : properties;
}

function isWide(code) {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < ranges[middle][0]) high = middle - 1;
    else if (code > ranges[middle][1]) low = middle + 1;
    else return true;
  }
  return false;
}
