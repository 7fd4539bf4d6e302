// Unpacks Chromium into node_modules/.chromium, with the libraries and fonts that come with it, so
// that it runs on a machine that has none of them.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const place = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

process.env.TMPDIR = place(".chromium");
mkdirSync(process.env.TMPDIR, { recursive: true });

const { default: chromium, inflate } = await import("@sparticuz/chromium");
await chromium.executablePath();
await inflate(place("@sparticuz/chromium/bin/al2023.tar.br"));
writeFileSync(
  place(".chromium/fonts/fonts.conf"),
  `<fontconfig><dir>${place(".chromium/fonts")}</dir><cachedir>${place(".chromium/fonts-cache")}</cachedir></fontconfig>\n`,
);
