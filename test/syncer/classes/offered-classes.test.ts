import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { byClassResource, type ClassResource } from '../../../src/syncer/classes/class-kinds.ts'
import { hostClasses, wantedClasses } from '../../../src/syncer/classes/offered-classes.ts'

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'
const NOTHING_READ = byClassResource(() => ({}))

test('gives every plane a class for the default volumes of its host', () => {
  const [first, ...others] = wantedClasses({}, NOTHING_READ).storageclasses

  expect(others).toEqual([])
  expect(first).toMatchObject({
    metadata: { name: 'default', annotations: { [IS_DEFAULT]: 'true' } },
    provisioner: 'vplane.dev/host',
  })
  expect(hostClasses({}, NOTHING_READ).storageClasses).toEqual(new Map([['default', undefined]]))
})

test('lets a class of the host be the default one by its name', () => {
  const names = ['default', 'fast']
  const rules = { storageClasses: names }

  const wanted = wantedClasses(rules, NOTHING_READ).storageclasses
  expect(wanted.map(({ metadata }) => metadata.name)).toEqual(names)
  const byName = new Map(names.map((name) => [name, name]))
  expect(hostClasses(rules, NOTHING_READ).storageClasses).toEqual(byName)
})

test('promises of a class no more than every class of a host does', () => {
  const [, fast] = wantedClasses({ storageClasses: ['fast'] }, NOTHING_READ).storageclasses

  expect(fast).toMatchObject({
    metadata: { annotations: { [IS_DEFAULT]: 'false' } },
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  })
})

test('lets pods and ingresses name the classes of the host that the spec names', () => {
  const rules = {
    ingressClasses: ['nginx'],
    runtimeClasses: ['kata.v2'],
    priorityClasses: { urgent: 'tenant-high' },
  }
  const { ingressclasses, runtimeclasses } = wantedClasses(rules, NOTHING_READ)

  expect(hostClasses(rules, NOTHING_READ)).toMatchObject({
    ingressClasses: new Map([['nginx', 'nginx']]),
    runtimeClasses: ['kata.v2'],
    priorityClasses: new Map([['urgent', 'tenant-high']]),
  })
  expect(ingressclasses).toMatchObject([{ spec: { controller: 'vplane.dev/host' } }])
  expect(runtimeclasses).toMatchObject([{ metadata: { name: 'kata.v2' }, handler: 'kata-v2' }])
})

const HOST: Record<ClassResource, KubeObject[]> = {
  storageclasses: [
    hostClass('fast', {
      provisioner: 'acme.io/disks',
      parameters: { secretName: 'pool-credentials' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'Immediate',
      metadata: { annotations: { [IS_DEFAULT]: 'true' } },
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

const ALL_READ = byClassResource((resource) => ({ host: { values: () => HOST[resource] } }))

test('shows what a StorageClass of the host promises, and not how it is done', () => {
  const wanted = wantedClasses({ classes: true }, ALL_READ)

  const annotations = { [IS_DEFAULT]: 'true', 'vplane.dev/provisioner': 'acme.io/disks' }
  expect(wanted.storageclasses[0]).toMatchObject({
    metadata: { name: 'fast', annotations },
    provisioner: 'vplane.dev/host',
    reclaimPolicy: 'Retain',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: false,
  })
  expect(JSON.stringify(wanted)).not.toMatch(/pool-credentials|kata-qemu|"x"/)
})

test('gives no plane the priorities of what keeps its host alive, nor a priority to all pods', () => {
  const { priorityclasses } = wantedClasses({ classes: true }, ALL_READ)

  expect(priorityclasses).toMatchObject([{ value: 1000, preemptionPolicy: 'PreemptLowerPriority' }])
  expect(priorityclasses[0]).not.toHaveProperty('globalDefault')
})

test('lets the objects of a plane name all that is shown, and what its spec maps besides', () => {
  const rules = { classes: true, priorityClasses: { urgent: 'tenant-high' } }

  expect(hostClasses(rules, ALL_READ)).toEqual({
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
