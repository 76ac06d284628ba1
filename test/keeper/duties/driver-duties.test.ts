import { expect, test } from 'vitest'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  encryptionKey,
  encryptionKeyHashes,
} from '../../../src/control-plane/components/encryption-configuration.ts'
import { driverDuties } from '../../../src/keeper/duties/driver-duties.ts'
import { worldWithSnapshots } from '../../support/driver/world-with-plane.ts'

const NEVER = new AbortController().signal

test('takes backups that record by which keys their Secrets can be read', async () => {
  const { driver, inside, plane, store, world } = await worldWithSnapshots({
    spec: { backup: { schedule: 'hourly' } },
  })
  const board = { read: async () => ({}), write: () => Promise.resolve() }
  inside.keys[ENCRYPTION_FILE] = encryptionConfiguration([encryptionKey(Buffer.alloc(32))])
  const [, backups] = driverDuties(plane, {
    driver,
    openApi: world.openApi,
    now: world.now,
    find: async () => plane,
    isHeld: async () => false,
    storeOf: () => store.snapshots.local,
    boards: { alarms: { ...board, read: async () => [] }, backup: board, idle: board },
    report: () => {},
  })

  await backups?.reconcile(NEVER)

  const encryptionKeys = encryptionKeyHashes(inside.keys)
  expect(encryptionKeys).toHaveLength(1)
  expect(await store.snapshots.local.list(NEVER)).toMatchObject([{ encryptionKeys }])
})
