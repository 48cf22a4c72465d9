// Prints the size of the production code: lines and files of src/ and nodes/. With `--folders`, also of each folder.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

const listed = execFileSync("git", ["ls-files", "src/*.ts", "nodes/*.ts"], { encoding: "utf8" }).split("\n");
const files = listed.filter((file) => file !== "" && existsSync(file));
const linesOf = (file) => readFileSync(file, "utf8").split("\n").length - 1;

function show(name, members) {
  const lines = members.reduce((sum, file) => sum + linesOf(file), 0);
  console.log(`${name}: ${lines} lines in ${members.length} files`);
}

if (process.argv.includes("--folders"))
  for (const folder of new Set(files.map(dirname)))
    show(
      folder,
      files.filter((file) => dirname(file) === folder),
    );
show("src/ and nodes/", files);
