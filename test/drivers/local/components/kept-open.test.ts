import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { KeptOpen } from '../../../../src/drivers/local/components/kept-open.ts'
import { fakeMachine } from '../fake-machine.ts'

test('reads certificates again when one was replaced, and in the next minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-01T12:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  await using machine = fakeMachine()
  const folder = machine.context.store.folder('dev')
  mkdirSync(join(folder.pki, 'etcd'), { recursive: true })
  const read = vi.fn(() => undefined)
  const kept = new KeptOpen()
  const ask = () => kept.expiry(folder, read)

  ask()
  ask()
  expect(read).toHaveBeenCalledTimes(1)

  writeFileSync(join(folder.root, 'new'), 'certificate')
  renameSync(join(folder.root, 'new'), join(folder.pki, 'etcd', 'server.crt'))
  ask()
  expect(read).toHaveBeenCalledTimes(2)

  vi.setSystemTime(new Date('2026-06-01T12:01:00Z'))
  ask()
  expect(read).toHaveBeenCalledTimes(3)
})
