import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/kube/kube-object.ts'
import { byClassResource, type ClassResource } from '../../../src/syncer/classes/class-kinds.ts'
import { hostClasses } from '../../../src/syncer/classes/offered-classes.ts'
import { shownClasses } from '../../../src/syncer/classes/shown-classes.ts'

const HOST: Record<ClassResource, KubeObject[]> = {
  storageclasses: [
    hostClass('fast', {
      provisioner: 'acme.io/disks',
      parameters: { secretName: 'pool-credentials' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'Immediate',
      metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    }),
  ],
  ingressclasses: [
    hostClass('nginx', { spec: { controller: 'k8s.io/nginx', parameters: { name: 'x' } } }),
  ],
  runtimeclasses: [hostClass('kata', { handler: 'kata-qemu', overhead: { podFixed: {} } })],
  priorityclasses: [
    hostClass('tenant-high', { value: 1000, globalDefault: true }),
    hostClass('system-node-critical', { value: 2_000_001_000 }),
  ],
}

test('shows what a StorageClass of the host promises, and not how it is done', () => {
  const [fast] = shownClasses(HOST).storageclasses

  expect(fast).toMatchObject({
    metadata: {
      name: 'fast',
      annotations: {
        'storageclass.kubernetes.io/is-default-class': 'true',
        'vplane.dev/provisioner': 'acme.io/disks',
      },
    },
    provisioner: 'vplane.dev/host',
    reclaimPolicy: 'Retain',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: false,
  })
  expect(JSON.stringify(shownClasses(HOST))).not.toMatch(/pool-credentials|kata-qemu|"x"/)
})

test('gives no plane the priorities of what keeps its host alive, nor a priority to all pods', () => {
  expect(shownClasses(HOST).priorityclasses).toEqual([
    expect.objectContaining({ value: 1000, preemptionPolicy: 'PreemptLowerPriority' }),
  ])
  expect(shownClasses(HOST).priorityclasses[0]).not.toHaveProperty('globalDefault')
})

test('lets the objects of a plane name all that is shown, and what its spec maps besides', () => {
  const rules = { classes: true, priorityClasses: { urgent: 'tenant-high' } }
  const sides = byClassResource((resource) => ({ host: { values: () => HOST[resource] } }))

  expect(hostClasses(rules, sides)).toEqual({
    storageClasses: new Map([['fast', 'fast']]),
    ingressClasses: new Map([['nginx', 'nginx']]),
    runtimeClasses: ['kata'],
    priorityClasses: new Map([
      ['tenant-high', 'tenant-high'],
      ['urgent', 'tenant-high'],
    ]),
  })
})

function hostClass(
  name: string,
  { metadata = {}, ...fields }: Record<string, unknown>,
): KubeObject {
  return { apiVersion: '', kind: '', metadata: { ...Object(metadata), name }, ...fields }
}
