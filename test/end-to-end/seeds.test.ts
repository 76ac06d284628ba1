import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = import.meta.dirname

const COMMANDS = globSync('**/*.ts', { cwd: join(FOLDER, '../../src/commands') })

/** How many rows each table has, so that none goes unseen. */
const ROWS: Record<string, number> = {
  'commands.md': COMMANDS.length,
  'seed-000.md': 16,
  'seed-001.md': 25,
  'seed-002.md': 30,
  'seed-004.md': 32,
}

/** How a test begins, alone or as a table; one that is skipped does not, but in the cluster of someone else. */
const BEGINNING =
  /^ *(?:test|test\.skipIf\(isExternal\)|test\.for\(\w+\)|\](?: as const)?\))\((["'])(.*?)\1,/gm

/** What leaves tests out whatever their titles say. A lab that cannot run is no reason: in CI that fails. */
const LEFT_OUT =
  /\.only\(|describe\w*\.(?:skip|todo|skipIf|runIf)\((?!(?:isExternal \|\| )?canRunLab\()/

const TABLES = readdirSync(FOLDER).filter((file) => /^(?:commands|seed-\d+)\.md$/.test(file))

/** The rows of a table: what is said, and the file and the title of a test that shows it. */
function rowsOf(table: string) {
  return readFileSync(join(FOLDER, table), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, says = '', file = '', title = '']) => ({
      says,
      file: file.replaceAll('`', ''),
      title,
    }))
}

test('has a table for each seed, and for commands', () => {
  expect(TABLES.toSorted()).toEqual(Object.keys(ROWS))
})

test.for(TABLES)('has a row in %s for each thing that it says', (table) => {
  const rows = rowsOf(table)

  expect(new Set(rows.map(({ says }) => says)).size).toBe(rows.length)
  expect(rows.length).toBe(ROWS[table])
})

test('has a row for each command', () => {
  const commands = COMMANDS.map((file) => `\`${file.replace('.ts', '').replaceAll('/', ' ')}\``)

  expect(new Set(rowsOf('commands.md').map(({ says }) => says))).toEqual(new Set(commands))
})

test.for(TABLES.flatMap(rowsOf))(
  'shows "$says" by a test that npm test runs',
  ({ file, title }) => {
    const source = readFileSync(join(FOLDER, file), 'utf8').replaceAll(/\(\s+/g, '(')

    expect(file).toMatch(/\.(?:test|integration|lab|quiet-lab)\.ts$/)
    const titles = [...source.matchAll(BEGINNING)].map(([, , found]) => found)
    expect(titles.filter((found) => found === title)).toHaveLength(1)
    expect(source).not.toMatch(LEFT_OUT)
  },
)
