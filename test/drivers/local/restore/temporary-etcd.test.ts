import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryEtcd } from '../../../../src/drivers/local/restore/temporary-etcd.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { fakeMachine } from '../fake-machine.ts'

test('says why it did not start, and leaves nothing', async () => {
  await using machine = fakeMachine()
  const { context, operation, root, store } = machine
  const record = await startPlane(context, await machine.add('dev'), { operation, wait: true })
  const before = machine.processIds('dev')
  const binary = join(root, 'etcd')
  writeFileSync(binary, '#!/bin/sh\necho first >&2\necho "no space" >&2\nexit 1\n', { mode: 0o755 })

  const started = temporaryEtcd(context, record, { binary, dataFolder: root, operation })

  expect(await rejectionOf(started)).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: 'the temporary etcd of "dev" has ended: no space',
    hints: ['vplane doctor'],
  })
  expect(existsSync(store.folder('dev').restoredConfiguration)).toBe(false)
  expect(machine.processIds('dev')).toEqual(before)
})

test('says that its program is missing', async () => {
  await using machine = fakeMachine()
  const { context, operation, root } = machine
  const record = await startPlane(context, await machine.add('dev'), { operation, wait: true })
  const binary = join(root, 'missing')

  const started = temporaryEtcd(context, record, { binary, dataFolder: root, operation })

  expect(await rejectionOf(started)).toMatchObject({ code: 'COMPONENT_FAILED' })
})
