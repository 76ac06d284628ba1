import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTable } from '../../../src/cli/output/table.ts'

test('aligns columns below upper-case headers, without trailing spaces', () => {
  const rows = [
    { name: 'dev', status: 'Ready', age: '5s' },
    { name: 'a-longer-name', status: 'Paused', age: '12d' },
  ]

  expect(formatTable(['name', 'status', 'age'], rows)).toBe(
    [
      'NAME            STATUS   AGE',
      'dev             Ready    5s',
      'a-longer-name   Paused   12d',
    ].join('\n'),
  )
})

test('prints the header alone when there are no rows', () => {
  expect(formatTable(['name', 'age'], [])).toBe('NAME   AGE')
})

test('puts a dash into an empty cell', () => {
  expect(formatTable(['name', 'namespace'], [{ name: 'dev', namespace: '' }])).toBe(
    'NAME   NAMESPACE\ndev    -',
  )
})

test('keeps a cell on one line and free of control characters', () => {
  const rows = [{ name: '\u001b[31mred\u001b[0m\nsecond\tline' }]

  expect(formatTable(['name'], rows)).toBe('NAME\nred second line')
})

test('wraps the widest column at spaces in a narrow terminal', () => {
  const rows = [{ name: 'dev', reason: 'kube-apiserver ended with exit code 1' }]

  expect(formatTable(['name', 'reason'], rows, { width: 28 })).toBe(
    ['NAME  REASON', 'dev   kube-apiserver ended', '      with exit code 1'].join('\n'),
  )
})

test('leaves optional columns out first, in their order, as far as it has to', () => {
  const rows = [{ name: 'dev', driver: 'local', age: '12d', status: 'Ready' }]
  const columns = ['name', 'driver', 'age', 'status'] as const
  const optional = ['age', 'driver'] as const

  const texts = [28, 22, 14].map((width) => formatTable(columns, rows, { width, optional }))

  expect(texts.map((text) => text.split('\n')[0])).toEqual([
    'NAME   DRIVER   AGE   STATUS',
    'NAME   DRIVER   STATUS',
    'NAME   STATUS',
  ])
})

test.for([undefined, 0])('wraps nothing when the width is %s, as in a pipe', (width) => {
  const long = 'x'.repeat(500)

  expect(formatTable(['name'], [{ name: long }], { width })).toContain(long)
})

test('cuts no word, and fits every width that its longest words leave', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: fc.string(), b: fc.lorem(), c: fc.lorem() })),
      fc.integer({ min: 24, max: 120 }),
      (rows, width) => {
        const plain = formatTable(['a', 'b', 'c'], rows)
        const text = formatTable(['a', 'b', 'c'], rows, { width })
        const words = (one: string) => one.split(/\s+/).toSorted()
        const longest = Math.max(...words(plain).map((word) => word.length))

        expect(words(text)).toEqual(words(plain))
        if (3 * longest + 4 <= width) {
          expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
            width,
          )
        }
      },
    ),
  )
})
