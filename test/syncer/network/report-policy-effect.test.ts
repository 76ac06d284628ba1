import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import {
  reportPolicyEffect,
  whetherReached,
} from '../../../src/syncer/network/report-policy-effect.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'

const PATH = '/api/v1/namespaces/team-a/configmaps/vplane-dev-syncer-status'

/** A host that looks like this, one look after the other, and the last one from then on. */
function reporting(looks: readonly boolean[], isEtcdReady: () => boolean = () => true) {
  const host = new MemoryHostApi()
  const metadata = { name: 'vplane-dev-syncer-status', namespace: 'team-a' }
  host.put(PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  const errors: unknown[] = []
  let count = 0
  const options = {
    host,
    plane: { text: async () => ({ status: isEtcdReady() ? 200 : 500, body: '' }) },
    scope: { plane: 'dev', host: { namespace: 'team-a' } },
    reachesDenied: async () => {
      const reaches = looks[count] ?? looks.at(-1) ?? false
      count += 1
      return reaches
    },
    onError: (_: string, error: unknown) => errors.push(error),
    everyMs: 2,
    confirmMs: 1,
  }
  inBackground((signal) => reportPolicyEffect(options, signal))
  return {
    reported: () => host.objects.get(PATH)?.['data'],
    later: () => {
      const from = count
      return soon('looks', () => count > from + 4)
    },
    errors,
  }
}

test.for([
  ['cannot reach etcd', [false], 'enforced'],
  ['reaches etcd', [true], 'ignored'],
  ['reaches etcd only before the policy applies', [true, false], 'enforced'],
  ['reaches etcd later', [false, true], 'ignored'],
] as const)('a syncer that %s finds: %s', async ([, looks, effect]) => {
  const given = reporting(looks)
  await given.later()

  expect(given.reported()).toEqual({ networkPolicies: effect })
  expect(given.errors).toEqual([])
})

test('finds nothing while nobody reaches etcd', async () => {
  let isReady = false
  const given = reporting([false], () => isReady)
  await given.later()
  expect(given.reported()).toBeUndefined()

  isReady = true
  await given.later()
  expect(given.reported()).toEqual({ networkPolicies: 'enforced' })
})

test('reaches a port of a host by its name as long as a program listens there', async () => {
  const server = createServer()
  const reaches = whetherReached(`localhost:${await listenOnLoopback(server)}`)
  const { signal } = new AbortController()
  expect(await reaches(signal)).toBe(true)

  server.close()
  await once(server, 'close')
  expect(await reaches(signal)).toBe(false)
})
