// Bundles the extension into out/extension.js, and with `--tests` what the unit tests import.
import { build } from "esbuild";
import { readdirSync } from "node:fs";

const shared = { bundle: true, platform: "node", target: "node20", format: "cjs", sourcemap: false, logLevel: "warning" };

if (process.argv.includes("--tests")) {
  const entryPoints = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints, outdir: "out/test", external: ["vscode"] });
} else {
  await build({ ...shared, entryPoints: ["src/extension.ts"], outfile: "out/extension.js", external: ["vscode"], minify: true });
}
