import { expect, test } from 'vitest'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { reachedBy } from './reach-targets.ts'

const TARGET = { name: 'kubelet', host: '10.0.0.1', port: 10_250 }

test.for<[string, boolean]>([
  ['error trying to reach service: dial tcp 10.0.0.1:10250: connect: connection refused', false],
  ['dial tcp 10.0.0.1:10250: i/o timeout', false],
  ['address not allowed', false],
  ['tls: failed to verify certificate: x509: certificate signed by unknown authority', true],
  ['Unauthorized', true],
  ['ok', true],
])('of the answer "%s" knows that the target was reached: %s', async ([body, isReached]) => {
  const present = new Set<string>()
  const plane = {
    create: async (collection: string, object: KubeObject) => {
      present.add(`${collection}/${object.metadata.name}`)
      return object
    },
    delete: async (path: string) => present.delete(path),
    get: async () => undefined,
    patch: () => Promise.reject(new Error('nothing is changed')),
    text: async () => ({ status: 500, body }),
  }

  const answer = await reachedBy('the log of a pod', { name: 'a', plane, target: TARGET })

  expect(answer).toBe(isReached ? `500 ${body}` : undefined)
  expect(present).toEqual(new Set())
})
