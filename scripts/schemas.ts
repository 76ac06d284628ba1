import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../src/shared/package-root.ts'
import { schemaFiles } from './schemas/schema-files.ts'

// Writes the JSON schemas in schemas/; with --check it only checks that they are up to date.
const folder = join(packageRoot(), 'schemas')
const files = schemaFiles()
const there = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    )
  : []
const superfluous = there.filter((name) => !files.has(name))
const changed = [...files].filter(
  ([name, text]) => !there.includes(name) || readFileSync(join(folder, name), 'utf8') !== text,
)

if (changed.length + superfluous.length === 0) {
  console.log('schemas/ is up to date')
} else if (process.argv.includes('--check')) {
  const names = [...changed.map(([name]) => name), ...superfluous].join(', ')
  console.error(`schemas/ differs from the code (${names}); run: npm run schemas`)
  process.exitCode = 1
} else {
  for (const [name, text] of changed) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  superfluous.forEach((name) => rmSync(join(folder, name)))
  console.log(`schemas/ was written: ${changed.length} changed, ${superfluous.length} removed`)
}
