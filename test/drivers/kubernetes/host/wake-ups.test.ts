import { expect, test } from 'vitest'
import { watchForWakeUps } from '../../../../src/drivers/kubernetes/host/wake-ups.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { objectOf } from '../fake-cluster.ts'

const PODS = '/api/v1/namespaces/team-a/pods'

test('wakes up after an event, before and while a caller waits', async () => {
  const api = new MemoryHostApi()
  await using changes = watchForWakeUps(api, PODS)
  const { signal } = new AbortController()

  api.put(`${PODS}/a`, objectOf('Pod', { name: 'a' }))
  await changes.next(signal)
  const waiting = changes.next(signal)
  api.put(`${PODS}/b`, objectOf('Pod', { name: 'b' }))
  await waiting

  expect(api.requests).toEqual([`watch ${PODS}`])
})

test('stops waiting when the signal fires', async () => {
  await using changes = watchForWakeUps(new MemoryHostApi(), PODS)
  const stop = new AbortController()
  const waiting = changes.next(stop.signal)

  stop.abort()

  await expect(waiting).resolves.toBeUndefined()
})

test('continues without a watch that is denied, after a while each time', async () => {
  await using changes = watchForWakeUps(new MemoryHostApi(refusing(403, 'no watching')), PODS)

  await expect(changes.next(new AbortController().signal)).resolves.toBeUndefined()
})

test('leaves no watch behind', async () => {
  const api = new MemoryHostApi()
  const changes = watchForWakeUps(api, PODS)

  await changes[Symbol.asyncDispose]()

  await expect(changes.next(AbortSignal.abort())).resolves.toBeUndefined()
})
