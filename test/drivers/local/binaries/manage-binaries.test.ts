import { chmodSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { compose } from '../../../../src/compose/compose.ts'
import { DEFAULT_KUBERNETES_VERSION } from '../../../../src/control-plane/spec/kubernetes-version.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import {
  formatPlatform,
  platformOf,
} from '../../../../src/drivers/local/binaries/cache/platform.ts'
import { temporaryHome, type TemporaryHome } from '../../../cli/temporary-home.ts'
import { planeRecordOf } from '../plane-record-of.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()

let home: TemporaryHome

beforeEach(() => {
  home = temporaryHome()
  return () => home[Symbol.dispose]()
})

const binaries = () => {
  const environment = { ...home.environment, VPLANE_OFFLINE: '1' }
  return compose({ environment, ui: new RecordingUi() }).openBinaries()
}

function cache(project: 'etcd' | 'kubernetes', version: string, name: string): string {
  const platform = formatPlatform(platformOf())
  const path = home.write(`cache/bin/${project}/${version}/${platform}/${name}`, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

test('lists the cache', async () => {
  const kubectl = cache('kubernetes', '1.35.4', 'kubectl')

  expect(await (await binaries()).list()).toMatchObject([
    { name: 'kubectl', version: '1.35.4', path: kubectl, source: 'unknown' },
  ])
})

test('removes only binaries that no plane uses', async () => {
  const used = cache('kubernetes', '1.34.4', 'kubectl')
  const etcd = cache('etcd', '3.6.16', 'etcd')
  const unused = cache('kubernetes', '1.35.4', 'kubectl')
  const oldEtcd = cache('etcd', '3.6.1', 'etcd')
  const record = planeRecordOf('dev', { spec: resolveSpec({ version: '1.34.4' }) })
  home.write('data/planes/dev/plane.json', JSON.stringify(record))
  home.write('data/planes/bad/plane.json', '{')

  const { freedBytes, inUse, removed } = await (await binaries()).prune({ buildCache: false })

  expect([used, etcd].map((path) => existsSync(path))).toEqual([true, true])
  expect([unused, oldEtcd].map((path) => existsSync(path))).toEqual([false, false])
  expect(removed).toHaveLength(2)
  expect(freedBytes).toBe(2 * '#!/bin/sh\n'.length)
  expect(inUse).toEqual([])
})

test('removes the build cache only on request', async () => {
  const file = home.write('cache/go-build/aa/object', 'x')

  const kept = await (await binaries()).prune({ buildCache: false })
  expect([kept.freedBytes, existsSync(file)]).toEqual([0, true])

  const removed = await (await binaries()).prune({ buildCache: true })
  expect([removed.freedBytes, existsSync(dirname(dirname(file)))]).toEqual([1, false])
})

test('finds cached binaries without the network', async () => {
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kubectl']) {
    cache('kubernetes', DEFAULT_KUBERNETES_VERSION, name)
  }
  cache('etcd', '3.6.16', 'etcd')
  cache('etcd', '3.6.16', 'etcdutl')

  const pulled = await (await binaries()).pull({ versions: ['1.36'] }, signal)

  expect(pulled.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual([
    'etcd 3.6.16',
    'etcdutl 3.6.16',
    'kube-apiserver 1.36.3',
    'kube-controller-manager 1.36.3',
    'kubectl 1.36.3',
  ])
})

test('refuses an unknown version before it gets any', async () => {
  const error = await rejectionOf((await binaries()).pull({ versions: ['1.36', '1.2'] }, signal))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain('"1.2"')
  expect(existsSync(join(home.root, 'cache'))).toBe(false)
})
