import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../src/cli/help/exit-codes-help.ts'
import { loadFramework } from '../src/cli/catalog/framework.ts'
import { packageRoot } from '../src/shared/package-root.ts'
import {
  commandReference,
  commandTable,
  exitCodeTable,
  replaceSections,
} from './readme/sections.ts'

// Writes the generated parts of the documents; with --check it only tells whether they are as they would be written.
const { commands } = await loadFramework()
const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/commands.md': {
    table: commandTable(commands),
    commands: commandReference(commands),
  },
  'docs/exit-codes.md': { 'exit codes': exitCodeTable(exitCodes()) },
}
for (const [document, sections] of Object.entries(documents)) {
  update(document, sections)
}

function update(document: string, sections: Readonly<Record<string, string>>): void {
  const path = join(packageRoot(), document)
  const before = readFileSync(path, 'utf8')
  const after = execFileSync('oxfmt', ['--stdin-filepath', document], {
    cwd: packageRoot(),
    encoding: 'utf8',
    input: replaceSections(before, sections),
  })
  if (after === before) {
    console.log(`${document} is up to date`)
  } else if (process.argv.includes('--check')) {
    console.error(`${document} is not what the commands say; run: npm run readme`)
    process.exitCode = 1
  } else {
    writeFileSync(path, after)
    console.log(`${document} was written`)
  }
}
