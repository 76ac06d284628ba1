import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../src/cli/exit-codes-help.ts'
import { loadFramework } from '../src/cli/framework.ts'
import { packageRoot } from '../src/shared/package-root.ts'
import { commandReference, exitCodeTable, replaceSections } from './readme/sections.ts'

// Writes the generated parts of README.md; with --check it only tells whether they are as they would be written.
const path = join(packageRoot(), 'README.md')
const before = readFileSync(path, 'utf8')
const { commands } = await loadFramework()
const filled = replaceSections(before, {
  commands: commandReference(commands),
  'exit codes': exitCodeTable(exitCodes()),
})
const after = execFileSync('oxfmt', ['--stdin-filepath', 'README.md'], {
  cwd: packageRoot(),
  encoding: 'utf8',
  input: filled,
})

if (after === before) {
  console.log('README.md is up to date')
} else if (process.argv.includes('--check')) {
  console.error('README.md is not what the commands say; run: npm run readme')
  process.exitCode = 1
} else {
  writeFileSync(path, after)
  console.log('README.md was written')
}
