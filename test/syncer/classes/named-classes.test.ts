import { expect, test } from 'vitest'
import { byClassResource } from '../../../src/syncer/classes/class-kinds.ts'
import { namedClasses } from '../../../src/syncer/classes/named-classes.ts'
import { hostClasses } from '../../../src/syncer/classes/offered-classes.ts'

const NOTHING_READ = byClassResource(() => ({}))

test('gives every plane a class for the default volumes of its host', () => {
  const [first, ...others] = namedClasses({}).storageclasses

  expect(others).toEqual([])
  expect(first).toMatchObject({
    metadata: {
      name: 'default',
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner: 'vplane.dev/host',
  })
  expect(hostClasses({}, NOTHING_READ).storageClasses).toEqual(new Map([['default', undefined]]))
})

test('lets a class of the host be the default one by its name', () => {
  const rules = { storageClasses: ['default', 'fast'] }

  expect(namedClasses(rules).storageclasses.map(({ metadata }) => metadata.name)).toEqual([
    'default',
    'fast',
  ])
  expect(hostClasses(rules, NOTHING_READ).storageClasses).toEqual(
    new Map([
      ['default', 'default'],
      ['fast', 'fast'],
    ]),
  )
})

test('promises of a class no more than every class of a host does', () => {
  expect(namedClasses({ storageClasses: ['fast'] }).storageclasses[1]).toMatchObject({
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'false' } },
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
  const { ingressclasses, runtimeclasses } = namedClasses(rules)

  expect(hostClasses(rules, NOTHING_READ)).toMatchObject({
    ingressClasses: new Map([['nginx', 'nginx']]),
    runtimeClasses: ['kata.v2'],
    priorityClasses: new Map([['urgent', 'tenant-high']]),
  })
  expect(ingressclasses).toMatchObject([{ spec: { controller: 'vplane.dev/host' } }])
  expect(runtimeclasses).toMatchObject([{ metadata: { name: 'kata.v2' }, handler: 'kata-v2' }])
})
