import { existsSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import type { BinaryName } from '../../../../src/drivers/local/binaries/cache/binary.ts'
import { examineRelease } from '../../../../src/drivers/local/binaries/examine-release.ts'
import { cacheBinary, createContext, ETCD, KUBERNETES, type TestContext } from './context.ts'
import { goRuns, installFakeGo } from './fake-go.ts'
import {
  type ReleaseServer,
  serveEtcdArchive,
  serveKubernetesBinary,
  startReleaseServer,
} from './release-server.ts'

const PULL = { action: 'get-binaries', what: '1.36.3' }
const ONLINE_SOURCE = 'echo go.etcd.io/etcd v3.6.15 v3.6.16'

let server: ReleaseServer
let context: TestContext

beforeEach(async () => {
  server = await startReleaseServer()
  context = await createContext({ VPLANE_MIRROR: server.url })
  return () => Promise.all([context[Symbol.asyncDispose](), server[Symbol.asyncDispose]()])
})

test('asks nobody when nothing is missing', async () => {
  await cacheBinary(context.paths.cache, ETCD, 'etcdutl')

  expect(await examine()).toEqual({ title: 'etcd 3.6.16', missing: [], reasons: [], pull: PULL })
  expect(server.paths()).toEqual([])
})

test('reads only the checksum of a download', async () => {
  const folder = serveEtcdArchive(server)

  expect(await examine()).toEqual({
    title: 'etcd 3.6.16',
    missing: ['etcdutl'],
    source: 'download',
    reasons: [],
    pull: PULL,
  })
  expect(server.paths()).toEqual([`${folder}/SHA256SUMS`])
  expect(existsSync(context.paths.cache)).toBe(false)
})

test('needs a download of all that is missing', async () => {
  serveKubernetesBinary(server, 'kubectl')

  const names = ['kubectl', 'kube-apiserver'] as const
  const { reasons, source } = await examine({ release: KUBERNETES, names })

  expect(source).toBeUndefined()
  expect(reasons).toEqual([
    expect.stringMatching(/^there is no http.*kube-apiserver\.sha256$/),
    'Go is not installed',
  ])
})

test.for([
  ['in the module cache', {}, ['mod']],
  ['that Go can download', { download: 'exit 1', versions: ONLINE_SOURCE }, ['mod', 'list']],
] as const)('finds a source %s', async ([, script, commands]) => {
  await installFakeGo(context, script)

  const { reasons, source } = await examine()

  expect(source).toBe('build')
  expect(reasons).toHaveLength(1)
  const runs = await goRuns(context)
  expect(runs.map(({ args }) => args.split(' ')[0])).toEqual(commands)
  expect(runs[0]?.environment.get('GOPROXY')).toBe('off')
  expect(runs[0]?.args).toContain('go.etcd.io/etcd/etcdutl/v3@v3.6.16')
})

test('says why Go cannot build', async () => {
  const versions = 'echo "dial tcp: no such host" >&2; exit 1'
  await installFakeGo(context, { download: 'exit 1', versions })

  const { reasons, source } = await examine()

  expect(source).toBeUndefined()
  const reason = 'Go finds no source of go.etcd.io/etcd/etcdutl/v3: dial tcp: no such host'
  expect(reasons[1]).toBe(reason)
})

test('keeps Go and itself from the network with VPLANE_OFFLINE', async () => {
  serveEtcdArchive(server)
  await installFakeGo(context, { download: 'exit 1', versions: ONLINE_SOURCE })

  const { reasons } = await examine({ VPLANE_OFFLINE: '1' })

  expect(reasons).toEqual(['VPLANE_OFFLINE is set', 'the source is not in the Go module cache'])
  expect(server.paths()).toEqual([])
  expect(await goRuns(context)).toHaveLength(1)
})

interface Examined {
  release?: typeof ETCD
  names?: readonly BinaryName[]
  VPLANE_OFFLINE?: string
}

function examine({ names = ['etcdutl'], release = ETCD, ...variables }: Examined = {}) {
  const environment = { ...context.environment, ...variables }
  return examineRelease(release, { names, beside: '1.36.3' }, { ...context, environment })
}
