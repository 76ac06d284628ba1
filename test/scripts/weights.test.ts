import type { Metafile } from 'esbuild'
import { expect, test } from 'vitest'
import { checkWeights } from '../../scripts/build/weights.ts'

const METAFILE: Metafile = {
  inputs: {},
  outputs: {
    'dist/run.js': output(2000, {
      entryPoint: 'src/run.ts',
      imports: [
        { path: 'dist/chunks/shared.js', kind: 'import-statement' },
        { path: 'dist/chunks/heavy.js', kind: 'dynamic-import' },
        { path: 'node:fs', kind: 'import-statement', external: true },
      ],
    }),
    'dist/chunks/shared.js': output(3000, {
      imports: [{ path: 'dist/run.js', kind: 'import-statement' }],
      inputs: { 'node_modules/light/index.js': { bytesInOutput: 5 } },
    }),
    'dist/chunks/heavy.js': output(900_000, {
      entryPoint: 'src/heavy.ts',
      inputs: {
        'node_modules/heavy/index.js': { bytesInOutput: 5 },
        'node_modules/dropped/index.js': { bytesInOutput: 0 },
      },
    }),
  },
}

test('a start is what is imported statically, each file once', () => {
  const [weight] = checkWeights(METAFILE, [
    { module: 'src/run.ts', limitKib: 5, without: ['heavy'] },
  ])

  expect(weight?.kib).toBe(5)
})

test('a start over its budget fails the build with both numbers', () => {
  const check = () => checkWeights(METAFILE, [{ module: 'src/run.ts', limitKib: 4, without: [] }])

  expect(check).toThrow('src/run.ts loads 5 KiB at start, over 4 KiB')
})

test('a package that must not be there at start is named', () => {
  const check = () =>
    checkWeights(METAFILE, [
      { module: 'src/heavy.ts', limitKib: 1000, without: ['heavy', 'dropped', 'light'] },
    ])

  expect(check).toThrow(/src\/heavy\.ts loads "heavy" at start/)
  expect(check).not.toThrow(/"dropped"|"light"/)
})

test('a module that is part of another file is an error, not a weight of nothing', () => {
  const check = () => checkWeights(METAFILE, [{ module: 'src/gone.ts', limitKib: 4, without: [] }])

  expect(check).toThrow('"src/gone.ts" has no file of its own in dist/')
})

function output(
  bytes: number,
  rest: Partial<Metafile['outputs'][string]>,
): Metafile['outputs'][string] {
  return { bytes, inputs: {}, imports: [], exports: [], ...rest }
}
