import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { toPlane } from '../../../../src/drivers/local/store/plane-record.ts'
import { logicalBytes, logicalKeysOf } from '../../../support/data/logical-keys.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { fakeMachine } from '../fake-machine.ts'

test.for(['findEtcdutl', 'findBinaries'] as const)(
  'stops nothing when a program is missing: %s',
  async (find) => {
    await using machine = fakeMachine()
    const { context, driver, operation, store } = machine
    const record = await startPlane(context, await machine.add('dev'), { operation, wait: true })
    const before = machine.processIds('dev')
    const missing = new VplaneError('FAILED', 'a program is missing')
    Object.assign(context, { [find]: () => Promise.reject(missing) })

    const file = join(machine.root, 'dev.db')
    await writeFile(file, '')
    const untilAnswers = () => Promise.resolve()
    const request = { file, from: file, revision: 1, keepFormer: false, untilAnswers }
    const failure = await rejectionOf(driver.restore(toPlane(record), request, operation))

    expect(failure).toBe(missing)
    expect(machine.processIds('dev')).toEqual(before)
    expect((await store.find('dev'))?.record).toEqual(record)
  },
)

test('leaves no data behind that it could not load, nor what a killed one left', async () => {
  await using machine = fakeMachine()
  const { driver, operation } = machine
  const spec = resolveSpec({ store: { kine: { sqlite: {} } } })
  const plane = toPlane(await machine.add('dev', { spec }))
  const file = join(machine.root, 'dev.snapshot')
  const noText = { key: Buffer.of(0xff), value: Buffer.from('hush') }
  await writeFile(file, await logicalBytes([...logicalKeysOf([['/registry/a', 'one']]), noText]))
  const left = join(machine.folder('dev').root, '.etcd-restored.0123abcd.part')
  await writeFile(left, 'half of the keys')
  const untilAnswers = () => Promise.resolve()
  const request = { file, from: file, revision: 1, keepFormer: false, untilAnswers }

  const failure = await rejectionOf(driver.restore(plane, request, operation))

  expect(failure.message).toContain('cannot store the key')
  expect([machine.folder('dev').restoredData, left].filter(existsSync)).toEqual([])
})
