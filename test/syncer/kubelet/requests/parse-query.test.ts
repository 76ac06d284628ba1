import { expect, test } from 'vitest'
import { formatQuery, parseQuery } from '../../../../src/syncer/kubelet/requests/parse-query.ts'

test('gives all values of a name in their order', () => {
  const query = parseQuery('command=sh&tty=1&command=-c&command=a=b&empty&=x&')

  expect([...query]).toEqual([
    ['command', ['sh', '-c', 'a=b']],
    ['tty', ['1']],
    ['empty', ['']],
    ['', ['x']],
  ])
})

test('reads as many values of a name as a request can have', () => {
  const query = parseQuery('&a'.repeat(500_000))

  expect(query.get('a')).toHaveLength(500_000)
})

test.for([
  ['a+b', 'a b', 'a%20b'],
  ['a%2Bb', 'a+b', 'a%2Bb'],
  ['%2525', '%25', '%2525'],
  ['%ff%00', '\u00FF\u0000', '%FF%00'],
  ['%zz%', '%zz%', '%25zz%25'],
  ['x%0d%0aHost:evil', 'x\r\nHost:evil', 'x%0D%0AHost%3Aevil'],
  ['a%26tty=1%23', 'a&tty=1#', 'a%26tty%3D1%23'],
  ['%E2%82%AC', '\u00E2\u0082\u00AC', '%E2%82%AC'],
] as const)('decodes %s once, and encodes it again', ([text, value, encoded]) => {
  expect(parseQuery(`command=${text}`).get('command')).toEqual([value])
  expect(formatQuery([['command', value]])).toBe(`?command=${encoded}`)
})

test('formats nothing as nothing', () => {
  expect(formatQuery([])).toBe('')
})

test('takes no name for one that objects have', () => {
  expect(parseQuery('__proto__=1').get('toString')).toBeUndefined()
})
