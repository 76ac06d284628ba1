import { expect, test } from 'vitest'
import { netBindServiceCapability } from './file-capability.ts'

test('is what setcap cap_net_bind_service=+ep writes', () => {
  expect(netBindServiceCapability().toString('hex')).toBe(
    '0100000200040000000000000000000000000000',
  )
})
