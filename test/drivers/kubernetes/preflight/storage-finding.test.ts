import { expect, test } from 'vitest'
import type { HostObject } from '../../../../src/drivers/kubernetes/host/host-api.ts'
import {
  defaultClassOf,
  storageFinding,
} from '../../../../src/drivers/kubernetes/preflight/storage-finding.ts'

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

test('takes the default StorageClass, or the one that is named', async () => {
  const classes = [storageClass('slow', { isDefault: true }), storageClass('fast')]

  expect(await judge(classes)).toMatchObject({ level: 'ok', message: 'StorageClass "slow"' })
  expect(await judge(classes, 'fast')).toMatchObject({ message: 'StorageClass "fast"' })
})

test('names the StorageClasses there are when none is the default', async () => {
  expect(await judge([storageClass('slow'), storageClass('fast')])).toEqual({
    subject: 'storage',
    level: 'problem',
    message: 'the host cluster has no default StorageClass',
    hint: '--storage-class slow|fast, or --ephemeral for a plane without volumes',
  })
})

test('says that there is no such StorageClass', async () => {
  expect(await judge([], 'fast')).toEqual({
    subject: 'storage',
    level: 'problem',
    message: 'the host cluster has no StorageClass "fast"',
    hint: '--ephemeral for a plane without volumes',
  })
})

test('looks for free volumes where nothing makes them', async () => {
  const local = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' })
  const free = volume('local', 'Available')

  expect(await judge([local], 'local', [free])).toMatchObject({ level: 'ok' })
  expect(await judge([], 'local', [free])).toMatchObject({ level: 'ok' })
  expect(await judge([], undefined, [volume(undefined, 'Available')])).toMatchObject({
    level: 'ok',
  })
  expect(await judge([local], 'local', [volume('local', 'Bound')])).toMatchObject({
    level: 'problem',
    message: 'StorageClass "local" makes no volumes, and none of it is free',
  })
})

test('asks for no volumes when a class makes them', async () => {
  const volumes = () => Promise.reject(new Error('asked'))

  await expect(
    storageFinding([claim()], { classes: [storageClass('a', { isDefault: true })], volumes }),
  ).resolves.toMatchObject({ level: 'ok' })
})

test('trusts a host whose StorageClasses the user may not see, and planes without volumes', async () => {
  const volumes = () => Promise.resolve(undefined)

  expect(await storageFinding([claim()], { classes: undefined, volumes })).toMatchObject({
    level: 'ok',
    message: 'you may not see StorageClasses',
  })
  expect(await storageFinding([], { classes: [], volumes })).toMatchObject({ level: 'ok' })
})

test('takes the newest of several defaults, as the host does', () => {
  const old = storageClass('old', { isDefault: true, creationTimestamp: '2025-01-01T00:00:00Z' })
  const young = storageClass('young', {
    isDefault: true,
    creationTimestamp: '2026-01-01T00:00:00Z',
  })

  expect(defaultClassOf([old, young])).toBe(young)
  expect(defaultClassOf([young, old])).toBe(young)
})

function judge(
  classes: readonly HostObject[],
  className?: string,
  volumes: readonly HostObject[] = [],
) {
  return storageFinding([claim(className)], { classes, volumes: () => Promise.resolve(volumes) })
}

function claim(storageClassName?: string) {
  return { name: 'data-0', storageClassName, requests: { storage: '1Gi' } }
}

function storageClass(
  name: string,
  {
    creationTimestamp,
    isDefault = false,
    provisioner = 'example.com/disks',
  }: { isDefault?: boolean; provisioner?: string; creationTimestamp?: string } = {},
): HostObject {
  const annotations = { [IS_DEFAULT]: String(isDefault) }
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations, creationTimestamp },
    provisioner,
  }
}

function volume(storageClassName: string | undefined, phase: string): HostObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'one' },
    spec: { storageClassName },
    status: { phase },
  }
}
