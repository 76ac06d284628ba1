import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { hostChange } from '../../../src/syncer/host-objects/host-objects.ts'
import { withMarks } from '../../../src/syncer/translate/written.ts'

const object = (spec: Record<string, unknown>, metadata = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', annotations: { note: 'x' }, labels: { app: 'a' }, ...metadata },
  spec,
})

/** As the host has it some time after it was made. */
const known = (
  made: KubeObject,
  { annotations = {}, labels = {}, spec = {}, ...metadata } = {},
): KubeObject => {
  const marked = withMarks(made)
  return {
    ...marked,
    metadata: {
      ...marked.metadata,
      ...metadata,
      resourceVersion: '7',
      annotations: { ...marked.metadata.annotations, ...annotations },
      labels: { ...marked.metadata.labels, ...labels },
    },
    spec: { ...Object(marked['spec']), ...spec },
  }
}

test.for([
  ['nothing changed', object({ size: 1 }), {}],
  [
    'the host says nothing of what is empty',
    object({ rules: [], size: 1 }),
    { spec: { rules: undefined } },
  ],
  ['others annotate', object({ size: 1 }), { annotations: { 'cni.example.com/ip': '10.0.0.4' } }],
  ['others label', object({ size: 1 }), { labels: { 'policy.example.com/checked': '1' } }],
] as const)('changes nothing when %s', ([, wanted, since]) => {
  expect(hostChange(known(wanted, since), wanted)).toBeUndefined()
})

test.for([
  ['a field changed', object({ size: 1 }), object({ size: 2 }), { size: 2 }],
  ['a field went away', object({ deny: true, size: 1 }), object({ size: 1 }), { size: 1 }],
  ['a list grew shorter', object({ rules: [1, 2] }), object({ rules: [1] }), { rules: [1] }],
] as const)('brings it to the host when %s', ([, before, wanted, spec]) => {
  expect(hostChange(known(before), wanted)).toMatchObject({
    metadata: { resourceVersion: '7' },
    spec,
  })
  expect(hostChange(known(before), wanted)?.['spec']).toEqual(spec)
})

test('puts back what someone on the host changed', () => {
  const wanted = object({ rules: ['a'] })

  for (const spec of [{ rules: ['a', 'b'] }, { open: true }]) {
    expect(hostChange(known(wanted, { spec }), wanted)?.['spec']).toEqual({ rules: ['a'] })
  }
})

test('removes only its own annotations', () => {
  const before = known(object({}), { annotations: { 'cni.example.com/ip': '10.0.0.4' } })

  const change = hostChange(before, object({}, { annotations: { other: 'y' } }))

  expect(change?.metadata.annotations).toMatchObject({
    'cni.example.com/ip': '10.0.0.4',
    other: 'y',
  })
  expect(change?.metadata.annotations).not.toHaveProperty('note')
})

test('leaves to the host what nobody wants otherwise', () => {
  const before = known(object({ size: 1 }), { spec: { volume: 'theirs' } })

  expect(hostChange(before, object({ size: 1 }), ['volume'])).toBeUndefined()
  expect(hostChange(before, object({ size: 2 }), ['volume'])).toMatchObject({
    spec: { size: 2, volume: 'theirs' },
  })
  expect(hostChange(before, object({ size: 1, volume: 'mine' }), ['volume'])).toMatchObject({
    spec: { size: 1, volume: 'mine' },
  })
})
