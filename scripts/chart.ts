import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../src/shared/package-root.ts'
import { chartFiles } from './chart/chart-files.ts'

// Writes the generated files of the Helm chart; with --check it only checks that they are up to date.
const folder = join(packageRoot(), 'charts/vplane')
const changed = [...chartFiles()].filter(([name, text]) => {
  const path = join(folder, name)
  return !existsSync(path) || readFileSync(path, 'utf8') !== text
})

if (changed.length === 0) {
  console.log('charts/vplane is up to date')
} else if (process.argv.includes('--check')) {
  const names = changed.map(([name]) => name).join(', ')
  console.error(`charts/vplane differs from the code (${names}); run: npm run chart`)
  process.exitCode = 1
} else {
  for (const [name, text] of changed) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  console.log(`charts/vplane was written: ${changed.length} changed`)
}
