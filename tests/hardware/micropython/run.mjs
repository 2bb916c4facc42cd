// Runs SCRIPT in MicroPython's WebAssembly build, with the firmware and this folder beside it:
//   npm install @micropython/micropython-webassembly-pyscript
//   node run.mjs NODE_MODULES FIRMWARE SCRIPT
import fs from "node:fs";
import path from "node:path";
const [modules, firmware, script] = process.argv.slice(2);
const port = path.resolve(modules, "@micropython/micropython-webassembly-pyscript/micropython.mjs");
const { loadMicroPython } = await import(port);
// As much memory as a Pico has for Python.
const python = await loadMicroPython({ heapsize: 190 * 1024, stdout: (line) => console.log(line) });
for (const folder of [firmware, path.dirname(script)]) {
  for (const name of fs.readdirSync(folder)) {
    if (name.endsWith(".py")) python.FS.writeFile("/" + name, fs.readFileSync(path.join(folder, name)));
  }
}
try {
  python.runPython("import sys\nsys.path.append('/')\n" + fs.readFileSync(script, "utf8"));
} catch (fault) {
  console.log(fault.message);
  process.exit(1);
}
