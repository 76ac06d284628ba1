import { expect, test } from 'vitest'
import { isMisplaced } from '../../../src/syncer/pods/is-misplaced.ts'
import { toHostPod } from '../../../src/syncer/translate/pods/to-host-pod.ts'
import { CONTEXT, podWith, translated } from '../translate/pods/some-pods.ts'

const BY_HOST = { surroundings: {} }
const cordoning = (...cordonedNodes: string[]) => ({ ...CONTEXT, cordonedNodes })

test.for([
  ['as before', [], [], false],
  ['as before, some cordoned', ['node-1'], ['node-1'], false],
  ['one was cordoned', [], ['node-1'], true],
  ['one was uncordoned', ['node-1', 'node-2'], ['node-2'], true],
] as const)('knows a host pod that waits by a rule of before: %s', ([, before, now, expected]) => {
  const virtual = podWith()
  const host = translated(virtual, cordoning(...before)).pod
  const translatePod = () => toHostPod(virtual, cordoning(...now))

  expect(isMisplaced({ ...BY_HOST, translatePod }, { virtual, host })).toBe(expected)
})

test.for([
  ['has none yet', {}, false],
  ['is on the same', { nodeName: 'node-1' }, false],
  ['is on another', { nodeName: 'node-2' }, true],
] as const)(
  'knows whether a host pod is on the node of the virtual one, which %s',
  ([, spec, expected]) => {
    const virtual = podWith(spec)
    const { pod } = translated(virtual)
    const host = { ...pod, spec: { ...Object(pod['spec']), nodeName: 'node-1' } }
    const translatePod = () => toHostPod(virtual, cordoning('node-1'))

    expect(isMisplaced({ ...BY_HOST, translatePod }, { virtual, host })).toBe(expected)
  },
)

test.for([
  ['has chosen none', {}, true],
  ['has chosen this one', { nodeName: 'node-1' }, false],
  ['has chosen another one', { nodeName: 'node-2' }, true],
] as const)('knows a host pod that waits for a node where the plane %s', ([, spec, expected]) => {
  const context = { ...CONTEXT, scheduler: 'virtual' } as const
  const host = translated(podWith({ nodeName: 'node-1' }), context).pod
  const virtual = podWith(spec)
  const options = { surroundings: context, translatePod: () => toHostPod(virtual, context) }

  expect(isMisplaced(options, { virtual, host })).toBe(expected)
})

test('leaves a host pod alone that would be refused by now', () => {
  const host = translated(podWith(), cordoning('node-1')).pod
  const translatePod = () => toHostPod(podWith({ hostNetwork: true }), CONTEXT)

  expect(isMisplaced({ ...BY_HOST, translatePod }, { virtual: podWith(), host })).toBe(false)
})
