import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compose, type Composition } from '../../../src/compose/compose.ts'
import {
  COMPONENT_NAMES,
  type ComponentName,
  type Plane,
} from '../../../src/control-plane/plane/plane.ts'
import { DEFAULT_KUBERNETES_VERSION } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { createControlPlane } from '../../../src/control-plane/use-cases/create/create-control-plane.ts'
import { readLogs } from '../../../src/control-plane/use-cases/observe/read-logs.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

// What goldens cannot know: whether real binaries take what they are given.

const MINOR = DEFAULT_KUBERNETES_VERSION.split('.', 2).join('.')
const { signal } = new AbortController()
const ui = new RecordingUi()

let root: string
let composition: Composition
let plane: Plane

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'vplane-components-'))
  composition = compose({ environment: processEnvironment(), root, ui })
  const [driver] = composition.drivers
  if (driver === undefined) {
    throw new Error(`${process.platform} has no local driver`)
  }
  const created = await createControlPlane(composition, {
    name: 'lean',
    driver,
    userSpec: {
      apiGroups: 'lean',
      ephemeral: true,
      audit: { policy: { rules: [{ level: 'Metadata' }] } },
      encryption: { secrets: true },
      etcd: { extraArgs: ETCD_SETTINGS },
    },
    wait: true,
    timeoutMs: 300_000,
    signal,
  })
  ;({ plane } = created)
})

afterAll(async () => {
  await composition.drivers[0]?.remove(plane, { ui, signal })
  rmSync(root, { recursive: true, force: true })
})

test.for(['kube-apiserver', 'kube-controller-manager'] as const)(
  'the list of flags of %s is what the binary prints',
  async (name) => {
    const help = await helpOf(name)

    const flags = [...help.matchAll(/^ +(?:-\w, )?--([a-z0-9-]+)/gm)].map(([, flag = '']) => flag)

    const known = fixture(`${name}-${MINOR}-flags`)
    expect(flags.filter((flag) => flag !== 'help' && flag !== 'v').toSorted()).toEqual(known)
  },
)

test('the list of controllers is what the binary prints', async () => {
  const help = await helpOf('kube-controller-manager')

  const [, controllers = ''] = /All controllers: (.*)/.exec(help) ?? []

  expect(controllers.split(', ').toSorted()).toEqual(fixture(`controllers-${MINOR}`))
})

test('a lean plane is ready, and nothing in it looks for what it does not serve', async () => {
  const text = await logsOf(COMPONENT_NAMES)

  const phase = async () => (await composition.drivers[0]?.status(plane))?.phase
  await expect.poll(phase).toBe('Ready')
  expect(text).not.toMatch(/failed to list/)
})

test("etcd's configuration has the types that etcd wants", async () => {
  const file = join(root, 'planes', 'lean', 'configuration', 'etcd.json')
  const written: unknown = JSON.parse(readFileSync(file, 'utf8'))

  expect(Object.keys(Object(written))).toEqual(expect.arrayContaining(Object.keys(ETCD_SETTINGS)))
})

test('kube-apiserver takes an audit policy and a key for Secrets', async () => {
  const text = await logsOf(['kube-apiserver'])

  expect(/"kind":"Event","apiVersion":"audit.k8s.io\/v1"/.test(text)).toBe(true)
  expect(readFileSync(join(root, 'planes', 'lean', 'pki', 'encryption.json'), 'utf8')).toContain(
    'secretbox',
  )
})

/** One of each kind that a spec may name, with the value that etcd has by default. */
const ETCD_SETTINGS = {
  'auto-compaction-mode': 'periodic',
  'auto-compaction-retention': '1',
  'compact-hash-check-time': '1m',
  'feature-gates': 'InitialCorruptCheck=true',
  'grpc-keepalive-min-time': '5s',
  'host-whitelist': '*',
  'log-outputs': ['stderr'],
  'max-concurrent-streams': '1000',
  'pre-vote': 'true',
  'watch-progress-notify-interval': '5s',
}

async function logsOf(components: readonly ComponentName[]): Promise<string> {
  const logs = components.map(async (component) => {
    const { lines } = await readLogs(composition, {
      name: 'lean',
      component,
      follow: false,
      signal,
    })
    return (await Array.fromAsync(lines, ({ text }) => text)).join('')
  })
  return (await Promise.all(logs)).join('')
}

async function helpOf(name: 'kube-apiserver' | 'kube-controller-manager'): Promise<string> {
  const environment = processEnvironment()
  const { etcdVersion, version: kubernetesVersion } = resolveSpec({})
  const found = await ensureBinaries(
    { kubernetesVersion, etcdVersion, names: [name] },
    { paths: pathsOf(environment), environment, ui, signal },
  )
  return execFileSync(found[name], ['--help'], { encoding: 'utf8' })
}

function fixture(name: string): string[] {
  return readFileSync(new URL(`../fixtures/${name}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
}
