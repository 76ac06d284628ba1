import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { BinaryName } from '../../../../src/drivers/local/binaries/cache/binary.ts'
import {
  binaryPath,
  releaseFolder,
  releaseLockPath,
} from '../../../../src/drivers/local/binaries/cache/cache-layout.ts'
import { sourceOf } from '../../../../src/drivers/local/binaries/cache/install-binary.ts'
import { ensureBinaries } from '../../../../src/drivers/local/binaries/ensure-binaries.ts'
import { acquireFileLock } from '../../../../src/shared/files/file-lock.ts'
import { packageRoot, packageVersion } from '../../../../src/shared/package-root.ts'
import {
  cacheBinary,
  createContext,
  ETCD,
  KUBERNETES,
  readRecord,
  type TestContext,
} from './context.ts'
import { goRuns, installFakeGo } from './fake-go.ts'
import {
  type ReleaseServer,
  serveEtcdArchive,
  serveKubernetesBinary,
  sha256,
  startReleaseServer,
} from './release-server.ts'

let server: ReleaseServer
let context: TestContext

beforeEach(async () => {
  server = await startReleaseServer()
  context = await createContext({ VPLANE_MIRROR: server.url })
  return () => Promise.all([context[Symbol.asyncDispose](), server[Symbol.asyncDispose]()])
})

test('takes everything from the cache without output', async () => {
  const etcd = await cacheBinary(context.paths.cache, ETCD, 'etcd')
  const kubectl = await cacheBinary(context.paths.cache, KUBERNETES, 'kubectl')

  expect(await ensure(['kubectl', 'etcd'])).toEqual({ etcd, kubectl })
  expect([...context.messages, ...server.paths()]).toEqual([])
})

test('downloads what is missing, and only that', async () => {
  const cached = await cacheBinary(context.paths.cache, KUBERNETES, 'kubectl')
  const path = serveKubernetesBinary(server, 'kube-apiserver')

  const binaries = await ensure(['kubectl', 'kube-apiserver'])

  expect(binaries.kubectl).toBe(cached)
  expect(await readFile(binaries['kube-apiserver'], 'utf8')).toContain('echo kube-apiserver 1.36.3')
  expect(statSync(binaries['kube-apiserver']).mode & 0o777).toBe(0o755)
  expect(statSync(dirname(binaries.kubectl)).mode & 0o777).toBe(0o755)
  expect(server.paths()).toEqual([`${path}.sha256`, path])
  expect(context.messages).toEqual(['step downloading Kubernetes 1.36.3'])
  expect(await readRecord(binaries['kube-apiserver'])).toEqual({
    formatVersion: 1,
    writtenBy: packageVersion(),
    source: 'download',
    origin: `${server.url}${path}`,
    sha256: sha256(await readFile(binaries['kube-apiserver'])),
  })
})

test('leaves nothing but binaries and their records behind', async () => {
  serveKubernetesBinary(server, 'kubectl', { etag: '"v1"' })
  serveEtcdArchive(server)

  await ensure(['kubectl', 'etcd'])

  const listing = async (release: typeof ETCD) =>
    (await readdir(releaseFolder(context.paths.cache, release))).sort()
  expect(await listing(KUBERNETES)).toEqual(['kubectl', 'kubectl.json'])
  expect(await listing(ETCD)).toEqual(['etcd', 'etcd.json', 'etcdutl', 'etcdutl.json'])
  expect(await readdir(join(context.paths.cache, 'locks'))).toEqual([])
})

test('unpacks the archive of etcd once for both of its binaries', async () => {
  const folder = serveEtcdArchive(server)

  const first = await ensure(['etcd'])
  const second = await ensure(['etcdutl', 'etcd'])

  expect(await readFile(second.etcdutl, 'utf8')).toBe('etcdutl')
  expect(second.etcd).toBe(first.etcd)
  expect(server.paths()).toEqual([
    `${folder}/SHA256SUMS`,
    `${folder}/etcd-v3.6.16-linux-amd64.tar.gz`,
  ])
})

test('refuses an archive that lacks a binary', async () => {
  serveEtcdArchive(server, [{ path: 'etcd-v3.6.16-linux-amd64/etcd', data: Buffer.from('etcd') }])

  await expect(ensure(['etcd'])).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('does not hold etcd-v3.6.16-linux-amd64/etcdutl'),
  })
  expect(existsSync(binaryPath(context.paths.cache, ETCD, 'etcd'))).toBe(false)
})

test.for([
  ['another checksum', 'f'.repeat(64), /has checksum [0-9a-f]{64}, not f+/],
  ['no checksum', 'please log in', /kubectl\.sha256 contains no checksum of "kubectl"/],
] as const)('refuses a download with %s, even with Go', async ([, checksum, message]) => {
  await installFakeGo(context)
  serveKubernetesBinary(server, 'kubectl', { checksum })

  await expect(ensure(['kubectl'])).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(message),
  })
  expect(existsSync(binaryPath(context.paths.cache, KUBERNETES, 'kubectl'))).toBe(false)
})

test('builds at once what the server lacks', async () => {
  await installFakeGo(context)
  serveKubernetesBinary(server, 'kubectl')

  const { 'kube-apiserver': built, kubectl } = await ensure(['kube-apiserver', 'kubectl'])

  expect([sourceOf(built), sourceOf(kubectl)]).toEqual(['build', 'download'])
  expect(context.messages).toEqual([
    'step downloading Kubernetes 1.36.3',
    expect.stringMatching(
      /^note there is no http:.*kube-apiserver.*; building kube-apiserver with/,
    ),
    'step building kube-apiserver of Kubernetes 1.36.3 from source',
  ])
})

test('builds when the server keeps failing', async () => {
  await installFakeGo(context)
  const path = serveKubernetesBinary(server, 'kubectl')
  server.files.set(path, { body: Buffer.of(), statuses: [500, 500, 500] })

  const { kubectl } = await ensure(['kubectl'])

  expect(sourceOf(kubectl)).toBe('build')
  expect(context.messages).toEqual([
    'step downloading Kubernetes 1.36.3',
    'failed',
    expect.stringMatching(/answers 500/),
    'step building kubectl of Kubernetes 1.36.3 from source',
  ])
})

test('builds when no server can be reached, and reports that', async () => {
  await installFakeGo(context)
  await server[Symbol.asyncDispose]()

  await ensure(['kubectl', 'etcd'])

  const reason = /^note cannot reach 127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\); building kubectl/
  expect(context.messages).toContainEqual(expect.stringMatching(reason))
})

test('fails when neither download nor build is possible', async () => {
  await expect(ensure(['kubectl'])).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/there is no http.*kubectl.*, and no Go is installed/),
  })
  expect(await readdir(join(context.paths.cache, 'bin', 'kubernetes'))).toEqual([])
})

test('never touches the network with VPLANE_OFFLINE', async () => {
  const offline = { ...context.environment, VPLANE_OFFLINE: '1' }
  serveKubernetesBinary(server, 'kubectl')
  await installFakeGo(context)

  const { kubectl } = await ensure(['kubectl'], { environment: offline })

  expect(sourceOf(kubectl)).toBe('build')
  expect(server.paths()).toEqual([])
  const proxies = (await goRuns(context)).map(({ environment }) => environment.get('GOPROXY'))
  expect(new Set(proxies)).toEqual(new Set(['off']))
})

test.for(['', '0', 'false'])('is not offline with VPLANE_OFFLINE="%s"', async (value) => {
  serveKubernetesBinary(server, 'kubectl')

  await ensure(['kubectl'], { environment: { ...context.environment, VPLANE_OFFLINE: value } })

  expect(server.paths()).toHaveLength(2)
})

test('waits for a process that gets the same release, and uses its binaries', async () => {
  const lockPath = releaseLockPath(context.paths.cache, KUBERNETES)
  const lock = await acquireFileLock(lockPath, { what: 'test', timeoutMs: 0 })
  const waiting = ensure(['kubectl'])
  await expect.poll(() => context.messages).not.toEqual([])
  const path = await cacheBinary(context.paths.cache, KUBERNETES, 'kubectl')
  await lock[Symbol.asyncDispose]()

  expect(await waiting).toEqual({ kubectl: path })
  expect(context.messages).toEqual(['step waiting for another vplane that gets Kubernetes 1.36.3'])
  expect(server.paths()).toEqual([])
})

test('lets one of ten processes download', async () => {
  const path = serveKubernetesBinary(server, 'kubectl', { body: Buffer.alloc(500_000, 'x') })
  const code = `
    import { ensureBinaries } from ${JSON.stringify(join(packageRoot(), 'src/drivers/local/binaries/ensure-binaries.ts'))}
    import { silentUi } from ${JSON.stringify(join(packageRoot(), 'src/shared/ui.ts'))}
    await ensureBinaries(
      { kubernetesVersion: '1.36.3', etcdVersion: '3.6.16', names: ['kubectl'] },
      { ...${JSON.stringify({ paths: context.paths, environment: context.environment, platform: context.platform })}, ui: silentUi, signal: new AbortController().signal },
    )`

  const args = ['--input-type=module', '-e', code]
  const exits = Array.from({ length: 10 }, () =>
    once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit'),
  )

  expect(await Promise.all(exits)).toEqual(Array.from({ length: 10 }, () => [0, null]))
  expect(server.paths()).toEqual([`${path}.sha256`, path])
})

test('continues an interrupted download', async () => {
  const body = Buffer.alloc(400_000, 'x')
  const path = serveKubernetesBinary(server, 'kubectl', { body, etag: '"v1"', cuts: [150_000] })
  const partial = join(releaseFolder(context.paths.cache, KUBERNETES), '.kubectl.part')
  const interrupted = ensure(['kubectl'])
  await expect.poll(() => statSync(partial, { throwIfNoEntry: false })?.size).toBe(150_000)
  context.abort.abort()
  await expect(interrupted).rejects.toMatchObject({ code: 'ABORTED' })

  await ensure(['kubectl'], { signal: new AbortController().signal })

  expect(server.requests.at(-1)).toMatchObject({ path, headers: { range: 'bytes=150000-' } })
})

test('ignores a file that is not executable', async () => {
  const path = await cacheBinary(context.paths.cache, KUBERNETES, 'kubectl')
  await chmod(path, 0o644)
  serveKubernetesBinary(server, 'kubectl')

  await ensure(['kubectl'])

  expect(server.paths()).toHaveLength(2)
})

test('takes binaries only from a given folder', async () => {
  const from = await folderWithKubectl()

  expect(await ensure(['kubectl'], { binDir: from })).toEqual({ kubectl: join(from, 'kubectl') })
  expect(server.paths()).toEqual([])
})

test('names the binaries that a folder lacks', async () => {
  const from = await folderWithKubectl()
  await writeFile(join(from, 'etcdutl'), 'not executable', { mode: 0o644 })

  await expect(ensure(['etcd', 'etcdutl', 'kubectl'], { binDir: from })).rejects.toMatchObject({
    code: 'FAILED',
    message: `"${from}" has no executable etcd, etcdutl`,
  })
})

test('names the folder that it cannot write to', async () => {
  await writeFile(context.paths.cache, 'not a folder')

  await expect(ensure(['kubectl'])).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(context.paths.cache),
  })
})

const ETCDUTL = { also: ['etcdutl'] } as const

test('builds what else is wanted together with what is needed', async () => {
  await installFakeGo(context)

  await ensure(['etcd'], ETCDUTL)

  const builds = (await goRuns(context)).filter(({ args }) => args.startsWith('build '))
  expect(builds).toHaveLength(1)
  expect(existsSync(binaryPath(context.paths.cache, ETCD, 'etcdutl'))).toBe(true)
})

test('gets nothing when what else is wanted is in the cache too', async () => {
  await cacheBinary(context.paths.cache, ETCD, 'etcd')
  await cacheBinary(context.paths.cache, ETCD, 'etcdutl')

  await ensure(['etcd'], ETCDUTL)

  expect([...context.messages, ...server.paths()]).toEqual([])
})

test('continues without what else is wanted, and says so', async () => {
  const etcd = await cacheBinary(context.paths.cache, ETCD, 'etcd')

  expect(await ensure(['etcd'], ETCDUTL)).toEqual({ etcd })
  expect(context.messages).toEqual([
    'step downloading etcd 3.6.16',
    'failed',
    expect.stringMatching(/^note there is no http.*; building etcdutl with the installed Go/),
    'step building etcdutl of etcd 3.6.16 from source',
    'failed',
    expect.stringMatching(/^note cannot get etcdutl of etcd .*; only a restore needs etcdutl$/),
  ])
})

test('builds what is needed without what else is wanted and has no source', async () => {
  await installFakeGo(context, {
    list: `case "$*" in *etcdutl*) echo 'etcdutl: no source' >&2; exit 1 ;; esac`,
    versions: 'exit 1',
  })

  const { etcd } = await ensure(['etcd'], ETCDUTL)

  expect(sourceOf(etcd)).toBe('build')
  expect(context.messages.at(-1)).toBe(
    'note building etcd, etcdutl of etcd 3.6.16 failed; only a restore needs etcdutl',
  )
})

test('refuses a wrong download of what is needed, whatever else is wanted', async () => {
  await installFakeGo(context)
  serveEtcdArchive(server, [])

  await expect(ensure(['etcd'], ETCDUTL)).rejects.toMatchObject({ code: 'FAILED' })
  expect(existsSync(binaryPath(context.paths.cache, ETCD, 'etcd'))).toBe(false)
})

test.for([
  ['a new plane', true, { purpose: 'to download or build them', binDir: false }],
  ['an existing one', false, expect.stringMatching(/^copy etcd to /)],
] as const)('hints at what works for the folder of %s', async ([, canChooseFolder, hint]) => {
  const failure = ensure(['etcd'], { binDir: dirname(context.paths.cache), canChooseFolder })

  await expect(failure).rejects.toMatchObject({ hints: [expect.stringMatching(/^ls -l /), hint] })
})

test('refuses versions that are paths', async () => {
  const ensuring = ensure(['kubectl'], { kubernetesVersion: '../../1' })

  await expect(ensuring).rejects.toMatchObject({ code: 'USAGE' })
})

/** A user's folder of binaries, in which only kubectl is. */
async function folderWithKubectl(): Promise<string> {
  const folder = join(dirname(context.paths.cache), 'own')
  await mkdir(folder)
  await writeFile(join(folder, 'kubectl'), 'x', { mode: 0o755 })
  return folder
}

interface Options extends Partial<TestContext> {
  also?: readonly BinaryName[]
  binDir?: string
  canChooseFolder?: boolean
  kubernetesVersion?: string
}

function ensure<Name extends BinaryName>(
  names: Name[],
  { also = [], canChooseFolder = false, kubernetesVersion = '1.36.3', ...more }: Options = {},
) {
  const request = { kubernetesVersion, etcdVersion: '3.6.16', names, also, canChooseFolder }
  const { binDir, ...others } = more
  const wanted = binDir === undefined ? request : { ...request, binDir }
  return ensureBinaries(wanted, { ...context, ...others })
}
