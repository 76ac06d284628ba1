import { expect, test } from 'vitest'
import { examplesIn, libraryExamples, toModule, withSources } from './examples.ts'

const text = `/**
 * \`\`\`ts
 * import { a } from 'vplane'
 *
 * await a({
 *   plane,
 * })
 * \`\`\`
 *
 * \`\`\`yaml
 * a: b
 * \`\`\`
 */
interface X {
  /**
   * \`\`\`ts
   * test('x', () => {})
   * \`\`\`
   */
}`

test('finds the TypeScript in comments, with its place and its indentation', () => {
  expect(examplesIn(text, 'src/x.ts')).toEqual([
    {
      place: 'src/x.ts:3',
      code: "import { a } from 'vplane'\n\nawait a({\n  plane,\n})\n",
      kind: 'part',
    },
    { place: 'src/x.ts:17', code: "test('x', () => {})\n", kind: 'tests' },
  ])
})

test('makes a function of what needs a plane', () => {
  const [example] = examplesIn(text, 'src/x.ts')

  const module = example === undefined ? '' : toModule(example)

  expect(module).toContain('run(plane: ControlPlane)')
  expect(module.indexOf("import { a } from 'vplane'")).toBeLessThan(module.indexOf('run(plane'))
})

test('leads imports to the sources', () => {
  const module = withSources("import a from 'vplane'\nimport b from 'vplane/client-node'", '/r')

  expect(module).toBe(
    "import a from 'file:///r/src/library/index.ts'\nimport b from 'file:///r/src/library/client-node.ts'",
  )
})

test('every entry of the library has an example', () => {
  const examples = libraryExamples()

  const files = new Set(examples.map(({ place }) => place.split(':')[0]))
  expect([...files]).toEqual([
    'src/library/client-node.ts',
    'src/library/start-control-plane.ts',
    'src/library/types/control-plane.ts',
    'src/library/vitest.ts',
  ])
  expect(new Set(examples.map(({ kind }) => kind))).toEqual(
    new Set(['program', 'part', 'tests', 'setup']),
  )
})
