import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = import.meta.dirname

const COMMANDS = globSync('**/*.ts', { cwd: join(FOLDER, '../../src/commands') })

/** How many things each of the texts says at least. */
const LEAST: Record<string, number> = {
  'commands.md': COMMANDS.length,
  'seed-000.md': 10,
  'seed-001.md': 18,
  'seed-004.md': 26,
}

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
  expect(TABLES.toSorted()).toEqual(Object.keys(LEAST))
})

test.for(TABLES)('has a row in %s for each thing that it says', (table) => {
  const rows = rowsOf(table)

  expect(new Set(rows.map(({ says }) => says)).size).toBe(rows.length)
  expect(rows.length).toBeGreaterThanOrEqual(LEAST[table] ?? Infinity)
})

test('has a row for each command', () => {
  const commands = COMMANDS.map((file) => `\`${file.replace('.ts', '').replaceAll('/', ' ')}\``)

  expect(new Set(rowsOf('commands.md').map(({ says }) => says))).toEqual(new Set(commands))
})

test.for(TABLES.flatMap(rowsOf))(
  'shows "$says" by a test that npm test runs',
  ({ file, title }) => {
    const source = readFileSync(join(FOLDER, file), 'utf8').replaceAll(/\(\s+/g, '(')

    expect(title).not.toBe('')
    expect(file).not.toContain('.slow-')
    expect([`('${title}',`, `("${title}",`].some((call) => source.includes(call))).toBe(true)
  },
)
