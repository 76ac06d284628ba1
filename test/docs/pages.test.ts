import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { FIXED_FIELDS } from '../../src/control-plane/changes/fixed-fields.ts'
import { parseSpec, setSpecFields } from '../../src/control-plane/spec/parse-spec.ts'
import { readSpecs } from '../../src/cli/request/spec-documents.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { readPages, toPage } from './read-pages.ts'
import { vplaneCalls } from './vplane-calls.ts'

const MAX_README_LINES = 250

const pages = readPages()

test('README fits on a few screens', () => {
  const { text } = pages.find(({ path }) => path === 'README.md') ?? { text: '' }

  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES)
})

test.for(pages)('every link of $path leads somewhere', ({ anchors, path, prose }) => {
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)

  const broken = links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file))
      const there = file === '' ? anchors : pages.find((page) => page.path === target)?.anchors
      return (
        !existsSync(join(packageRoot(), target)) ||
        (anchor !== undefined && !(there ?? []).includes(anchor))
      )
    })

  expect(broken).toEqual([])
})

test('every page of docs is in their index', () => {
  const index = pages.find(({ path }) => path === 'docs/README.md')
  const names = pages.flatMap(({ path }) => /^docs\/([a-z-]+\.md)$/.exec(path)?.[1] ?? [])

  expect(names.filter((name) => index?.prose.includes(`](${name})`) !== true)).toEqual([])
})

test('the page about changes lists the fields that cannot change, and no others', () => {
  const { text } = pages.find(({ path }) => path === 'docs/changes.md') ?? { text: '' }
  const [, section = ''] = /^## What cannot change$([^]*?)^## /m.exec(text) ?? []
  const fields = [...section.matchAll(/`([a-zA-Z.]+)`/g)].map(([, field = '']) => field)

  expect(fields.toSorted()).toEqual(FIXED_FIELDS.map(({ path }) => path.join('.')).toSorted())
})

test('every message in the troubleshooting page is one that vplane prints', () => {
  const { text } = pages.find(({ path }) => path === 'docs/troubleshooting.md') ?? { text: '' }
  const messages = [...text.matchAll(/^### `([^`]+)`$/gm)].map(([, message = '']) => message)
  const sources = globSync(['src/**/*.ts', 'bin/*.js'], { cwd: packageRoot() })
    .map((path) => readFileSync(join(packageRoot(), path), 'utf8'))
    .join('\n')
    .replaceAll(/\$\{[^}]*\}/g, '…')

  expect(messages.length).toBeGreaterThan(20)
  expect(messages.filter((message) => !sources.includes(message))).toEqual([])
})

test('specs and fields of specs in the examples are valid', () => {
  const blocks = pages
    .filter(({ path }) => path.startsWith('docs/'))
    .flatMap((page) => page.blocks.map((block) => ({ ...block, path: page.path })))
  const specs = blocks.filter(({ code, language }) => language === 'yaml' && !code.startsWith('- '))
  const fields = blocks
    .flatMap(({ code }) => vplaneCalls(code))
    .map((words) =>
      words.filter((word, at) => /^[a-z][A-Za-z.]+=/.test(word) && !isLabelFlag(words[at - 1])),
    )
    .filter((pairs) => pairs.length > 0)

  expect(specs.length).toBeGreaterThan(2)
  expect(fields.length).toBeGreaterThan(5)
  for (const { code, path } of specs) {
    readSpecs({ text: code, path }, (file) => parseSpec({ file }))
  }
  fields.forEach((pairs) => setSpecFields({}, pairs))
})

/** Labels are no fields of a spec. */
function isLabelFlag(word: string | undefined): boolean {
  return ['--label', '--selector', '-l'].includes(word ?? '')
}

test('a page has headings and blocks, and no headings inside of blocks', () => {
  const page = toPage('a.md', '# One `b`, [two](x.md)!\n\n```sh\n# three\n```\n\n## Last one\n')

  expect(page.anchors).toEqual(['one-b-two', 'last-one'])
  expect(page.blocks).toEqual([
    { language: 'sh', code: '# three\n', heading: 'One `b`, [two](x.md)!' },
  ])
})
