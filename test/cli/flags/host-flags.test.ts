import { expect, test } from 'vitest'
import {
  hostFieldPairs,
  hostRequestOf,
  refuseHostFlags,
} from '../../../src/cli/flags/host-flags.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('sets the fields of the spec that flags stand for, and no others', () => {
  const pairs = hostFieldPairs({
    namespace: 'team',
    preset: 'ha',
    'storage-class': 'fast',
    'storage-size': '2Gi',
    expose: 'load-balancer',
    'expose-host': 'dev.example.com',
    'image-registry': 'mirror.example.com/k8s',
    'helper-image': 'mirror.example.com/node:24',
    'skip-preflight': true,
  })

  expect(pairs).toEqual([
    'preset=ha',
    'storage.className=fast',
    'storage.size=2Gi',
    'expose.type=load-balancer',
    'expose.host=dev.example.com',
    'images.registry=mirror.example.com/k8s',
    'images.helper=mirror.example.com/node:24',
  ])
  expect(hostFieldPairs({ preset: undefined })).toEqual([])
})

test.for([
  [{ sync: true }, ['sync.enabled=true']],
  [{ 'sync-nodes': true }, ['sync.enabled=true', 'sync.nodes=true']],
  [{ sync: true, 'sync-classes': true }, ['sync.enabled=true', 'sync.classes=true']],
] as const)('takes %j for a plane that runs pods', ([flags, pairs]) => {
  expect(hostFieldPairs(flags)).toEqual(pairs)
})

test('makes the namespace and looks first, unless flags say otherwise', () => {
  const flags = {
    'create-namespace': false,
    'share-namespace': true,
    'skip-preflight': true,
    templates: 'mine',
    adopt: true,
  }

  expect(hostRequestOf({}, 'team')).toEqual({
    namespace: 'team',
    createNamespace: true,
    shareNamespace: false,
    skipPreflight: false,
    templates: undefined,
    adopt: false,
  })
  expect(hostRequestOf(flags, 'team')).toEqual({
    namespace: 'team',
    createNamespace: false,
    shareNamespace: true,
    skipPreflight: true,
    templates: 'mine',
    adopt: true,
  })
})

test.for([
  [{ namespace: 'a' }, '--namespace'],
  [{ 'host-context': 'work' }, '--host-context'],
  [{ 'create-namespace': true }, '--create-namespace'],
  [{ templates: 'mine' }, '--templates'],
  [{ 'share-namespace': true }, '--share-namespace'],
  [{ 'skip-preflight': true }, '--skip-preflight'],
  [{ adopt: true }, '--adopt'],
] as const)('has no use for %j without a host cluster', ([flags, name]) => {
  const message = `${name} needs the driver "kubernetes"`

  expect(thrownBy(() => refuseHostFlags(flags))).toMatchObject({ code: 'USAGE', message })
})

test('lets flags be that say nothing', () => {
  const flags = { 'skip-preflight': false, 'create-namespace': false, templates: undefined }

  expect(() => refuseHostFlags(flags)).not.toThrow()
})
