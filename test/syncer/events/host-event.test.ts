import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { cachedEvent, toVirtualEvent } from '../../../src/syncer/events/host-event.ts'

const STARTED = new Date('2026-06-01T12:00:00Z')
const HOST_POD = { name: 'web-x-shop-x-dev', namespace: 'team-a', uid: 'host-1' }
const WEB = { name: 'web', namespace: 'shop', uid: 'v-1' }
const OF_CONTAINER = { apiVersion: 'v1', kind: 'Pod', fieldPath: 'spec.containers{web}' }
const PULLING = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {
    name: 'web-x-shop-x-dev.17f',
    namespace: 'team-a',
    uid: 'event-1',
    resourceVersion: '7',
    creationTimestamp: '2026-06-01T11:00:00Z',
    annotations: { long: 'text' },
  },
  involvedObject: { ...OF_CONTAINER, ...HOST_POD, resourceVersion: '5' },
  type: 'Warning',
  reason: 'Failed',
  message: 'pod web-x-shop-x-dev_team-a(host-1) wants secret "keys-x-shop-x-dev"',
  count: 3,
  firstTimestamp: '2026-06-01T11:00:00Z',
  lastTimestamp: '2026-06-01T11:05:00Z',
  eventTime: null,
  reportingComponent: 'kubelet',
  reportingInstance: 'node-1',
  source: { component: 'kubelet', host: 'node-1' },
  related: { kind: 'Pod', name: 'other' },
}

const ABOUT = { identity: WEB, object: { apiVersion: 'v1', kind: 'Pod', metadata: HOST_POD } }

const shown = (event: KubeObject) =>
  toVirtualEvent(event, ABOUT, (name) => (name === 'keys-x-shop-x-dev' ? 'keys' : undefined))

test('says the same about the virtual object, in the words of the plane', () => {
  const { eventTime: _, related: __, ...said } = PULLING

  expect(shown(PULLING)).toEqual({
    ...said,
    metadata: {
      name: 'web.event-1',
      namespace: 'shop',
      labels: { 'vplane.dev/virtual': 'true' },
      annotations: { 'vplane.dev/shown-version': PULLING.metadata.resourceVersion },
    },
    involvedObject: { ...OF_CONTAINER, ...WEB },
    message: 'pod web_shop(v-1) wants secret "keys"',
  })
})

test('keeps a message as short as kube-apiserver wants it', () => {
  const { message } = shown({ ...PULLING, message: 'ü'.repeat(700) })

  expect(Buffer.byteLength(String(message))).toBeLessThanOrEqual(1024)
})

test('keeps of an event what is said', () => {
  const kept = cachedEvent(STARTED)(PULLING)

  const { annotations: _, creationTimestamp: __, ...identity } = PULLING.metadata
  expect(kept?.metadata).toEqual(identity)
  expect(shown(kept ?? PULLING)).toEqual(shown(PULLING))
})

test.for([
  ['one that happened lately', { lastTimestamp: '2026-06-01T11:00:00Z' }, true],
  ['one that was over long ago', { lastTimestamp: '2026-06-01T10:59:59Z' }, false],
  ['one that continues', { series: { count: 9, lastObservedTime: '2026-06-01T11:30:00Z' } }, true],
  ['one without any time', { firstTimestamp: null }, false],
] as const)('brings news alone: %s', ([, times, isKept]) => {
  const { creationTimestamp: _, ...metadata } = PULLING.metadata
  const firstTimestamp = '2026-05-01T00:00:00Z'
  const event = { ...PULLING, metadata, firstTimestamp, lastTimestamp: null, ...times }

  expect(cachedEvent(STARTED)(event) !== undefined).toBe(isKept)
})
