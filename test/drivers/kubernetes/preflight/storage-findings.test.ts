import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { objectOf } from '../fake-cluster.ts'
import {
  defaultClassOf,
  storageFindings,
} from '../../../../src/drivers/kubernetes/preflight/storage-findings.ts'

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses'
const EPHEMERAL = { purpose: 'for a plane without volumes', ephemeral: true }
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

test('accepts the default StorageClass, or the wanted one', async () => {
  const classes = [storageClass('slow', { isDefault: true }), storageClass('fast')]

  expect(await judge(classes)).toEqual([])
  expect(await judge(classes, 'fast')).toEqual([])
})

test('lists the existing StorageClasses when none is the default', async () => {
  expect(await judge([storageClass('slow'), storageClass('fast')])).toEqual([
    {
      subject: 'storage',
      level: 'problem',
      message: 'the host cluster has no default StorageClass',
      hint: [{ purpose: 'one of slow, fast', storageClass: 'NAME' }, EPHEMERAL],
    },
  ])
})

test('reports a missing StorageClass', async () => {
  expect(await judge([], 'fast')).toMatchObject([
    { message: 'the host cluster has no StorageClass "fast"', hint: [EPHEMERAL] },
  ])
})

test('searches free volumes when no class creates them', async () => {
  const local = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' })
  const free = volume('local', 'Available')

  expect(await judge([local], 'local', [free])).toEqual([])
  expect(await judge([], 'local', [free])).toEqual([])
  expect(await judge([], undefined, [volume(undefined, 'Available')])).toEqual([])
  expect(await judge([local], 'local', [volume('local', 'Bound')])).toMatchObject([
    { level: 'problem', message: 'StorageClass "local" creates no volumes, and has no free one' },
  ])
})

test('lists no volumes when a class creates them, and no classes for a plane without volumes', async () => {
  const asked: string[] = []
  const list = (path: string) => {
    asked.push(path)
    return Promise.resolve([storageClass('a', { isDefault: true })])
  }

  expect(await storageFindings([claim()], list)).toEqual([])
  expect(await storageFindings([], list)).toEqual([])
  expect(asked).toEqual([CLASSES])
})

test('accepts a host whose StorageClasses the user may not read', async () => {
  expect(await storageFindings([claim()], () => Promise.resolve(undefined))).toEqual([])
})

test('takes the newest of several defaults, as the host does', () => {
  const old = storageClass('old', { isDefault: true, creationTimestamp: '2025-01-01T00:00:00Z' })
  const young = storageClass('new', { isDefault: true, creationTimestamp: '2026-01-01T00:00:00Z' })

  expect(defaultClassOf([old, young])).toBe(young)
  expect(defaultClassOf([young, old])).toBe(young)
})

function judge(
  classes: readonly KubeObject[],
  className?: string,
  volumes: readonly KubeObject[] = [],
) {
  return storageFindings([claim(className)], (path) =>
    Promise.resolve(path === CLASSES ? classes : volumes),
  )
}

function claim(storageClassName?: string) {
  const metadata = { name: 'data-0' }
  const spec = storageClassName === undefined ? {} : { storageClassName }
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec }
}

function storageClass(
  name: string,
  {
    creationTimestamp,
    isDefault = false,
    provisioner = 'example.com/disks',
  }: { isDefault?: boolean; provisioner?: string; creationTimestamp?: string } = {},
): KubeObject {
  const annotations = { [IS_DEFAULT]: String(isDefault) }
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations, creationTimestamp },
    provisioner,
  }
}

function volume(storageClassName: string | undefined, phase: string): KubeObject {
  const volume = objectOf('PersistentVolume', { name: 'one' })
  return { ...volume, spec: { storageClassName }, status: { phase } }
}
