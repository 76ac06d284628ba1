import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { toPlane } from '../../../../src/drivers/local/store/plane-record.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { fakeMachine } from '../fake-machine.ts'

const ROOT = {
  certificateFile: '/root.crt',
  keyFile: '/root.key',
  clientCaFile: '/ca.crt',
  clientCaKeyFile: '/ca.key',
}
const SHARED = { endpoints: ['https://127.0.0.1:1'], caFile: '/server-ca.crt', root: ROOT }

test('reads no keys in a shared etcd while a restore replaces them', async () => {
  await using machine = fakeMachine()
  const { driver, operation } = machine
  const restoring = { former: 'keys-before', keepFormer: false, from: '/data/s.snapshot' }
  const spec = resolveSpec({ store: { etcd: { shared: SHARED } } })
  const plane = toPlane(await machine.add('light', { spec, restoring }))

  const error = await rejectionOf(driver.snapshot(plane, operation.signal))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toBe('a restore of "light" was interrupted')
})
