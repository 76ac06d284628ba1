import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { RefusedContainer } from '../../../src/syncer/pods/change-host-pod.ts'
import { toVirtualStatus } from '../../../src/syncer/pods/pod-status.ts'

const pod = (name: string, status: object, generation = 1): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, generation },
  status,
})

const HOST = 'web-x-default-x-dev'

const nameOf = (name: string) => (name === 'keys-x-default-x-dev' ? 'keys' : undefined)

const shown = (virtual: KubeObject, host: KubeObject, refused: RefusedContainer[] = []) =>
  toVirtualStatus({ virtual, host, refused, nameOf })

test('shows what the host says of a pod', () => {
  const status = { phase: 'Running', podIP: '10.0.0.4', qosClass: 'Burstable' }

  expect(shown(pod('web', { phase: 'Pending' }), pod(HOST, status))).toEqual(status)
})

test('names the pod and what it uses as its user does', () => {
  const host = pod(HOST, {
    message: `Pod ${HOST} was evicted`,
    containerStatuses: [
      { name: 'c', image: HOST, state: { waiting: { message: `back-off of "${HOST}"` } } },
      { name: 'd', state: { waiting: { message: 'secret "keys-x-default-x-dev" not found' } } },
    ],
  })

  expect(shown(pod('web', {}), host)).toEqual({
    message: 'Pod web was evicted',
    containerStatuses: [
      { name: 'c', image: HOST, state: { waiting: { message: 'back-off of "web"' } } },
      { name: 'd', state: { waiting: { message: 'secret "keys" not found' } } },
    ],
  })
})

test('keeps the conditions that only the virtual pod has', () => {
  const gate = { type: 'example.com/gate', status: 'True' }
  const virtual = pod('web', { conditions: [gate, { type: 'Ready', status: 'False' }] })
  const host = pod(HOST, { conditions: [{ type: 'Ready', status: 'True' }] })

  expect(shown(virtual, host)).toEqual({ conditions: [{ type: 'Ready', status: 'True' }, gate] })
})

test('keeps the time at which the plane bound the pod, since the host bound its pod at another one', () => {
  const [own, other] = ['12:00:01', '12:00:02'].map((time) => ({
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: `2026-06-01T${time}Z`,
  }))
  const pending = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }

  expect(shown(pod('web', { conditions: [own] }), pod(HOST, { conditions: [other] }))).toEqual({
    conditions: [own],
  })
  expect(shown(pod('web', { conditions: [pending] }), pod(HOST, { conditions: [other] }))).toEqual({
    conditions: [other],
  })
})

test.for(['PodResizePending', 'PodResizeInProgress'])(
  'drops a condition that the host takes away again: %s',
  (type) => {
    const ready = { type: 'Ready', status: 'True' }
    const virtual = pod('web', { conditions: [ready, { type, status: 'True' }] })

    expect(shown(virtual, pod(HOST, { conditions: [ready] }))).toEqual({ conditions: [ready] })
  },
)

test('says why the host does not have a container, beside those that it has', () => {
  const known = { name: 'first', state: { running: {} } }
  const host = pod(HOST, { ephemeralContainerStatuses: [known] })
  const waiting = { reason: 'HostRefused', message: 'refused by the host cluster' } as const
  const refused = [{ name: 'second', image: 'busybox', ...waiting }]

  expect(shown(pod('web', {}), host, refused)).toMatchObject({
    ephemeralContainerStatuses: [known, { name: 'second', ready: false, state: { waiting } }],
  })
})

test('does not show a container of the host in place of a refused one of its name', () => {
  const host = pod(HOST, {
    ephemeralContainerStatuses: [{ name: 'debug', state: { running: {} } }],
  })
  const waiting = { reason: 'HostRefused', message: 'refused by the host cluster' } as const

  expect(shown(pod('web', {}), host, [{ name: 'debug', image: 'busybox', ...waiting }])).toEqual({
    ephemeralContainerStatuses: [expect.objectContaining({ name: 'debug', state: { waiting } })],
  })
})

test('keeps the ephemeral containers that ended in an earlier host pod', () => {
  const [old, again] = ['old', 'again'].map((name) => ({ name, state: { terminated: {} } }))
  const known = { name: 'again', state: { running: {} } }
  const host = pod(HOST, { ephemeralContainerStatuses: [known] })

  expect(shown(pod('web', { ephemeralContainerStatuses: [old, again] }), host)).toEqual({
    ephemeralContainerStatuses: [known, old],
  })
})

test.for([
  ['the present one when the host has seen its own', 4, 7],
  ['the one before while the host has not', 3, 6],
] as const)('says of which generation it is: %s', ([, seenByHost, expected]) => {
  const virtual = pod('web', { observedGeneration: 6 }, 7)
  const conditions = [{ type: 'Ready', status: 'True', observedGeneration: seenByHost }]
  const host = pod(HOST, { observedGeneration: seenByHost, conditions }, 4)

  expect(shown(virtual, host)).toEqual({
    observedGeneration: expected,
    conditions: [{ type: 'Ready', status: 'True', observedGeneration: 7 }],
  })
})

test.for([
  ['True', 'True'],
  ['False', 'False'],
] as const)('is ready by its gates as well: %s', ([gate, ready]) => {
  const conditions = [{ type: 'example.com/gate', status: gate }]
  const spec = { readinessGates: [{ conditionType: 'example.com/gate' }] }
  const host = pod(HOST, { conditions: [{ type: 'Ready', status: 'True' }] })

  expect(shown({ ...pod('web', { conditions }), spec }, host)).toMatchObject({
    conditions: [{ type: 'Ready', status: ready }, conditions[0]],
  })
})

test('keeps what belongs to the host alone from the plane', () => {
  const host = pod(HOST, {
    phase: 'Running',
    resourceClaimStatuses: [{ name: 'x' }],
    nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'x' }],
  })

  expect(shown(pod('web', {}), host)).toEqual({ phase: 'Running' })
})
