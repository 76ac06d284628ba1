import { expect, test } from 'vitest'
import {
  startedEtcd,
  waitForMember,
} from '../../../../src/drivers/kubernetes/etcd/wait-for-member.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { podWith } from '../diagnosis/some-pods.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const POD = '/api/v1/namespaces/team-a/pods/vplane-dev-etcd-0'

const memberThat = (isReady: boolean) =>
  podWith({ conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] })

test('waits for a member that has just started again', async () => {
  const api = new MemoryHostApi()
  api.put(POD, memberThat(false))
  const waiting = waitForMember(api, PLACE, AbortSignal.timeout(5000))
  await expect.poll(() => api.requests.some((one) => one.startsWith('watch'))).toBe(true)

  api.put(POD, memberThat(true))

  await expect(waiting).resolves.toBeUndefined()
})

test.for([
  ['a member that is ready', [true]],
  ['no member, as in a paused plane', []],
] as const)('does not wait with %s', async ([, members]) => {
  const api = new MemoryHostApi()
  members.forEach((isReady) => api.put(POD, memberThat(isReady)))

  await waitForMember(api, PLACE, AbortSignal.timeout(5000))

  expect(api.requests).toHaveLength(1)
})

test('reads from a member that is named without waiting, as from a survivor of a lost majority', async () => {
  const api = new MemoryHostApi()
  api.put(POD, memberThat(false))
  const host = { api, forward: () => Promise.reject(new Error('nothing is sent yet')) }
  const survivor = { ...PLACE, instance: 'vplane-dev-etcd-0' }

  const { what } = await startedEtcd(host, survivor, AbortSignal.timeout(5000))

  expect(what).toBe('etcd of "dev"')
})

test('connects to kine once its pod is ready', async () => {
  const api = new MemoryHostApi()
  const kine = (isReady: boolean) => {
    const metadata = { name: 'vplane-dev-kine-0', labels: objectLabels('dev', 'kine') }
    const { status } = memberThat(isReady)
    api.put(POD.replace('etcd', 'kine'), podWith(status, metadata))
  }
  kine(false)
  const host = { api, forward: () => Promise.reject(new Error('nothing is sent yet')) }
  const connecting = startedEtcd(host, { ...PLACE, component: 'kine' }, AbortSignal.timeout(5000))
  await expect.poll(() => api.requests.some((one) => one.startsWith('watch'))).toBe(true)

  kine(true)

  await expect(connecting).resolves.toMatchObject({ what: 'kine of "dev"', hasGateway: false })
})

test('ends with the command', async () => {
  const api = new MemoryHostApi()
  api.put(POD, memberThat(false))

  const waiting = waitForMember(api, PLACE, AbortSignal.timeout(50))

  await expect(waiting).rejects.toMatchObject({
    message: expect.stringContaining('a ready member of etcd of "dev"'),
  })
})
