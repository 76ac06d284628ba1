import { existsSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { buildPrograms } from '../../../../../src/drivers/local/binaries/build/build-programs.ts'
import { releaseBuild } from '../../../../../src/drivers/local/binaries/build/go-build.ts'
import {
  binaryPath,
  buildCacheFolder,
  buildModuleFolder,
  releaseFolder,
} from '../../../../../src/drivers/local/binaries/cache/cache-layout.ts'
import type { BinaryName, Release } from '../../../../../src/drivers/local/binaries/cache/binary.ts'
import type { PullHint } from '../../../../../src/drivers/local/binaries/cache/pull-hint.ts'
import { createContext, ETCD, KUBERNETES, readRecord, type TestContext } from '../context.ts'
import { goRuns, installFakeGo, usedGoMod } from '../fake-go.ts'

const PULL = { action: 'get-binaries', what: '1.36.3' } as const
const SERVERS: BinaryName[] = ['kube-apiserver', 'kubectl']

let context: TestContext

beforeEach(async () => {
  context = await createContext()
  return () => context[Symbol.asyncDispose]()
})

test('builds all binaries of a release at once into the cache', async () => {
  await installFakeGo(context)

  await build({ names: SERVERS })

  const folder = releaseFolder(context.paths.cache, KUBERNETES)
  const files = ['kube-apiserver', 'kube-apiserver.json', 'kubectl', 'kubectl.json']
  expect((await readdir(folder)).sort()).toEqual(files)
  expect(await readFile(join(folder, 'kubectl'), 'utf8')).toBe('built kubectl\n')
  expect(statSync(join(folder, 'kubectl')).mode & 0o777).toBe(0o755)
  expect(await readRecord(join(folder, 'kubectl'))).toMatchObject({
    source: 'build',
    origin: 'k8s.io/kubernetes/cmd/kubectl',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const builds = (await goRuns(context)).filter(({ args }) => args.startsWith('build '))
  expect(builds).toHaveLength(1)
  expect(builds[0]?.args).toMatch(/ -trimpath .* -X k8s\.io\/component-base\/version\.gitVersion=/)
  expect(await usedGoMod(context)).toContain('require k8s.io/kubernetes v1.36.3')
  const module = { ...KUBERNETES, module: 'k8s.io/kubernetes' }
  expect(existsSync(buildModuleFolder(context.paths.cache, module))).toBe(false)
})

test('gives the server of etcd its name', async () => {
  await installFakeGo(context)

  await build({ release: ETCD, names: ['etcd', 'etcdutl'] })

  const path = binaryPath(context.paths.cache, ETCD, 'etcd')
  expect(await readFile(path, 'utf8')).toBe('built server\n')
})

test.for<[Release, BinaryName[], string]>([
  [KUBERNETES, ['kube-apiserver', 'kubectl'], 'Kubernetes 1.36.3'],
  [ETCD, ['etcd', 'etcdutl'], 'etcd 3.6.16'],
  [ETCD, ['etcd'], 'etcd 3.6.16'],
  [ETCD, ['etcdutl'], 'etcdutl of etcd 3.6.16'],
])('names what it builds: of %j only %j', async ([release, names, what]) => {
  await installFakeGo(context)

  await build({ release, names })

  expect(context.messages).toEqual([`step building ${what} from source`])
})

test('shows its progress', async () => {
  await installFakeGo(context)

  await build()

  expect(context.progress).toEqual(['fetching the source', '1 of 3 packages', '2 of 3 packages'])
})

test("keeps the user's settings of Go but those that would change the result", async () => {
  const kept = {
    GOPROXY: 'https://goproxy.example.com',
    GOMODCACHE: '/modules',
    GOFLAGS: '-modcacherw',
    GOGC: '100',
  }
  const others = { GOOS: 'plan9', GOCACHE: '/elsewhere', CGO_ENABLED: '1', GOWORK: '/some/go.work' }
  context.environment = { ...context.environment, ...kept, ...others }
  await installFakeGo(context)

  await build()

  const used = (await goRuns(context)).map(({ environment }) => Object.fromEntries(environment))
  expect(used).not.toEqual([])
  for (const environment of used) {
    expect(environment).toMatchObject({
      ...kept,
      GOOS: 'linux',
      GOARCH: 'amd64',
      GOCACHE: buildCacheFolder(context.paths.cache),
      CGO_ENABLED: '0',
      GOWORK: 'off',
    })
  }
})

test('keeps Go from the network when offline', async () => {
  context.environment = { ...context.environment, GOPROXY: 'https://goproxy.example.com' }
  await installFakeGo(context)

  await build({ isOffline: true })

  for (const { environment } of await goRuns(context)) {
    expect(Object.fromEntries(environment)).toMatchObject({ GOPROXY: 'off', GOSUMDB: 'off' })
  }
})

test('fails offline when a source is not in the module cache', async () => {
  const error = 'k8s.io/kubernetes@v1.36.3: module lookup disabled by GOPROXY=off'
  await installFakeGo(context, { download: `echo '{"Error": "${error}"}'; exit 1` })

  const folder = releaseFolder(context.paths.cache, KUBERNETES)
  await expect(build({ isOffline: true, pull: PULL })).rejects.toMatchObject({
    code: 'FAILED',
    message:
      'cannot build kubectl of Kubernetes 1.36.3: the source is not in the Go module cache, and VPLANE_OFFLINE is set',
    hints: [
      { purpose: 'without VPLANE_OFFLINE', ...PULL },
      `copy kubectl of Kubernetes 1.36.3 to ${folder}`,
    ],
  })
  const searches = (await goRuns(context)).filter(({ args }) => args.includes('-versions'))
  expect(searches).toEqual([])
})

test('fails without Go, and reports why there was no download', async () => {
  const failure = build({ names: SERVERS, downloadFailure: 'cannot reach dl.k8s.io' })

  await expect(failure).rejects.toMatchObject({
    code: 'FAILED',
    message:
      'cannot get kube-apiserver, kubectl of Kubernetes 1.36.3: cannot reach dl.k8s.io, and no Go is installed to build with',
    hints: expect.arrayContaining([expect.stringContaining('https://go.dev/dl')]),
  })
})

test('hints at what works offline without Go', async () => {
  const failure = build({ isOffline: true, pull: PULL, canChooseFolder: true })

  await expect(failure).rejects.toMatchObject({
    hints: [
      expect.stringContaining('https://go.dev/dl'),
      { purpose: 'without VPLANE_OFFLINE', ...PULL },
      { purpose: 'to use your own binaries', binDir: 'DIR' },
    ],
  })
})

test('hints at a later pull when Go cannot reach its servers either', async () => {
  const error = 'Get "https://proxy.golang.org/": dial tcp: lookup proxy.golang.org: no such host'
  await installFakeGo(context, { download: `echo '${error}' >&2; exit 1`, versions: 'exit 1' })

  const failure = build({ downloadFailure: 'cannot reach github.com', pull: PULL })

  await expect(failure).rejects.toMatchObject({
    message: `building kubectl of Kubernetes 1.36.3 failed\n  ${error}`,
    hints: [
      'it was not downloaded because cannot reach github.com',
      { purpose: 'with a network', ...PULL },
      expect.stringMatching(/^copy kubectl of Kubernetes 1\.36\.3 to /),
    ],
  })
})

test.for([
  ['a version that is missing', '1.36.2', 'there is 1.36.1, 1.36.3'],
  ['a minor that is missing', '1.99.0', 'there is 1.35.4, 1.36.1, 1.36.3'],
] as const)('names the nearest versions for %s', async ([, version, hint]) => {
  await installFakeGo(context, {
    download: `echo '{"Error": "not found: v${version}: invalid version"}'; exit 1`,
    versions: 'echo k8s.io/kubernetes v1.35.4 v1.36.0-rc.1 v1.36.1 v1.36.3',
  })

  await expect(build({ release: { ...KUBERNETES, version } })).rejects.toMatchObject({
    code: 'FAILED',
    message: `there is no source of Kubernetes ${version} to build from`,
    hints: [hint],
  })
})

test.for([
  ['download', 'cannot reach the proxy'],
  ['list', 'k8s.io/api: 404'],
  ['build', '# k8s.io/api: syntax error'],
] as const)('shows the last lines of a %s that fails', async ([command, line]) => {
  const lines = `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo noise $i >&2; done`
  await installFakeGo(context, { [command]: `${lines}; echo '${line}' >&2; exit 1` })

  const failure = build({ downloadFailure: 'it rained' })

  await expect(failure).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(
      `^building kubectl of Kubernetes 1.36.3 failed\n  noise 2\n(.*\n)+  ${line}$`,
    ),
    hints: ['it was not downloaded because it rained'],
  })
  expect(existsSync(binaryPath(context.paths.cache, KUBERNETES, 'kubectl'))).toBe(false)
})

test('names the version of Go that it needs when the installed one is too old', async () => {
  const line = 'go: go.mod requires go >= 1.26.0 (running go 1.24.1; GOTOOLCHAIN=local)'
  await installFakeGo(context, { list: `echo '${line}' >&2; exit 1` })

  await expect(build()).rejects.toMatchObject({
    code: 'FAILED',
    message: 'building kubectl of Kubernetes 1.36.3 needs Go 1.26 or newer',
  })
})

test('reports that the disk is full', async () => {
  const line = 'link: writing /x: no space left on device'
  await installFakeGo(context, { build: `echo '${line}' >&2; exit 1` })

  await expect(build()).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('is full'),
    hints: expect.arrayContaining([{ action: 'prune-binaries' }]),
  })
})

test('ends Go and everything it started when the signal fires', async () => {
  const ended = join(context.paths.cache, 'ended')
  await installFakeGo(context, {
    // It reports progress only when it would notice the signal.
    build: `(trap 'echo ended > "${ended}"; exit' TERM
        echo example.com/a >&2
        while :; do sleep 0.02; done) &
      wait`,
  })
  const building = build()
  await expect.poll(() => context.progress).toContain('1 of 3 packages')

  context.abort.abort()

  await expect(building).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => existsSync(ended)).toBe(true)
})

test('does not start Go when the signal has fired already', async () => {
  await installFakeGo(context)
  context.abort.abort()

  await expect(build()).rejects.toMatchObject({ code: 'ABORTED' })
  await expect(goRuns(context)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('builds one release after the other', async () => {
  const gate = join(context.paths.cache, 'gate')
  await installFakeGo(context, {
    build: `mkdir ${gate} || exit 1; sleep 0.2; rmdir ${gate}
      for name in kubectl; do echo built > "$out$name"; done`,
  })

  await Promise.all([build(), build({ release: { ...KUBERNETES, version: '1.35.4' } })])

  expect(context.messages).toContain('step waiting for another build by vplane')
})

interface Build {
  release?: Release
  names?: BinaryName[]
  isOffline?: boolean
  downloadFailure?: string
  pull?: PullHint
  canChooseFolder?: boolean
}

function build({ release = KUBERNETES, names = ['kubectl'], ...more }: Build = {}): Promise<void> {
  const wanted = releaseBuild(release, names, context.paths.cache)
  return buildPrograms(wanted, { isOffline: false, ...context, ...more })
}
