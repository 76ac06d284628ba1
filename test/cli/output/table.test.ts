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

test('cuts the widest column first in a narrow terminal', () => {
  const rows = [{ name: 'dev', reason: 'kube-apiserver ended with exit code 1' }]

  expect(formatTable(['name', 'reason'], rows, { width: 24 })).toBe(
    ['NAME   REASON', 'dev    kube-apiserver e…'].join('\n'),
  )
})

test.for([undefined, 0])('cuts nothing when the width is %s, as in a pipe', (width) => {
  const long = 'x'.repeat(500)

  expect(formatTable(['name'], [{ name: long }], { width })).toContain(long)
})

test('fits every width that leaves each column six characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: fc.string(), b: fc.string(), c: fc.string() })),
      fc.integer({ min: 24, max: 120 }),
      (rows, width) => {
        const lines = formatTable(['a', 'b', 'c'], rows, { width }).split('\n')

        expect(lines).toHaveLength(rows.length + 1)
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
      },
    ),
  )
})
