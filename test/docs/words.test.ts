import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { readPages } from './read-pages.ts'

/** Words that readers stumble over, and what to write. CONTRIBUTING has more of them. */
const RIDDLES: [RegExp, string][] = [
  [/\banew\b/i, 'again'],
  [/\bwho(so)?ever\b/i, 'anyone who, or the name of the actor'],
  [/\bsomebody\b/i, 'someone'],
  [/\b(go|goes|going|gone|went) on\b/i, 'continue'],
  [/\b(is|are|was|were|been) made of\b/i, 'is built from, is created from'],
  [/\bresting\b/i, 'is paused'],
  [/\bof (ours|theirs)\b/i, 'our own, their own'],
  [/\bin the place of\b/i, 'overwrite, replace'],
  [/\b(look|looks|looked|looking) whether\b/i, 'check'],
  [/\bTells (whether|how|why)\b/, 'returns whether'],
  [/\bmend(s|ed|ing)?\b/i, 'repair, fix'],
  [/\bfor ever\b/i, 'forever'],
]

/** Words of identifiers that had several meanings. */
const UNCLEAR = new Set(['passing', 'look', 'looks', 'looked', 'heard', 'said', 'told', 'way'])

const root = packageRoot()
const sources = globSync('src/**/*.ts', { cwd: root }).toSorted()
const pages = readPages().filter(({ path }) => path !== 'CONTRIBUTING.md')
const tests = globSync('{bench,scripts,test}/**/*.ts', { cwd: root })
const programs = [...sources, ...tests.filter((path) => path !== 'test/docs/words.test.ts')]
const OTHERS = ['templates/**/*.yaml', '{.changeset,.github/decisions}/*.md', 'schemas/**/*.json']

test('documents, messages, comments and names of tests have no word that takes a second reading', () => {
  const others = globSync(OTHERS, { cwd: root })
  const texts = [
    ...pages,
    ...programs.map((path) => ({ path, prose: proseOf(read(path)) })),
    ...others.map((path) => ({ path, prose: read(path) })),
  ]

  const found = texts.flatMap(({ path, prose }) => riddlesIn(prose).map((one) => `${path}: ${one}`))

  expect(found).toEqual([])
})

test('documents call a plane paused, not asleep', () => {
  const notes = globSync('{.changeset,.github/decisions}/*.md', { cwd: root })
  const texts = [...pages, ...notes.map((path) => ({ path, prose: read(path) }))]

  const found = texts.flatMap(({ path, prose }) =>
    [...prose.replaceAll(/`[^`]*`/g, '').matchAll(/\b(asleep|awake)\b/gi)].map(
      ([word]) => `${path}: ${word}`,
    ),
  )

  expect(found).toEqual([])
})

test('a word in code has one meaning', () => {
  const found = sources.flatMap((path) => unclearIn(read(path)).map((name) => `${path}: ${name}`))

  expect(found).toEqual([])
})

describe('the words in a source file', () => {
  const source = [
    '/** Says it anew. */',
    "const said = 'whoever' // somebody",
    'const text = `${lookAt(said)} is going on`',
    "import { wayOf } from './look.ts'",
  ].join('\n')

  test('of comments and texts are prose', () => {
    const words = riddlesIn(proseOf(source)).map((riddle) => riddle.split(':')[0])

    expect(words).toEqual(['"anew"', '"whoever"', '"somebody"', '"going on"'])
  })

  test('of code are identifiers', () => {
    expect(unclearIn(source)).toEqual(['said', 'lookAt', 'wayOf'])
  })
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Comments, strings and templates; imports name files. */
const PROSE = /\/\*[\s\S]*?\*\/|\/\/ .*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g

function proseOf(source: string): string {
  const withoutImports = source.replaceAll(/\bfrom '.*'|\bimport\('.*'\)/g, '')
  return (withoutImports.match(PROSE) ?? []).join('\n')
}

function riddlesIn(text: string): string[] {
  return RIDDLES.flatMap(([pattern, better]) => {
    const [word] = pattern.exec(text) ?? []
    return word === undefined ? [] : [`"${word}": ${better}`]
  })
}

function unclearIn(source: string): string[] {
  const code = source.replaceAll(PROSE, (text) =>
    text.startsWith('`') ? [...text.matchAll(/\$\{[^}]*\}/g)].join(' ') : '',
  )
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g))
  return [...names].filter((name) => wordsOf(name).some((word) => UNCLEAR.has(word)))
}

/** `isKeptBy` -> is, kept, by. */
function wordsOf(name: string): string[] {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
  return words.toLowerCase().split(' ')
}
