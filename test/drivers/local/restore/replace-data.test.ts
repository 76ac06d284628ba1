import { expect, test } from 'vitest'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import type { DataPlace } from '../../../../src/drivers/local/restore/data-place.ts'
import {
  replaceData,
  type ReplaceRequest,
} from '../../../../src/drivers/local/restore/replace-data.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { fingerprintOf } from '../../../../src/etcd/data/data-fingerprint.ts'
import { keysAt } from '../../../../src/etcd/data/read-keys.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { fakeStore } from '../../../etcd/fake-store.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { fakeMachine } from '../fake-machine.ts'

const FORMER = 'data-before'

test('continues with its data when the exchange is refused before it begins', async () => {
  await using plane = await runningPlane()
  const cause = Object.assign(new Error('full'), { syscall: 'write', code: 'ENOSPC' })
  plane.place.exchange = () =>
    Promise.reject(new VplaneError('FAILED', 'cannot write "x": no space left', { cause }))

  const error = await rejectionOf(plane.replace())

  expect(error.message).toBe('cannot write "x": no space left; it has its former data again')
  expect(error.hints).toEqual(['run the command again when the file can be written'])
  const record = await plane.record()
  expect(record).toMatchObject({ desired: 'running', hasData: true })
  expect(record).not.toHaveProperty('restoring')
  expect(record).not.toHaveProperty('formerData')
  expect(Object.keys(plane.machine.processIds('dev'))).toHaveLength(3)
})

test('stays as it is when the data is not that of the snapshot, and there is no former data', async () => {
  await using plane = await runningPlane()
  const expected = { keys: 7, sha256: 'another' }

  const error = await rejectionOf(plane.replace({ expected }))

  expect(error.message).toBe('etcd of "dev" has 1 keys that are not the 7 of the snapshot')
  expect(await plane.record()).toMatchObject({ restoring: { former: FORMER } })
  expect(plane.machine.processIds('dev')).toEqual({})
})

test('is to be continued until the API answers, and drops the former data then', async () => {
  await using plane = await runningPlane()
  const { expected } = plane
  const cutOff = new VplaneError('ABORTED', 'cut off')
  const untilAnswers = () => Promise.reject(cutOff)

  const failure = await rejectionOf(plane.replace({ expected, untilAnswers }))
  const between = await plane.record()
  plane.place.formerNameAt = () => 'another'
  await plane.replace({ expected })

  expect(failure).toBe(cutOff)
  expect(between.restoring).toMatchObject({ former: FORMER, from: '/s.db' })
  expect(plane.calls).toEqual([`exchange ${FORMER}`, `exchange ${FORMER}`, `drop ${FORMER}`])
  const record = await plane.record()
  expect(record).toMatchObject({ hasData: true, revisionFloor: 1007 })
  expect(record).not.toHaveProperty('restoring')
  expect(record).not.toHaveProperty('formerData')
})

/** A plane with one key in its etcd, and a place of its data that has no former data. */
async function runningPlane() {
  const machine = fakeMachine()
  const { context, operation, store } = machine
  await startPlane(context, await machine.add('dev'), { operation, wait: true })
  const { connection } = await fakeStore({ keys: ['/registry/a'] })
  Object.assign(context, { kept: { etcd: () => connection } })
  const { signal } = operation
  const calls: string[] = []
  const place: DataPlace = {
    formerNameAt: () => FORMER,
    describe: (former) => former,
    exchange: async (former) => void calls.push(`exchange ${former}`),
    putBack: () => Promise.resolve(false),
    dropFormer: async (former) => void calls.push(`drop ${former}`),
  }
  const record = async (): Promise<PlaneRecord> => {
    const found = (await store.find('dev'))?.record
    expect.assert(found !== undefined && !(found instanceof VplaneError))
    return found
  }
  const replace = async (fields: Partial<ReplaceRequest> = {}) => {
    const untilAnswers = () => Promise.resolve()
    const usual = { from: '/s.db', revision: 7, revisionFloor: 1007, keepFormer: false }
    const request = { ...usual, untilAnswers, place, operation, ...fields }
    await replaceData(context, await record(), request)
  }
  return {
    calls,
    machine,
    place,
    record,
    replace,
    expected: await fingerprintOf(keysAt(connection, { revision: 100, signal })),
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  }
}
