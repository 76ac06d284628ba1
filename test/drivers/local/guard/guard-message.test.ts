import { expect, test } from 'vitest'
import {
  formatGuardMessage,
  parseGuardMessage,
} from '../../../../src/drivers/local/guard/guard-message.ts'

const message = {
  ownerProcessId: 4711,
  planes: [
    { root: '/tmp/with "quotes"', name: 'a' },
    { root: '/tmp/with\nline', name: 'b' },
  ],
}

test('is one line for any path, and can be parsed', () => {
  const line = formatGuardMessage(message)

  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(parseGuardMessage(line)).toEqual(message)
})

test('is an empty line when nothing is protected', () => {
  expect(formatGuardMessage({ ownerProcessId: 4711, planes: [] })).toBe('\n')
})

test.for([
  '',
  '{"ownerProcessId":4711,"planes":[{"root":"/tmp',
  'null',
  '[]',
  '{"planes":[]}',
  '{"ownerProcessId":"4711","planes":[]}',
  '{"ownerProcessId":4711,"planes":{}}',
  '{"ownerProcessId":4711,"planes":[null]}',
  '{"ownerProcessId":4711,"planes":[{"root":"/tmp"}]}',
  '{"ownerProcessId":4711,"planes":[{"root":1,"name":"a"}]}',
])('is undefined for the line %j', (line) => {
  expect(parseGuardMessage(line)).toBeUndefined()
})
