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
  const [weight] = check('src/run.ts', 5, ['heavy'])

  expect(weight?.kib).toBe(5)
})

test('a start over its budget fails the build with both numbers', () => {
  expect(() => check('src/run.ts', 4)).toThrow('src/run.ts loads 5 KiB at start, over 4 KiB')
})

test('a package that must not be there at start is named', () => {
  const checkHeavy = () => check('src/heavy.ts', 1000, ['heavy', 'dropped', 'light'])

  expect(checkHeavy).toThrow(/src\/heavy\.ts loads "heavy" at start/)
  expect(checkHeavy).not.toThrow(/"dropped"|"light"/)
})

test('a module that is part of another file is an error, not a weight of nothing', () => {
  expect(() => check('src/gone.ts', 4)).toThrow('"src/gone.ts" has no file of its own in dist/')
})

function check(module: string, limitKib: number, without: string[] = []) {
  return checkWeights(METAFILE, [{ module, limitKib, without }])
}

type Output = Metafile['outputs'][string]

function output(bytes: number, rest: Partial<Output>): Output {
  return { bytes, inputs: {}, imports: [], exports: [], ...rest }
}
