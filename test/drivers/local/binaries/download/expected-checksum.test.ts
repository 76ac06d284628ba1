import { expect, test } from 'vitest'
import { parseChecksum } from '../../../../../src/drivers/local/binaries/download/expected-checksum.ts'

const ONE = '1'.repeat(64)
const TWO = 'ab'.repeat(32)

test.for([
  ['a lone sum', ONE, ONE],
  ['a lone sum with a line end', `${ONE}\n`, ONE],
  ['upper case', `${TWO.toUpperCase()}\n`, TWO],
  ['the line of the file', `${TWO}  other\n${ONE}  kubectl\n`, ONE],
  ['the line of the file in binary mode', `${ONE} *kubectl\n${TWO} *other\n`, ONE],
  ['lines of Windows', `${TWO}  other\r\n${ONE}  kubectl\r\n`, ONE],
] as const)('reads %s', ([, text, sum]) => {
  expect(parseChecksum(text, 'kubectl')).toBe(sum)
})

test.for([
  ['nothing', ''],
  ['a page', '<html>not found</html>'],
  ['a short sum', ONE.slice(1)],
  ['the sum of another file', `${ONE}  kubectl.exe\n`],
  ['two lone sums', `${ONE}\n${TWO}\n`],
] as const)('finds no checksum in %s', ([, text]) => {
  expect(parseChecksum(text, 'kubectl')).toBeUndefined()
})
