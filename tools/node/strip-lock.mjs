// Drops the links to sponsors from package-lock.json, so that it holds no address at all.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) delete entry.funding;
writeFileSync(file, JSON.stringify(lock, null, 2) + "\n");
