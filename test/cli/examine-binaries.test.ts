import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { examineBinaries } from '../../src/cli/examine-binaries.ts'
import { compose } from '../../src/compose/compose.ts'
import { COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import type { Finding } from '../../src/control-plane/status/finding.ts'
import { planeRecordOf } from '../drivers/local/plane-record-of.ts'
import {
  type ReleaseServer,
  serveEtcdArchive,
  serveKubernetesBinary,
  startReleaseServer,
} from '../drivers/local/binaries/release-server.ts'
import { cacheBinaries } from '../support/machine/cached-binaries.ts'
import { RecordingUi } from '../support/driver/recording-ui.ts'
import { homeForEachTest } from './temporary-home.ts'

const PULL = { action: 'get-binaries', what: '1.36.3' }
const NOWHERE = 'vplane cannot get what is missing: VPLANE_OFFLINE is set; Go is not installed'

const home = homeForEachTest()
let server: ReleaseServer

beforeEach(async () => {
  server = await startReleaseServer()
})

afterEach(() => server[Symbol.asyncDispose]())

test('finds all in the cache, without a look at the network', async () => {
  cacheBinaries(home)

  expect(await findings()).toMatchObject({
    binaries: { level: 'ok', message: 'in the cache: Kubernetes 1.36.3, etcd 3.6.16' },
    etcdutl: { level: 'ok', message: 'in the cache: etcd 3.6.16' },
    kubectl: { level: 'ok', message: 'in the cache: Kubernetes 1.36.3' },
  })
  expect(server.paths()).toEqual([])
})

test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'checks that what is missing can be downloaded, and downloads none of it',
  async () => {
    COMPONENT_NAMES.forEach((name) => serveKubernetesBinary(server, name))
    serveKubernetesBinary(server, 'kubectl')
    serveEtcdArchive(server)
    cacheBinaries(home, COMPONENT_NAMES)

    const { binaries, etcdutl, kubectl } = await findings()

    expect(binaries?.level).toBe('ok')
    expect(etcdutl).toEqual({
      subject: 'etcdutl',
      level: 'warning',
      message: 'etcdutl of etcd 3.6.16 not in the cache: restore downloads what is missing',
      hint: [PULL],
    })
    expect(kubectl).toMatchObject({ level: 'warning', hint: [PULL] })
    expect(server.paths().every((path) => /SHA256SUMS|\.sha256$/.test(path))).toBe(true)
  },
)

test('takes the kubectl on PATH', async () => {
  chmodSync(home.write('path/kubectl', '#!/bin/sh\n'), 0o755)

  const { kubectl } = await findings({ PATH: join(home.root, 'path') })

  expect(kubectl).toEqual({ subject: 'kubectl', level: 'ok', message: 'on PATH' })
})

test('hints at what to do where there is neither a network nor Go', async () => {
  cacheBinaries(home, COMPONENT_NAMES)

  const { etcdutl } = await findings({ VPLANE_OFFLINE: '1' })

  expect(etcdutl).toEqual({
    subject: 'etcdutl',
    level: 'warning',
    message: `etcdutl of etcd 3.6.16 not in the cache, and ${NOWHERE}`,
    hint: [
      'install Go: https://go.dev/dl',
      { purpose: 'with a network and without VPLANE_OFFLINE', ...PULL },
    ],
  })
})

test('finds a problem only where planes can run nowhere else', async () => {
  const here = await findings({ VPLANE_OFFLINE: '1' })
  home.write('kubeconfig', 'current-context: work\ncontexts: [{name: work, context: {user: me}}]\n')
  const withHost = await findings({ VPLANE_OFFLINE: '1' })

  expect([here['binaries']?.level, withHost['binaries']?.level]).toEqual(['problem', 'warning'])
})

test('looks for the etcdutl of every plane of this machine', async () => {
  cacheBinaries(home)
  const spec = { ...resolveSpec({ version: '1.35' }), etcdVersion: '3.6.1' }
  const write = (name: string, fields: object) =>
    home.write(`data/planes/${name}/plane.json`, JSON.stringify(planeRecordOf(name, fields)))
  write('old', { spec })
  write('own', { spec: { ...spec, etcdVersion: '3.6.2' }, binDir: '/opt/bin' })

  const { etcdutl } = await findings({ VPLANE_OFFLINE: '1' })

  expect(etcdutl?.message).toBe(`etcdutl of etcd 3.6.1 not in the cache, and ${NOWHERE}`)
})

test('looks for the kine of planes that have it, and for no etcdutl for them', async () => {
  cacheBinaries(home, [...COMPONENT_NAMES, 'etcdutl'])
  const spec = { ...resolveSpec({ store: { kine: { sqlite: {} } } }), etcdVersion: '3.6.1' }
  home.write('data/planes/light/plane.json', JSON.stringify(planeRecordOf('light', { spec })))

  const missing = await findings({ VPLANE_OFFLINE: '1' })
  cacheBinaries(home, ['kine'])
  const found = await findings({ VPLANE_OFFLINE: '1' })

  expect(missing['kine']).toMatchObject({
    level: 'problem',
    message: expect.stringContaining('kine of kine 0.17.2 not in the cache'),
  })
  expect(found['kine']).toMatchObject({ level: 'ok', message: 'in the cache: kine 0.17.2' })
  expect(found['etcdutl']?.level).toBe('ok')
})

type Findings = Partial<Record<string, Finding>>

async function findings(variables: Record<string, string> = {}): Promise<Findings> {
  const environment = {
    ...home.environment,
    KUBECONFIG: join(home.root, 'kubeconfig'),
    PATH: '',
    VPLANE_MIRROR: server.url,
    ...variables,
  }
  await using composition = compose({ environment, ui: new RecordingUi() })
  const found = await examineBinaries(composition)
  return Object.fromEntries(found.map((finding) => [finding.subject, finding]))
}
