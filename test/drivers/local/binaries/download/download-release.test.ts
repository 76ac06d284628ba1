import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Release } from '../../../../../src/drivers/local/binaries/cache/binary.ts'
import { releaseFolder } from '../../../../../src/drivers/local/binaries/cache/cache-layout.ts'
import { sourceOf } from '../../../../../src/drivers/local/binaries/cache/install-binary.ts'
import { downloadRelease } from '../../../../../src/drivers/local/binaries/download/download-release.ts'
import { zip } from '../zip.ts'
import { createContext, ETCD, KUBERNETES, type TestContext } from '../context.ts'
import {
  type ReleaseServer,
  serveKubernetesBinary,
  sha256,
  startReleaseServer,
} from '../release-server.ts'

const MIB = 1024 * 1024
const MAC = { os: 'darwin', arch: 'arm64' } as const
const MAC_KUBERNETES: Release = { ...KUBERNETES, platform: MAC }
const MAC_ETCD: Release = { ...ETCD, platform: MAC }
const UNOFFICIAL = '/github.com/kwok-ci/k8s/releases/download/v1.36.3-kwok.0-darwin-arm64'

let server: ReleaseServer
let context: TestContext

beforeEach(async () => {
  server = await startReleaseServer()
  context = await createContext({ VPLANE_MIRROR: server.url })
  for (const release of [KUBERNETES, MAC_KUBERNETES, MAC_ETCD]) {
    await mkdir(releaseFolder(context.paths.cache, release), { recursive: true })
  }
  return () => Promise.all([context[Symbol.asyncDispose](), server[Symbol.asyncDispose]()])
})

test('shows the bytes of all downloads together', async () => {
  serveKubernetesBinary(server, 'kubectl', { body: Buffer.alloc(3 * MIB) })
  serveKubernetesBinary(server, 'kube-apiserver', { body: Buffer.alloc(5 * MIB) })

  await downloadRelease(KUBERNETES, ['kubectl', 'kube-apiserver'], context)

  expect(context.progress.at(-1)).toBe('8 of 8 MiB')
  expect(new Set(context.progress).size).toBe(context.progress.length)
})

test.for([
  ['http://mirror.invalid', [expect.stringContaining('VPLANE_MIRROR uses http')]],
  ['https://mirror.invalid', []],
] as const)('warns of a mirror that anyone could replace: %s', async ([mirror, warnings]) => {
  const environment = { ...context.environment, VPLANE_MIRROR: mirror }

  await downloadRelease(KUBERNETES, ['kubectl'], { ...context, environment })

  expect(context.messages.filter((line) => line.startsWith('warn'))).toEqual(warnings)
})

test('stores finished downloads when another fails', async () => {
  serveKubernetesBinary(server, 'kubectl')

  const reasons = await downloadRelease(KUBERNETES, ['kubectl', 'kube-apiserver'], context)

  expect(reasons).toEqual([expect.stringMatching(/^there is no http.*\/kube-apiserver\.sha256$/)])
  const kubectl = join(releaseFolder(context.paths.cache, KUBERNETES), 'kubectl')
  expect(sourceOf(kubectl)).toBe('download')
})

test('warns once that servers for macOS are unofficial, and verifies them with the table', async () => {
  const names = ['kube-apiserver', 'kube-controller-manager'] as const
  const checksums = names.map((name) => {
    const body = Buffer.from(`unofficial ${name}`)
    server.files.set(`${UNOFFICIAL}/${name}`, { body })
    return [name, sha256(body)] as const
  })
  const trusted = { '1.36.3': { 'darwin-arm64': Object.fromEntries(checksums) } }

  const reasons = await downloadRelease(MAC_KUBERNETES, names, { ...context, trusted })

  expect(reasons).toEqual([])
  expect(context.messages.filter((line) => line.startsWith('warn'))).toEqual([
    expect.stringMatching(
      /no kube-apiserver, kube-controller-manager .* github\.com\/kwok-ci\/k8s/,
    ),
  ])
  const path = join(releaseFolder(context.paths.cache, MAC_KUBERNETES), 'kube-apiserver')
  expect(await readFile(path, 'utf8')).toBe('unofficial kube-apiserver')
})

test('refuses unofficial binaries that were changed', async () => {
  server.files.set(`${UNOFFICIAL}/kube-apiserver`, { body: Buffer.from('changed') })
  const trusted = { '1.36.3': { 'darwin-arm64': { 'kube-apiserver': 'a'.repeat(64) } } }

  const options = { ...context, trusted }
  const downloading = downloadRelease(MAC_KUBERNETES, ['kube-apiserver'], options)

  const message = expect.stringContaining('has checksum')
  await expect(downloading).rejects.toMatchObject({ code: 'FAILED', message })
})

test('reports a cache that was removed meanwhile', async () => {
  serveKubernetesBinary(server, 'kubectl')
  await rm(context.paths.cache, { recursive: true })

  await expect(downloadRelease(KUBERNETES, ['kubectl'], context)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(`cannot write to "${context.paths.cache}`),
  })
})

test('sends no request for binaries without a trusted source', async () => {
  const options = { ...context, trusted: {} }

  const reasons = await downloadRelease(MAC_KUBERNETES, ['kube-apiserver'], options)

  expect(reasons).toEqual(['there is no trusted build of kube-apiserver for darwin-arm64'])
  expect([...server.paths(), ...context.messages]).toEqual([])
})

test('unpacks the zip archive of etcd for macOS', async () => {
  const stem = 'etcd-v3.6.16-darwin-arm64'
  const folder = '/github.com/etcd-io/etcd/releases/download/v3.6.16'
  const body = zip([
    { name: `${stem}/etcd`, body: Buffer.from('etcd of macOS') },
    { name: `${stem}/etcdutl`, body: Buffer.from('etcdutl of macOS') },
  ])
  const sums = Buffer.from(`${sha256(body)}  ${stem}.zip\n`)
  server.files.set(`${folder}/${stem}.zip`, { body })
  server.files.set(`${folder}/SHA256SUMS`, { body: sums })

  await downloadRelease(MAC_ETCD, ['etcd'], context)

  const path = join(releaseFolder(context.paths.cache, MAC_ETCD), 'etcdutl')
  expect(await readFile(path, 'utf8')).toBe('etcdutl of macOS')
})
