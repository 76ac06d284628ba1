import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import {
  buildCacheFolder,
  buildLockPath,
  releaseFolder,
  releaseLockPath,
} from '../../../../src/drivers/local/binaries/cache/cache-layout.ts'
import {
  installBinary,
  recordPath,
} from '../../../../src/drivers/local/binaries/cache/install-binary.ts'
import { listBinaries } from '../../../../src/drivers/local/binaries/list-binaries.ts'
import { pruneBinaries } from '../../../../src/drivers/local/binaries/prune-binaries.ts'
import { acquireFileLock } from '../../../../src/shared/files/file-lock.ts'
import { cacheBinary, createContext, ETCD, KUBERNETES, type TestContext } from './context.ts'

const OLD = { ...KUBERNETES, version: '1.9.11' }
const KEEP_ALL = { kubernetes: ['1.36.3', '1.9.11'], etcd: ['3.6.16'] }

let context: TestContext
let cache: string

beforeEach(async () => {
  context = await createContext()
  cache = context.paths.cache
  return () => context[Symbol.asyncDispose]()
})

test('lists nothing before anything is cached', async () => {
  expect(await listBinaries(context.paths)).toEqual([])
})

test('lists binaries with their records, newest version first', async () => {
  await cacheBinary(cache, OLD, 'kubectl')
  const kubectl = await cacheBinary(cache, KUBERNETES, 'kubectl')
  const etcd = await cacheBinary(cache, ETCD, 'etcd')
  await installBinary(kubectl, kubectl, { source: 'build', origin: 'here' })
  await installBinary(etcd, etcd, { source: 'download', origin: 'here' })

  const binaries = await listBinaries(context.paths)

  expect(binaries.map(({ name, source, version }) => [name, version, source])).toEqual([
    ['kubectl', '1.36.3', 'build'],
    ['kubectl', '1.9.11', 'unknown'],
    ['etcd', '3.6.16', 'download'],
  ])
  expect(binaries[0]).toEqual({
    name: 'kubectl',
    version: '1.36.3',
    os: 'linux',
    arch: 'amd64',
    path: kubectl,
    sizeBytes: '#!/bin/sh\necho kubectl\n'.length,
    source: 'build',
  })
})

test.for([
  ['is no JSON', 'x'],
  ['is of a newer format', JSON.stringify({ formatVersion: 2, source: 'build' })],
  ['is null', 'null'],
] as const)('lists a binary whose record %s', async ([, text]) => {
  const path = await cacheBinary(cache, ETCD, 'etcd')
  await writeFile(recordPath(path), text)

  expect(await listBinaries(context.paths)).toMatchObject([{ name: 'etcd', source: 'unknown' }])
})

test('does not list other files', async () => {
  await cacheBinary(cache, KUBERNETES, 'kubectl')
  await mkdir(join(cache, 'bin', 'kubernetes', 'latest', 'linux-amd64'), { recursive: true })
  await mkdir(join(cache, 'bin', 'kubernetes', '1.36.3', 'plan9-mips'), { recursive: true })
  await writeFile(join(cache, 'bin', 'kubernetes', '1.36.9'), 'a file')
  await writeFile(join(releaseFolder(cache, KUBERNETES), 'kube-proxy'), 'x', { mode: 0o755 })
  await writeFile(join(releaseFolder(cache, KUBERNETES), '.etcd.part'), 'x', { mode: 0o755 })

  expect(await listBinaries(context.paths)).toMatchObject([{ name: 'kubectl' }])
})

test('removes unused versions', async () => {
  const old = await cacheBinary(cache, OLD, 'kubectl')
  const used = await cacheBinary(cache, KUBERNETES, 'kubectl')
  const etcd = await cacheBinary(cache, ETCD, 'etcd')

  const result = await prune({ kubernetes: ['1.36.3'], etcd: ['3.6.16'] })

  expect(result).toEqual({
    removed: [{ path: releaseFolder(cache, OLD), sizeBytes: expect.any(Number) }],
    freedBytes: '#!/bin/sh\necho kubectl\n'.length,
    inUse: [],
  })
  expect([old, used, etcd].map((path) => existsSync(path))).toEqual([false, true, true])
  expect(existsSync(join(cache, 'bin', 'kubernetes', OLD.version))).toBe(false)
})

test('removes interrupted downloads and builds of used versions', async () => {
  const used = await cacheBinary(cache, KUBERNETES, 'kubectl')
  const folder = releaseFolder(cache, KUBERNETES)
  await writeFile(join(folder, '.kube-apiserver.part'), 'x'.repeat(1000))
  await mkdir(join(folder, '.build'))
  await writeFile(join(folder, '.build', 'kubectl'), 'x'.repeat(500))

  const result = await prune(KEEP_ALL)

  expect(result.freedBytes).toBe(1500)
  expect(existsSync(used)).toBe(true)
  expect(existsSync(join(folder, '.build'))).toBe(false)
})

test('does not remove what another process uses', async () => {
  const old = await cacheBinary(cache, OLD, 'kubectl')
  await mkdir(buildCacheFolder(cache), { recursive: true })
  const options = { what: 'test', timeoutMs: 0 }
  const locks = [
    await acquireFileLock(releaseLockPath(cache, OLD), options),
    await acquireFileLock(buildLockPath(cache), options),
  ]

  const result = await prune({ kubernetes: [], etcd: [] }, true)

  expect(result).toEqual({
    removed: [],
    freedBytes: 0,
    inUse: ['Kubernetes 1.9.11 for linux-amd64', 'the build cache'],
  })
  expect(existsSync(old)).toBe(true)
  await Promise.all(locks.map((lock) => lock[Symbol.asyncDispose]()))
})

test('removes nothing from an empty cache', async () => {
  const result = await prune({ kubernetes: [], etcd: [] }, true)

  expect(result).toEqual({ removed: [], freedBytes: 0, inUse: [] })
})

function prune(keepVersions: { kubernetes: string[]; etcd: string[] }, buildCache = false) {
  return pruneBinaries({ keepVersions: { kine: [], ...keepVersions }, buildCache }, context.paths)
}
